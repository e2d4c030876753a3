// Communication between NPUs: transfers through UB, signals in global memory, collectives.
#pragma once

#include "pto/comm/async/session.hpp"
#include "pto/comm/collectives.hpp"

namespace pto::comm {

namespace ptosim_detail {

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
inline void read_signals(const ptosim_global& v, ptosim_location where) {
    bool several = false;
    for (int dim = 0; dim < 5; ++dim) several = several || v.shape[dim] > 1;
    if (several) ptosim_read_signals(&v, where);
}
// `missing` gets the address of a word that does not hold, and `present` the word.
inline bool all_hold(const ptosim_global& v, int32_t other, WaitCmp comparison, ptosim_location where,
                     uint64_t& missing, int32_t& present, uint64_t offset = 0, int dim = 0) {
    if (dim < 5) {
        for (int64_t at = 0; at < v.shape[dim]; ++at, offset += static_cast<uint64_t>(v.stride[dim]))
            if (!all_hold(v, other, comparison, where, missing, present, offset, dim + 1)) return false;
        return true;
    }
    missing = v.address + 4 * offset;
    present = static_cast<int32_t>(ptosim_load_global(missing, PTOSIM_I32, where));
    return holds(present, other, comparison);
}

}  // namespace ptosim_detail

// ---- transfers -------------------------------------------------------------------------------
#define PTO_DETAIL_TRANSFER(Name_)                                                           \
    template <AtomicType Atomic_ = AtomicType::AtomicNone, typename Dst, typename Src,       \
              typename Staging>                                                              \
    RecordEvent Name_(Dst& dst, Src& src, Staging& staging, PTO_DETAIL_EVENTS) {             \
        PTO_DETAIL_WAIT;                                                                     \
        const ptosim_tile tile = pto::ptosim_detail::record(staging);                        \
        ptosim_detail::StagedCopy(tile, tile, Atomic_, where).copy(dst.view, src.view);      \
        return {where};                                                                      \
    }                                                                                        \
    template <AtomicType Atomic_ = AtomicType::AtomicNone, typename Dst, typename Src,       \
              typename Staging, std::enable_if_t<is_tile_data_v<Staging>, int> = 0>          \
    RecordEvent Name_(Dst& dst, Src& src, Staging& ping, Staging& pong, PTO_DETAIL_EVENTS) { \
        PTO_DETAIL_WAIT;                                                                     \
        ptosim_detail::StagedCopy(pto::ptosim_detail::record(ping),                          \
                                  pto::ptosim_detail::record(pong), Atomic_, where)          \
            .copy(dst.view, src.view);                                                       \
        return {where};                                                                      \
    }
PTO_DETAIL_TRANSFER(TPUT)
PTO_DETAIL_TRANSFER(TGET)
#undef PTO_DETAIL_TRANSFER

template <typename Dst, typename Src, typename Staging>
RecordEvent TPUT(Dst& dst, Src& src, Staging& staging, AtomicType atomic, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    const ptosim_tile tile = pto::ptosim_detail::record(staging);
    ptosim_detail::StagedCopy(tile, tile, atomic, where).copy(dst.view, src.view);
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
    uint64_t missing = 0;
    int32_t present = 0;
    ptosim_detail::read_signals(signal.view, where);
    return ptosim_detail::all_hold(signal.view, value, comparison, where, missing, present);
}
template <typename SignalData>
void TWAIT(SignalData& signal, int32_t value, WaitCmp comparison, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    uint64_t missing = 0;
    int32_t present = 0;
    ptosim_detail::read_signals(signal.view, where);
    while (!ptosim_detail::all_hold(signal.view, value, comparison, where, missing, present)) {
        ptosim_await_signal(missing, present, static_cast<uint8_t>(comparison), value, where);
        ptosim_pause();
    }
    ptosim_end_wait();
}

// ---- transfers that engines make (pto/comm/async/session.hpp) ---------------------------------
namespace ptosim_detail {

constexpr bool is_flat(const ptosim_global& view) {
    return view.shape[0] * view.shape[1] * view.shape[2] * view.shape[3] == 1 && view.stride[4] == 1;
}

// The bytes of a flat view, from the session's offset on.
inline ptosim_global bytes_of_flat(ptosim_global view, const AsyncSession& session) {
    view.address += session.offset;
    view.shape[4] = static_cast<int32_t>(view.shape[4] * element_bytes(view.dtype));
    view.dtype = PTOSIM_U8;
    for (int64_t& stride : view.stride) stride = view.shape[4];
    view.stride[4] = 1;
    return view;
}

inline AsyncEvent copy_now(const ptosim_global& dst, const ptosim_global& src, const AsyncSession& session,
                           ptosim_location where) {
    if (!session.valid || !is_flat(dst) || !is_flat(src)) return {};
    StagedCopy(session.scratch, session.scratch, AtomicType::AtomicNone, where)
        .copy(bytes_of_flat(dst, session), bytes_of_flat(src, session));
    pipe_barrier(PIPE_ALL, where);
    return {1, session.engine};
}

}  // namespace ptosim_detail

#define PTO_DETAIL_ASYNC(Name_)                                                                               \
    template <DmaEngine Engine_ = DmaEngine::SDMA, typename Dst, typename Src>                                \
    AsyncEvent Name_(Dst& dst, Src& src, const AsyncSession& session, PTO_DETAIL_EVENTS) {                    \
        static_assert(Engine_ == DmaEngine::SDMA, #Name_ " is by SDMA: there is no URMA and no RDMA");         \
        PTO_DETAIL_WAIT;                                                                                      \
        return ptosim_detail::copy_now(dst.view, src.view, session, where);                                   \
    }
PTO_DETAIL_ASYNC(TPUT_ASYNC)
PTO_DETAIL_ASYNC(TGET_ASYNC)
#undef PTO_DETAIL_ASYNC

}  // namespace pto::comm
