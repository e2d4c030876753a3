#include <catch2/catch.hpp>

#include <bit>

#include "isa/threads/atomic.h"
#include "isa/threads/function.h"
#include "isa/threads/warp.h"

namespace ptosim {
namespace {

using Requests = std::array<WarpRequest, kWarpLanes>;

// Each lane asks with its number as the value.
Requests numbered(WarpOperation operation, int32_t operand, int32_t width = 32) {
    Requests requests;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) requests[lane] = {operation, DType::kU32, lane, operand, width};
    return requests;
}

uint64_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

TEST_CASE("shuffles stay in their group of lanes") {
    constexpr uint32_t kAll = 0xffffffff;
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffle, 3))[9] == 3);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffle, 3, 8))[9] == 11);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffle, 10, 8))[9] == 10);  // modulo the width
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleUp, 2))[1] == 1);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleUp, 2))[5] == 3);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleUp, 2, 4))[5] == 5);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleDown, 2))[31] == 31);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleDown, 2))[5] == 7);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleDown, 2, 4))[6] == 6);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleXor, 1))[6] == 7);
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleXor, 8, 8))[3] == 3);   // a higher group
    CHECK(warp_results(kAll, numbered(WarpOperation::kShuffleXor, 8, 8))[11] == 3);  // a lower one
}

TEST_CASE("votes and reductions are those of the active lanes") {
    const uint32_t odd = 0xaaaaaaaa;
    CHECK(warp_results(odd, numbered(WarpOperation::kBallot, 0))[1] == odd);
    CHECK(warp_results(0x3, numbered(WarpOperation::kBallot, 0))[1] == 0x2);  // lane 0 votes 0
    CHECK(warp_results(0x3, numbered(WarpOperation::kAll, 0))[0] == 0);
    CHECK(warp_results(0x6, numbered(WarpOperation::kAll, 0))[1] == 1);
    CHECK(warp_results(0x1, numbered(WarpOperation::kAny, 0))[0] == 0);
    CHECK(warp_results(odd, numbered(WarpOperation::kActive, 0))[31] == odd);
    CHECK(warp_results(odd, numbered(WarpOperation::kAdd, 0))[31] == 256);
    CHECK(warp_results(odd, numbered(WarpOperation::kMax, 0))[1] == 31);
    CHECK(warp_results(odd, numbered(WarpOperation::kMin, 0))[1] == 1);
    CHECK(warp_results(odd, numbered(WarpOperation::kUniform, 0))[31] == 1);
    Requests floats;
    for (WarpRequest& request : floats) request = {WarpOperation::kAdd, DType::kF32, bits_of(0.5f), 0, 32};
    CHECK(warp_results(0xff, floats)[0] == bits_of(4.0f));
}

TEST_CASE("atomic operations") {
    const auto of = [](ThreadAtomic operation, DType type, uint64_t before, uint64_t value, uint64_t compare = 0) {
        return atomic_result(operation, type, before, value, compare);
    };
    CHECK(of(ThreadAtomic::kAdd, DType::kI32, 0xffffffff, 2) == 1);
    CHECK(of(ThreadAtomic::kAdd, DType::kF32, bits_of(1.5f), bits_of(2)) == bits_of(3.5f));
    CHECK(of(ThreadAtomic::kSub, DType::kU64, 1, 2) == UINT64_MAX);
    CHECK(of(ThreadAtomic::kMax, DType::kI32, 0xffffffff, 2) == 2);
    CHECK(of(ThreadAtomic::kMax, DType::kU32, 0xffffffff, 2) == 0xffffffff);
    CHECK(of(ThreadAtomic::kInc, DType::kU32, 5, 5) == 0);
    CHECK(of(ThreadAtomic::kInc, DType::kU32, 4, 5) == 5);
    CHECK(of(ThreadAtomic::kDec, DType::kU32, 0, 5) == 5);
    CHECK(of(ThreadAtomic::kDec, DType::kU32, 6, 5) == 5);
    CHECK(of(ThreadAtomic::kDec, DType::kU32, 5, 5) == 4);
    CHECK(of(ThreadAtomic::kCompare, DType::kU32, 7, 9, 7) == 9);
    CHECK(of(ThreadAtomic::kCompare, DType::kU32, 7, 9, 8) == 7);
    CHECK(of(ThreadAtomic::kXor, DType::kU32, 6, 3) == 5);
    CHECK_FALSE(of(ThreadAtomic::kInc, DType::kI32, 0, 1));
    CHECK_FALSE(of(ThreadAtomic::kExchange, DType::kF16, 0, 1));
    CHECK_FALSE(of(ThreadAtomic::kAnd, DType::kF32, 0, 1));
}

TEST_CASE("functions of numbers") {
    CHECK(function_result(ThreadFunction::kSqrt, DType::kF32, bits_of(2.25f), 0) == bits_of(1.5f));
    CHECK(function_result(ThreadFunction::kRint, DType::kF32, bits_of(2.5f), 0) == bits_of(2));
    CHECK(function_result(ThreadFunction::kRound, DType::kF32, bits_of(2.5f), 0) == bits_of(3));
    CHECK(function_result(ThreadFunction::kFloor, DType::kF32, bits_of(-0.5f), 0) == bits_of(-1));
    CHECK(function_result(ThreadFunction::kPow, DType::kF32, bits_of(3), bits_of(4)) == bits_of(81));
    CHECK(function_result(ThreadFunction::kExp, DType::kF16, 0, 0) == 0x3c00);
    CHECK_FALSE(function_result(ThreadFunction::kExp, DType::kI32, 0, 0));
}

}  // namespace
}  // namespace ptosim
