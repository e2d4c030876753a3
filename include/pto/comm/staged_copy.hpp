// Copies between places in global memory through one or two tiles of UB, which communication is made of.
#pragma once

#include "pto/comm/comm_types.hpp"
#include "pto/instructions/memory.hpp"

namespace pto::comm::ptosim_detail {

using namespace pto::ptosim_detail;

constexpr int64_t element_bytes(uint8_t dtype) {
    switch (dtype) {
        case PTOSIM_F32:
        case PTOSIM_I32:
        case PTOSIM_U32:
            return 4;
        case PTOSIM_F16:
        case PTOSIM_BF16:
        case PTOSIM_I16:
        case PTOSIM_U16:
            return 2;
        case PTOSIM_I64:
        case PTOSIM_U64:
            return 8;
        default:
            return 1;
    }
}

constexpr int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// Position of a piece in a view: a rectangle of one of its matrices, as large as a tile's valid region.
struct PiecePosition {
    int64_t outer[3] = {0, 0, 0};
    int64_t row = 0, col = 0;
};

// The piece of a view that a tile holds.
inline ptosim_operand piece_of(const ptosim_global& whole, const PiecePosition& at,
                               const ptosim_tile& tile) {
    GlobalBase view{whole};
    int64_t offset = at.row * whole.stride[3] + at.col * whole.stride[4];
    for (int i = 0; i < 3; ++i) {
        offset += at.outer[i] * whole.stride[i];
        view.view.shape[i] = 1;
    }
    view.view.address += static_cast<uint64_t>(offset * element_bytes(whole.dtype));
    view.view.shape[3] = tile.valid_rows;
    view.view.shape[4] = tile.valid_cols;
    return operand(view);
}

// Calls visit(position, tile) for the pieces of a view, with the tile's valid region set to the piece.
template <class Visit>
void for_pieces(const ptosim_global& whole, ptosim_tile tile, const Visit& visit) {
    PiecePosition at;
    const int32_t rows = tile.rows, cols = tile.cols;
    for (at.outer[0] = 0; at.outer[0] < whole.shape[0]; ++at.outer[0])
        for (at.outer[1] = 0; at.outer[1] < whole.shape[1]; ++at.outer[1])
            for (at.outer[2] = 0; at.outer[2] < whole.shape[2]; ++at.outer[2])
                for (at.row = 0; at.row < whole.shape[3]; at.row += rows)
                    for (at.col = 0; at.col < whole.shape[4]; at.col += cols) {
                        tile.valid_rows = least(rows, whole.shape[3] - static_cast<int32_t>(at.row));
                        tile.valid_cols = least(cols, whole.shape[4] - static_cast<int32_t>(at.col));
                        visit(at, tile);
                    }
}

// Copies, one after the other, as many pieces as it takes. The destructor waits for the last stores.
class StagedCopy {
 public:
    StagedCopy(const ptosim_tile& first, const ptosim_tile& second, AtomicType atomic,
               ptosim_location where)
        : tiles_{first, second},
          atomic_(atomic),
          where_(where),
          depth_(first.address == second.address ? 1 : 2) {}
    ~StagedCopy() {
        for (int64_t i = pieces_ < depth_ ? 0 : pieces_ - depth_; i < pieces_; ++i)
            wait_flag(PIPE_MTE3, PIPE_MTE2, i % 2, where_);
    }
    StagedCopy(const StagedCopy&) = delete;
    StagedCopy& operator=(const StagedCopy&) = delete;

    void copy(const ptosim_global& dst, const ptosim_global& src) {
        copy(src, 1, [&](int) -> const ptosim_global& { return dst; });
    }
    // Copies src to `count` destinations: target(0), target(1), ...
    template <class Target>
    void copy(const ptosim_global& src, int count, const Target& target) {
        for_pieces(src, tiles_[0], [&](const PiecePosition& at, ptosim_tile tile) {
            const int64_t id = pieces_ % 2;
            tile.address = tiles_[id].address;
            if (pieces_ >= depth_) wait_flag(PIPE_MTE3, PIPE_MTE2, (pieces_ - depth_) % 2, where_);
            issue(PTO_DETAIL_OPCODE(TLOAD), where_, {operand(tile), piece_of(src, at, tile)});
            set_flag(PIPE_MTE2, PIPE_MTE3, id, where_);
            wait_flag(PIPE_MTE2, PIPE_MTE3, id, where_);
            for (int i = 0; i < count; ++i)
                issue(PTO_DETAIL_OPCODE(TSTORE), where_,
                      {piece_of(target(i), at, tile), operand(tile)},
                      {attribute(PTOSIM_ATTR_ATOMIC, atomic_)});
            set_flag(PIPE_MTE3, PIPE_MTE2, id, where_);
            ++pieces_;
        });
    }

 private:
    ptosim_tile tiles_[2];
    AtomicType atomic_;
    ptosim_location where_;
    int64_t depth_;  // how many tiles there are
    int64_t pieces_ = 0;
};

}  // namespace pto::comm::ptosim_detail
