// Collectives of a group of NPUs, which its root alone executes: it reads or writes the memory of all.
#pragma once

#include "pto/comm/staged_copy.hpp"

namespace pto::comm {

namespace ptosim_detail {

// The rows of a view that belong to one rank: the ranks' rows lie one after the other.
inline ptosim_global rows_of_rank(ptosim_global whole, int rank, int32_t rows) {
    whole.address += static_cast<uint64_t>(rank * rows * whole.stride[3] * element_bytes(whole.dtype));
    whole.shape[3] = rows;
    return whole;
}

constexpr Opcode combining(ReduceOp operation) {
    switch (operation) {
        case ReduceOp::Max:
            return PTO_DETAIL_OPCODE(TMAX);
        case ReduceOp::Min:
            return PTO_DETAIL_OPCODE(TMIN);
        default:
            return PTO_DETAIL_OPCODE(TADD);
    }
}

// Combines a piece of all ranks after the other: the root's in `sum`, the others' in the tiles `received`, in turn.
class StagedReduction {
 public:
    StagedReduction(const ptosim_tile& sum, const ptosim_tile& first, const ptosim_tile& second,
                    ReduceOp operation, ptosim_location where)
        : sum_(sum),
          received_{first, second},
          operation_(combining(operation)),
          where_(where),
          depth_(first.address == second.address ? 1 : 2) {}

    template <class Group>
    void run(const Group& group, const ptosim_global& dst) {
        const int root = group.GetRootIdx();
        for_pieces(group[root].view, sum_, [&](const PiecePosition& at, const ptosim_tile& sum) {
            issue(PTO_DETAIL_OPCODE(TLOAD), where_,
                  {operand(sum), piece_of(group[root].view, at, sum)});
            hand_over(PIPE_MTE2, PIPE_V);
            combine_others(group, at, sum);
            hand_over(PIPE_V, PIPE_MTE3);
            issue(PTO_DETAIL_OPCODE(TSTORE), where_, {piece_of(dst, at, sum), operand(sum)},
                  {attribute(PTOSIM_ATTR_ATOMIC, AtomicType::AtomicNone)});
            hand_over(PIPE_MTE3, PIPE_MTE2);
        });
    }

 private:
    // Flag 0 between MTE2 and V is that of the root's piece: the others have the flags after it.
    template <class Group>
    void combine_others(const Group& group, const PiecePosition& at, const ptosim_tile& sum) {
        int64_t loaded = 0, combined = 0;
        const auto combine = [&] {
            const int64_t id = combined % 2;
            wait_flag(PIPE_MTE2, PIPE_V, id + 1, where_);
            if (combined++ > 0) wait_between(PIPE_V, PIPE_V, 0, where_);
            issue(operation_, where_, {operand(sum), operand(sum), operand(received(sum, id))});
            set_flag(PIPE_V, PIPE_MTE2, id, where_);
        };
        for (int rank = 0; rank < group.GetSize(); ++rank) {
            if (rank == group.GetRootIdx()) continue;
            const int64_t id = loaded % 2;
            if (loaded >= depth_) {
                combine();
                wait_flag(PIPE_V, PIPE_MTE2, (loaded - depth_) % 2, where_);
            }
            const ptosim_tile tile = received(sum, id);
            issue(PTO_DETAIL_OPCODE(TLOAD), where_,
                  {operand(tile), piece_of(group[rank].view, at, tile)});
            set_flag(PIPE_MTE2, PIPE_V, id + 1, where_);
            ++loaded;
        }
        while (combined < loaded) combine();
        for (int64_t i = loaded < depth_ ? 0 : loaded - depth_; i < loaded; ++i)
            wait_flag(PIPE_V, PIPE_MTE2, i % 2, where_);
    }
    ptosim_tile received(const ptosim_tile& sum, int64_t id) const {
        ptosim_tile tile = received_[id];
        tile.valid_rows = sum.valid_rows;
        tile.valid_cols = sum.valid_cols;
        return tile;
    }
    void hand_over(pipe_t from, pipe_t to) const {
        set_flag(from, to, 0, where_);
        wait_flag(from, to, 0, where_);
    }

    ptosim_tile sum_;
    ptosim_tile received_[2];
    Opcode operation_;
    ptosim_location where_;
    int64_t depth_;
};

template <class Group, class Global, class Tile>
constexpr void require_group() {
    require_global<typename Group::value_type>();
    require_global<Global>();
    require_tiles<Tile>();
}

}  // namespace ptosim_detail

// With one tile, and with two that are used in turn. Of CollEngine::CCU there is nothing: these need a program on the
// host that the engine runs.
#define PTO_DETAIL_COLLECTIVE(Name_, Work_)                                                        \
    template <CollEngine Engine_ = CollEngine::AIV, typename Group, typename Global, typename Staging> \
    RecordEvent Name_(Group& group, Global& whole, Staging& staging, PTO_DETAIL_EVENTS) {          \
        static_assert(Engine_ == CollEngine::AIV, #Name_ ": there is no CCU");                     \
        ptosim_detail::require_group<Group, Global, Staging>();                                    \
        PTO_DETAIL_WAIT;                                                                           \
        const ptosim_tile tile = pto::ptosim_detail::record(staging);                              \
        ptosim_detail::Work_(group, whole.view, tile, tile, where);                                \
        return {where};                                                                            \
    }                                                                                              \
    template <CollEngine Engine_ = CollEngine::AIV, typename Group, typename Global, typename Staging, \
              std::enable_if_t<is_tile_data_v<Staging>, int> = 0>                                  \
    RecordEvent Name_(Group& group, Global& whole, Staging& ping, Staging& pong,                   \
                      PTO_DETAIL_EVENTS) {                                                         \
        static_assert(Engine_ == CollEngine::AIV, #Name_ ": there is no CCU");                     \
        ptosim_detail::require_group<Group, Global, Staging>();                                    \
        PTO_DETAIL_WAIT;                                                                           \
        ptosim_detail::Work_(group, whole.view, pto::ptosim_detail::record(ping),                  \
                             pto::ptosim_detail::record(pong), where);                             \
        return {where};                                                                            \
    }

namespace ptosim_detail {

template <class Group>
void gather(const Group& group, const ptosim_global& dst, const ptosim_tile& first,
            const ptosim_tile& second, ptosim_location where) {
    StagedCopy copy(first, second, AtomicType::AtomicNone, where);
    for (int rank = 0; rank < group.GetSize(); ++rank) {
        const ptosim_global& src = group[rank].view;
        copy.copy(rows_of_rank(dst, rank, src.shape[3]), src);
    }
}

template <class Group>
void scatter(const Group& group, const ptosim_global& src, const ptosim_tile& first,
             const ptosim_tile& second, ptosim_location where) {
    StagedCopy copy(first, second, AtomicType::AtomicNone, where);
    for (int rank = 0; rank < group.GetSize(); ++rank) {
        const ptosim_global& dst = group[rank].view;
        copy.copy(dst, rows_of_rank(src, rank, dst.shape[3]));
    }
}

template <class Group>
void broadcast(const Group& group, const ptosim_global& src, const ptosim_tile& first,
               const ptosim_tile& second, ptosim_location where) {
    StagedCopy copy(first, second, AtomicType::AtomicNone, where);
    copy.copy(src, group.GetSize(),
              [&](int rank) -> const ptosim_global& { return group[rank].view; });
}

}  // namespace ptosim_detail

PTO_DETAIL_COLLECTIVE(TGATHER, gather)
PTO_DETAIL_COLLECTIVE(TSCATTER, scatter)
PTO_DETAIL_COLLECTIVE(TBROADCAST, broadcast)
#undef PTO_DETAIL_COLLECTIVE

template <CollEngine Engine_ = CollEngine::AIV, typename Group, typename Dst, typename Data>
RecordEvent TREDUCE(Group& group, Dst& dst, Data& sum, Data& received, ReduceOp operation,
                    PTO_DETAIL_EVENTS) {
    static_assert(Engine_ == CollEngine::AIV, "TREDUCE: there is no CCU");
    ptosim_detail::require_group<Group, Dst, Data>();
    PTO_DETAIL_WAIT;
    const ptosim_tile tile = pto::ptosim_detail::record(received);
    ptosim_detail::StagedReduction(pto::ptosim_detail::record(sum), tile, tile, operation, where)
        .run(group, dst.view);
    return {where};
}
template <CollEngine Engine_ = CollEngine::AIV, typename Group, typename Dst, typename Data>
RecordEvent TREDUCE(Group& group, Dst& dst, Data& sum, Data& ping, Data& pong, ReduceOp operation,
                    PTO_DETAIL_EVENTS) {
    static_assert(Engine_ == CollEngine::AIV, "TREDUCE: there is no CCU");
    ptosim_detail::require_group<Group, Dst, Data>();
    PTO_DETAIL_WAIT;
    ptosim_detail::StagedReduction(pto::ptosim_detail::record(sum), pto::ptosim_detail::record(ping),
                                   pto::ptosim_detail::record(pong), operation, where)
        .run(group, dst.view);
    return {where};
}

}  // namespace pto::comm
