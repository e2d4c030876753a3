// The flags of a FIFO between the cores of a cluster: which core says what, where, on which id.
//
// One direction has two flags: `ready` (the producer has filled a slot) and `ready + 1` (the
// consumer has emptied some). On a2a3 they are cross-core flags of mode 2, which reach and wait for
// both AIVs; on a5 each AIV has its own, which the AIC names with 16 added for the second AIV
// (hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TPush.hpp).
#pragma once

#include "pto/common/fifo.hpp"
#include "pto/common/flags.hpp"

namespace pto::ptosim_detail {

inline constexpr int kSecondVector = 16;

// `pipe`: whose earlier instructions come first. `both`: for both AIVs, if the AIC sends it.
inline void tell(pipe_t pipe, int id, bool both, ptosim_location where) {
#ifdef PTO_NPU_ARCH_A2A3
    (void)both;
    ffts_cross_core_sync(pipe, 0x21u | static_cast<unsigned>(id) << 8, where);
#else
    set_intra_block(pipe, id, where);
    if (kOnCube && both) set_intra_block(pipe, id + kSecondVector, where);
#endif
}
// `pipe`: whose later instructions wait (a5; on a2a3 the whole core does).
inline void hear(pipe_t pipe, int id, bool both, ptosim_location where) {
#ifdef PTO_NPU_ARCH_A2A3
    (void)pipe, (void)both;
    wait_flag_dev(id, where);
#else
    wait_intra_block(pipe, id, where);
    if (kOnCube && both) wait_intra_block(pipe, id + kSecondVector, where);
#endif
}

// The sides of one direction of a FIFO. `through_memory`: its slots are in global memory.
struct FifoFlags {
    int ready;
    bool through_memory;

    constexpr pipe_t producing() const { return kOnCube ? PIPE_FIX : PIPE_MTE3; }
    constexpr pipe_t consuming() const {
        return through_memory ? PIPE_MTE2 : kOnCube ? PIPE_MTE1 : PIPE_V;
    }
    constexpr pipe_t freeing() const { return !kA2A3 && kOnCube ? PIPE_MTE1 : consuming(); }

    void filled(bool both, ptosim_location where) const { tell(producing(), ready, both, where); }
    void await_filled(bool both, ptosim_location where) const {
        hear(consuming(), ready, both, where);
    }
    void emptied(bool both, ptosim_location where) const {
        tell(freeing(), ready + 1, both, where);
    }
    void await_emptied(bool both, ptosim_location where) const {
        hear(producing(), ready + 1, both, where);
    }
};

}  // namespace pto::ptosim_detail
