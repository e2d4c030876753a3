// Sessions and events of asynchronous transfers between NPUs. SDMA, the only supported engine, is not modelled: the
// core that requests a transfer copies it itself, through the session's scratch tile, before it goes on. Bytes and
// their order equal the results of an engine that is always done; times do not.
#pragma once

#include "pto/comm/async/sdma/sdma_types.hpp"
#include "pto/comm/comm_types.hpp"

namespace pto::comm {

struct AsyncSession {
    DmaEngine engine = DmaEngine::SDMA;
    bool valid = false;
    ptosim_tile scratch{};
    uint64_t offset = 0;  // bytes, of both sides of a transfer
};

struct AsyncEvent {
    uint64_t handle = 0;  // 0: the transfer was refused
    DmaEngine engine = DmaEngine::SDMA;
    bool valid() const { return handle != 0; }
    bool Wait(const AsyncSession&) const { return valid(); }
    bool Test(const AsyncSession&) const { return valid(); }
};

// False without a workspace, and for queues that the engine does not have.
template <DmaEngine Engine_ = DmaEngine::SDMA, class Scratch>
bool BuildAsyncSession(Scratch& scratch, uint8_t* workspace, AsyncSession& session, uint32_t /*syncId*/ = 0,
                       const sdma::SdmaBaseConfig& config = {sdma::kDefaultSdmaBlockBytes, 0, 1},
                       uint32_t /*channelGroup*/ = sdma::kAutoChannelGroupIdx) {
    static_assert(Engine_ == DmaEngine::SDMA, "asynchronous transfers are by SDMA: there is no URMA and no RDMA");
    session = {};
    session.valid = workspace != nullptr && config.block_bytes != 0 && config.queue_num != 0 &&
                    config.queue_num <= sdma::kSdmaMaxChannel;
    session.scratch = pto::ptosim_detail::record(scratch);
    session.offset = config.comm_block_offset;
    return session.valid;
}

}  // namespace pto::comm
