// Operations on the lanes of a warp (asc-devkit docs/zh/api/SIMT-API, warp functions).
#pragma once

#include <array>
#include <cstdint>

#include "isa/core/thread_run.h"
#include "isa/numeric/dtype.h"

namespace ptosim {

// Numbers of the kernel ABI (ptosim_warp_operation).
enum class WarpOperation : uint8_t {
    kAll,
    kAny,
    kBallot,
    kActive,
    kShuffle,
    kShuffleUp,
    kShuffleDown,
    kShuffleXor,
    kAdd,
    kMax,
    kMin,
    kUniform,
    kCount
};

// The request of a lane. `operand` is the lane, distance or mask of a shuffle in groups of `width` lanes.
struct WarpRequest {
    WarpOperation operation = WarpOperation::kActive;
    DType type = DType::kU32;
    uint64_t value = 0;
    int32_t operand = 0, width = 0;
};

// The lane whose value a shuffle gives to `lane`.
unsigned shuffle_source(const WarpRequest& request, unsigned lane);

// The results of the lanes in `active`, which make the same call together; others are 0. A shuffle from a lane that is
// not active gives what that lane asked last (undefined on a device). Reductions of floats form a tree.
std::array<uint64_t, kWarpLanes> warp_results(uint32_t active, const std::array<WarpRequest, kWarpLanes>& requests);

}  // namespace ptosim
