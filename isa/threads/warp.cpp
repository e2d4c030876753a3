#include "isa/threads/warp.h"

#include <bit>

#include "isa/threads/typed.h"

namespace ptosim {
namespace {

template <class T, class F>
T reduced(uint32_t active, const std::array<WarpRequest, kWarpLanes>& requests, F&& combine) {
    std::array<T, kWarpLanes> values{};
    unsigned count = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        if ((active >> lane & 1) != 0) values[count++] = from_low_bits<T>(requests[lane].value);
    // Neighbours first.
    for (; count > 1; count = (count + 1) / 2)
        for (unsigned i = 0; i < count; i += 2) values[i / 2] = i + 1 < count ? combine(values[i], values[i + 1]) : values[i];
    return values[0];
}

uint64_t reduction(uint32_t active, const std::array<WarpRequest, kWarpLanes>& requests, const WarpRequest& first) {
    uint64_t result = 0;
    with_thread_type(first.type, [&](auto zero) {
        using T = decltype(zero);
        switch (first.operation) {
            case WarpOperation::kAdd:
                result = low_bits(reduced<T>(active, requests, &sum_of<T>));
                break;
            case WarpOperation::kMax:
                result = low_bits(reduced<T>(active, requests, &greater_of<T>));
                break;
            default:
                result = low_bits(reduced<T>(active, requests, &lesser_of<T>));
                break;
        }
    });
    return result;
}

}  // namespace

unsigned shuffle_source(const WarpRequest& request, unsigned lane) {
    const unsigned width = request.width > 0 && request.width <= 32 ? static_cast<unsigned>(request.width) : kWarpLanes;
    const unsigned begin = lane / width * width, within = lane % width;
    const auto operand = static_cast<uint32_t>(request.operand);
    switch (request.operation) {
        case WarpOperation::kShuffle:
            return begin + operand % width;
        case WarpOperation::kShuffleUp:
            return operand > within ? lane : lane - operand;
        case WarpOperation::kShuffleDown:
            return operand >= width - within ? lane : lane + operand;
        case WarpOperation::kShuffleXor: {
            const unsigned source = lane ^ operand;
            return source >= begin + width || source >= kWarpLanes ? lane : source;
        }
        default:
            return lane;
    }
}

std::array<uint64_t, kWarpLanes> warp_results(uint32_t active, const std::array<WarpRequest, kWarpLanes>& requests) {
    std::array<uint64_t, kWarpLanes> results{};
    if (active == 0) return results;
    const WarpRequest& first = requests[static_cast<unsigned>(std::countr_zero(active))];
    uint32_t voters = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        if ((active >> lane & 1) != 0 && requests[lane].value != 0) voters |= 1u << lane;
    uint64_t all = 0;
    switch (first.operation) {
        case WarpOperation::kAll:
            all = voters == active ? 1 : 0;
            break;
        case WarpOperation::kAny:
            all = voters != 0 ? 1 : 0;
            break;
        case WarpOperation::kBallot:
            all = voters;
            break;
        case WarpOperation::kActive:
            all = active;
            break;
        case WarpOperation::kUniform:
            all = first.value;
            break;
        case WarpOperation::kAdd:
        case WarpOperation::kMax:
        case WarpOperation::kMin:
            all = reduction(active, requests, first);
            break;
        default:
            break;
    }
    const bool shuffles = first.operation >= WarpOperation::kShuffle && first.operation <= WarpOperation::kShuffleXor;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        if ((active >> lane & 1) != 0)
            results[lane] = shuffles ? requests[shuffle_source(requests[lane], lane)].value : all;
    return results;
}

}  // namespace ptosim
