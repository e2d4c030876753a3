// Synchronisation below the level of events: flags between pipes, barriers, flags between cores.
#pragma once

#include "cce/kernel_call.hpp"

// Values of the device compiler.
enum pipe_t {
    PIPE_S = 0,
    PIPE_V = 1,
    PIPE_M = 2,
    PIPE_MTE1 = 3,
    PIPE_MTE2 = 4,
    PIPE_MTE3 = 5,
    PIPE_ALL = 6,
    PIPE_FIX = 10,
};

enum event_t : int32_t {
    EVENT_ID0 = 0,
    EVENT_ID1 = 1,
    EVENT_ID2 = 2,
    EVENT_ID3 = 3,
    EVENT_ID4 = 4,
    EVENT_ID5 = 5,
    EVENT_ID6 = 6,
    EVENT_ID7 = 7,
};
#define EVENT_ID_MAX 8

namespace pto::ptosim_detail {

#ifdef PTO_NPU_ARCH_A2A3
inline constexpr bool kA2A3 = true;
#else
inline constexpr bool kA2A3 = false;
#endif

// Selects the half of the kernel that is compiled.
#ifdef __DAV_CUBE__
inline constexpr bool kOnCube = true;
#else
inline constexpr bool kOnCube = false;
#endif
#ifdef __DAV_VEC__
inline constexpr bool kOnVector = !kOnCube;
#else
inline constexpr bool kOnVector = false;
#endif

constexpr int abi_pipe(pipe_t pipe) {
    constexpr int kPipes[] = {PTOSIM_PIPE_S,    PTOSIM_PIPE_V,    PTOSIM_PIPE_M,  PTOSIM_PIPE_MTE1,
                              PTOSIM_PIPE_MTE2, PTOSIM_PIPE_MTE3, PTOSIM_PIPE_ALL};
    return pipe == PIPE_FIX ? static_cast<int>(PTOSIM_PIPE_FIX) : kPipes[pipe];
}

PTOSIM_PLACED inline void flag(Opcode opcode, pipe_t source, pipe_t destination, int64_t id,
                               ptosim_location where) {
    issue(opcode, where, {},
          {attribute(PTOSIM_ATTR_SOURCE_PIPE, abi_pipe(source)),
           attribute(PTOSIM_ATTR_DESTINATION_PIPE, abi_pipe(destination)),
           attribute(PTOSIM_ATTR_EVENT, id)});
}

}  // namespace pto::ptosim_detail

// ---- within a core ---------------------------------------------------------------------------
PTOSIM_PLACED inline void set_flag(pipe_t source, pipe_t destination, int64_t id,
                                   PTO_DETAIL_WHERE) {
    pto::ptosim_detail::flag(PTO_DETAIL_OPCODE(SET_FLAG), source, destination, id, where);
}
PTOSIM_PLACED inline void wait_flag(pipe_t source, pipe_t destination, int64_t id,
                                    PTO_DETAIL_WHERE) {
    pto::ptosim_detail::flag(PTO_DETAIL_OPCODE(WAIT_FLAG), source, destination, id, where);
}
PTOSIM_PLACED inline void pipe_barrier(pipe_t pipe, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    issue(PTO_DETAIL_OPCODE(PIPE_BARRIER), where, {},
          {attribute(PTOSIM_ATTR_DESTINATION_PIPE, abi_pipe(pipe))});
}

#ifdef PTO_NPU_ARCH_A5
namespace pto::ptosim_detail {
PTOSIM_PLACED inline void buffer_token(Opcode opcode, pipe_t pipe, int64_t id, int64_t mode,
                                       ptosim_location where) {
    issue(opcode, where, {},
          {attribute(PTOSIM_ATTR_SOURCE_PIPE, abi_pipe(pipe)),
           attribute(PTOSIM_ATTR_DESTINATION_PIPE, abi_pipe(pipe)),
           attribute(PTOSIM_ATTR_EVENT, id), attribute(PTOSIM_ATTR_BUFFER_MODE, mode)});
}
}  // namespace pto::ptosim_detail
PTOSIM_PLACED inline void get_buf(pipe_t pipe, int64_t id, int64_t mode, PTO_DETAIL_WHERE) {
    pto::ptosim_detail::buffer_token(PTO_DETAIL_OPCODE(GET_BUF), pipe, id, mode, where);
}
PTOSIM_PLACED inline void rls_buf(pipe_t pipe, int64_t id, int64_t mode, PTO_DETAIL_WHERE) {
    pto::ptosim_detail::buffer_token(PTO_DETAIL_OPCODE(RLS_BUF), pipe, id, mode, where);
}
#endif

// ---- between cores: a2a3, and all cores of a5 ------------------------------------------------
namespace pto::ptosim_detail {
// Host address of the flags (rtGetC2cCtrlAddr); signals need no address here.
inline uint64_t& flag_address() {
    static uint64_t address = 0;
    return address;
}
inline bool is_flag_address(uint64_t address) { return address != 0 && address == flag_address(); }
}  // namespace pto::ptosim_detail
inline void set_ffts_base_addr(uint64_t address) {
    pto::ptosim_detail::flag_address() = address;
    ptosim_scalar_work(1);
}

inline uint64_t get_ffts_base_addr() { return pto::ptosim_detail::flag_address(); }

// `message`: the count in bits 3:0, the mode in 5:4 (0 all cores of a type, 1 the AIVs of a
// cluster, 2 the AIC with its AIVs), the id in 11:8.
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t message, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    issue(PTO_DETAIL_OPCODE(CROSS_SET), where, {},
          {attribute(PTOSIM_ATTR_SOURCE_PIPE, abi_pipe(pipe)),
           attribute(PTOSIM_ATTR_EVENT, (message >> 8) & 0xf),
           attribute(PTOSIM_ATTR_CROSS_MODE, (message >> 4) & 0x3)});
}
inline void wait_flag_dev(pipe_t pipe, int64_t id, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    issue(PTO_DETAIL_OPCODE(CROSS_WAIT), where, {},
          {attribute(PTOSIM_ATTR_DESTINATION_PIPE, abi_pipe(pipe)),
           attribute(PTOSIM_ATTR_EVENT, id)});
}
inline void wait_flag_dev(int64_t id, PTO_DETAIL_WHERE) { wait_flag_dev(PIPE_ALL, id, where); }

// ---- within a cluster of a5 ------------------------------------------------------------------
// The AIC names its second AIV by an id of 16 to 31.
#ifdef PTO_NPU_ARCH_A5
inline void set_intra_block(pipe_t pipe, int64_t id, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    issue(PTO_DETAIL_OPCODE(INTRA_SET), where, {},
          {attribute(PTOSIM_ATTR_SOURCE_PIPE, abi_pipe(pipe)), attribute(PTOSIM_ATTR_EVENT, id)});
}
inline void wait_intra_block(pipe_t pipe, int64_t id, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    issue(PTO_DETAIL_OPCODE(INTRA_WAIT), where, {},
          {attribute(PTOSIM_ATTR_DESTINATION_PIPE, abi_pipe(pipe)),
           attribute(PTOSIM_ATTR_EVENT, id)});
}
#endif
