// Registers by which processors of the AICPU and cores give each other tasks: each core's block of them is memory that
// both sides address. A program maps them by the driver's calls (sim/faces/host/driver.cpp).
#pragma once

#include <cstdint>

#include "isa/core/pipe.h"

namespace ptosim {

class ControlRegisters {
 public:
    // The registers of this process.
    static ControlRegisters& get();

    // Maps the blocks of all cores of the architecture. The address of the first one; 0: there is no room.
    uint64_t map(Arch arch);
    // Address of the block of a cluster's cube core. The blocks of its vector cores follow.
    uint64_t cluster(unsigned index) const { return begin_ + index * kClusterStride; }

    // All words are 0, as when a kernel begins.
    void clear();
    // The number of a core among all of its chip; the core's index if nothing has been mapped.
    unsigned number(CoreType type, unsigned index) const;
    // The number of the processor of the AICPU that is launched as the index-th: of two dies in turn.
    unsigned processor(unsigned index) const;
    // Words of a core's block; null if nothing has been mapped.
    volatile uint64_t* main_base(CoreType type, unsigned index) const { return word(type, index, main_base_); }
    volatile uint64_t* condition(CoreType type, unsigned index) const { return word(type, index, condition_); }

 private:
    // cann/pypto, framework/src/machine: both strides, in bytes.
    static constexpr uint64_t kClusterStride = 8 << 20, kCoreStride = 1 << 20;

    volatile uint64_t* word(CoreType type, unsigned index, uint64_t offset) const;

    uint64_t begin_ = 0;
    Arch arch_ = Arch::kA2A3;
    uint64_t main_base_ = 0, condition_ = 0;  // offsets in a block
};

}  // namespace ptosim
