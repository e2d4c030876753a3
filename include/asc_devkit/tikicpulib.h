// Tests of kernels by names of CANN's CPU debugging: memory that host and kernels share, and
// launches that return when the kernel has ended (asc-devkit's pages on ICPU_RUN_KF, GmAlloc,
// SetKernelMode). Kernels run on the simulated chip.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "acl/acl.h"
#include "kernel_operator.h"
#include "ptosim/device.h"

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE, MIX_AIC_1_1, MIX_AIV_1_0, MIX_AIC_1_0 };

namespace AscendC {

// The cores of a kernel follow from its source.
inline void SetKernelMode(KernelMode) {}

inline void* GmAlloc(size_t size) { return ptosim_shared_memory(size != 0 ? size : 1); }
inline void GmFree(void* memory) { aclrtFree(memory); }

}  // namespace AscendC

namespace ptosim_tests {

// Waits for the kernel; one that fails ends the test.
inline void finish(const char* kernel) {
    if (aclrtSynchronizeDevice() != ACL_SUCCESS)
        throw std::runtime_error(std::string(kernel) + ": the kernel has failed");
}

}  // namespace ptosim_tests

#define ICPU_SET_TILING_KEY(key) ptosim_set_tiling_key(static_cast<uint64_t>(key))
#define ICPU_RUN_KF(kernel, blocks, ...)                     \
    do {                                                     \
        kernel<<<(blocks), nullptr, nullptr>>>(__VA_ARGS__); \
        ::ptosim_tests::finish(#kernel);                     \
    } while (0)
