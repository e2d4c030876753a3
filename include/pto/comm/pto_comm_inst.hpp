// Communication between NPUs: transfers through UB, signals in global memory.
#pragma once

#include "pto/comm/comm_types.hpp"
#include "pto/instructions/memory.hpp"

namespace pto::comm {

namespace ptosim_detail {

using namespace pto::ptosim_detail;

// Global memory to global memory through one or two tiles of UB: as many pieces as it takes.
class StagedCopy {
 public:
    StagedCopy(const GlobalBase& dst, const GlobalBase& src, AtomicType atomic,
               ptosim_location where)
        : dst_(dst.view), src_(src.view), atomic_(atomic), where_(where) {}

    void run(const ptosim_tile& first, const ptosim_tile& second) {
        const ptosim_tile tiles[2] = {first, second};
        depth_ = first.address == second.address ? 1 : 2;
        int64_t at[3];
        for (at[0] = 0; at[0] < src_.shape[0]; ++at[0])
            for (at[1] = 0; at[1] < src_.shape[1]; ++at[1])
                for (at[2] = 0; at[2] < src_.shape[2]; ++at[2]) matrix(at, tiles);
        for (int64_t i = pieces_ < depth_ ? 0 : pieces_ - depth_; i < pieces_; ++i)
            wait_flag(PIPE_MTE3, PIPE_MTE2, i % 2, where_);
    }

 private:
    void matrix(const int64_t (&at)[3], const ptosim_tile (&tiles)[2]) {
        for (int32_t row = 0; row < src_.shape[3]; row += tiles[0].rows)
            for (int32_t col = 0; col < src_.shape[4]; col += tiles[0].cols)
                piece(at, row, col, tiles[pieces_ % 2]);
    }
    void piece(const int64_t (&at)[3], int32_t row, int32_t col, ptosim_tile tile) {
        const int64_t id = pieces_ % 2;
        if (pieces_ >= depth_) wait_flag(PIPE_MTE3, PIPE_MTE2, (pieces_ - depth_) % 2, where_);
        tile.valid_rows = least(tile.rows, src_.shape[3] - row);
        tile.valid_cols = least(tile.cols, src_.shape[4] - col);
        issue(PTO_DETAIL_OPCODE(TLOAD), where_, {operand(tile), part(src_, at, row, col, tile)});
        set_flag(PIPE_MTE2, PIPE_MTE3, id, where_);
        wait_flag(PIPE_MTE2, PIPE_MTE3, id, where_);
        issue(PTO_DETAIL_OPCODE(TSTORE), where_, {part(dst_, at, row, col, tile), operand(tile)},
              {attribute(PTOSIM_ATTR_ATOMIC, atomic_)});
        set_flag(PIPE_MTE3, PIPE_MTE2, id, where_);
        ++pieces_;
    }
    static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
    static ptosim_operand part(const ptosim_global& whole, const int64_t (&at)[3], int64_t row,
                               int64_t col, const ptosim_tile& tile) {
        GlobalBase view{whole};
        int64_t offset = row * whole.stride[3] + col * whole.stride[4];
        for (int i = 0; i < 3; ++i) {
            offset += at[i] * whole.stride[i];
            view.view.shape[i] = 1;
        }
        view.view.address += static_cast<uint64_t>(offset * element_bytes(whole.dtype));
        view.view.shape[3] = tile.valid_rows;
        view.view.shape[4] = tile.valid_cols;
        return operand(view);
    }
    static int64_t element_bytes(uint8_t dtype) {
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

    ptosim_global dst_, src_;
    AtomicType atomic_;
    ptosim_location where_;
    int64_t pieces_ = 0;
    int64_t depth_ = 2;  // how many tiles there are
};

constexpr bool holds(int32_t value, int32_t other, WaitCmp comparison) {
    switch (comparison) {
        case WaitCmp::EQ:
            return value == other;
        case WaitCmp::NE:
            return value != other;
        case WaitCmp::GT:
            return value > other;
        case WaitCmp::GE:
            return value >= other;
        case WaitCmp::LT:
            return value < other;
        default:
            return value <= other;
    }
}
inline bool all_hold(const ptosim_global& v, int32_t other, WaitCmp comparison,
                     ptosim_location where) {
    for (int64_t row = 0; row < v.shape[3]; ++row) {
        for (int64_t col = 0; col < v.shape[4]; ++col) {
            const auto offset = static_cast<uint64_t>(row * v.stride[3] + col * v.stride[4]);
            const auto value =
                static_cast<int32_t>(ptosim_load_global(v.address + 4 * offset, PTOSIM_I32, where));
            if (!holds(value, other, comparison)) return false;
        }
    }
    return true;
}

}  // namespace ptosim_detail

// ---- transfers -------------------------------------------------------------------------------
#define PTO_DETAIL_TRANSFER(Name_)                                                           \
    template <AtomicType Atomic_ = AtomicType::AtomicNone, typename Dst, typename Src,       \
              typename Staging>                                                              \
    RecordEvent Name_(Dst& dst, Src& src, Staging& staging, PTO_DETAIL_EVENTS) {             \
        PTO_DETAIL_WAIT;                                                                     \
        const ptosim_tile tile = pto::ptosim_detail::record(staging);                        \
        ptosim_detail::StagedCopy(dst, src, Atomic_, where).run(tile, tile);                 \
        return {where};                                                                      \
    }                                                                                        \
    template <AtomicType Atomic_ = AtomicType::AtomicNone, typename Dst, typename Src,       \
              typename Staging, std::enable_if_t<is_tile_data_v<Staging>, int> = 0>          \
    RecordEvent Name_(Dst& dst, Src& src, Staging& ping, Staging& pong, PTO_DETAIL_EVENTS) { \
        PTO_DETAIL_WAIT;                                                                     \
        ptosim_detail::StagedCopy(dst, src, Atomic_, where)                                  \
            .run(pto::ptosim_detail::record(ping), pto::ptosim_detail::record(pong));        \
        return {where};                                                                      \
    }
PTO_DETAIL_TRANSFER(TPUT)
PTO_DETAIL_TRANSFER(TGET)
#undef PTO_DETAIL_TRANSFER

template <typename Dst, typename Src, typename Staging>
RecordEvent TPUT(Dst& dst, Src& src, Staging& staging, AtomicType atomic, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    const ptosim_tile tile = pto::ptosim_detail::record(staging);
    ptosim_detail::StagedCopy(dst, src, atomic, where).run(tile, tile);
    return {where};
}

// ---- signals: int32 in global memory ---------------------------------------------------------
template <typename SignalData>
void TNOTIFY(SignalData& signal, int32_t value, NotifyOp operation, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    const uint64_t bits = static_cast<uint32_t>(value);
    if (operation == NotifyOp::Set) {
        ptosim_store_line(signal.view.address, PTOSIM_I32, bits, where);
    } else {
        ptosim_atomic_global(signal.view.address, PTOSIM_I32, 1, bits, where);
    }
}
template <typename SignalData>
bool TTEST(SignalData& signal, int32_t value, WaitCmp comparison, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    return ptosim_detail::all_hold(signal.view, value, comparison, where);
}
template <typename SignalData>
void TWAIT(SignalData& signal, int32_t value, WaitCmp comparison, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    while (!ptosim_detail::all_hold(signal.view, value, comparison, where)) ptosim_scalar_work(16);
}

// ---- what is not there -----------------------------------------------------------------------
#define PTO_DETAIL_MISSING(Name_)                \
    template <auto... Modes_, class... Operands> \
    RecordEvent Name_(Operands&&...) = delete;
PTO_DETAIL_MISSING(TGATHER)
PTO_DETAIL_MISSING(TSCATTER)
PTO_DETAIL_MISSING(TBROADCAST)
PTO_DETAIL_MISSING(TREDUCE)
PTO_DETAIL_MISSING(TPUT_ASYNC)
PTO_DETAIL_MISSING(TGET_ASYNC)
#undef PTO_DETAIL_MISSING

}  // namespace pto::comm
