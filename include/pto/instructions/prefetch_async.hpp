// TPREFETCH_ASYNC: the named data is in L2 as soon as the instruction is issued.
#pragma once

#include "pto/comm/async/session.hpp"
#include "pto/instructions/operation.hpp"

namespace pto {

struct PrefetchAsyncContext {
    comm::AsyncSession session;
    Tile<TileType::Vec, uint8_t, 1, 256> scratchTile;
    explicit PrefetchAsyncContext(uint8_t*, comm::AsyncSession* = nullptr) {}
    const comm::AsyncSession& GetSession() const { return session; }
};

template <typename Global>
comm::AsyncEvent TPREFETCH_ASYNC(Global& view, PrefetchAsyncContext&, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_global<Global>();
    PTO_DETAIL_WAIT;
    ptosim_scalar_work(8);
    ptosim_detail::issue(PTO_DETAIL_OPCODE(TPREFETCH_ASYNC), where, {ptosim_detail::operand(view)});
    return {1};
}

}  // namespace pto
