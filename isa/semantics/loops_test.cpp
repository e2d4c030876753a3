// Loops against each other; golden_test.cpp compares them with numpy through the instructions.
#include "isa/semantics/loops.h"

#include <catch2/catch.hpp>
#include <vector>

#include "isa/semantics/walks.h"

using namespace ptosim;
using namespace ptosim::semantics;

namespace {

constexpr int kLanes = 1100;  // more than the intermediate results of 16-bit floats

std::vector<std::byte> arbitrary(size_t size, unsigned seed) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) {
        seed = seed * 1103515245u + 12345u;
        byte = static_cast<std::byte>(seed >> 17);
    }
    return bytes;
}

const std::vector<const BinaryLoops*>& all() {
    static const auto& loops = *new std::vector<const BinaryLoops*>{
        &loops::kAdd, &loops::kSub, &loops::kMul, &loops::kMin,    &loops::kMax,    &loops::kMinOrNan,
        &loops::kShl, &loops::kShr, &loops::kMaxOrNan, &loops::kShlAll, &loops::kShrAll};
    return loops;
}

}  // namespace

TEST_CASE("a loop with one element gives the bytes of the loop with the element in all lanes") {
    int compared = 0;
    for (const BinaryLoops* loops : all())
        for (unsigned number = 0; number < static_cast<unsigned>(DType::kCount); ++number) {
            const auto type = static_cast<DType>(number);
            const ElementLoop with_element = loops->with_element(type);
            if (with_element == nullptr) continue;
            const size_t width = bytes(type, 1);
            const std::vector<std::byte> a = arbitrary(kLanes * width, number);
            for (unsigned seed = 0; seed < 20; ++seed) {
                const std::vector<std::byte> element = arbitrary(width, seed);
                uint64_t bits = 0;
                std::memcpy(&bits, element.data(), width);
                std::vector<std::byte> b(a.size()), expected(a.size()), found(a.size());
                repeat_lane(element.data(), width, kLanes, b.data());
                (*loops)[type](a.data(), b.data(), expected.data(), kLanes);
                with_element(a.data(), bits, found.data(), kLanes);
                CHECK(found == expected);
                ++compared;
            }
        }
    CHECK(compared > 1000);
}

TEST_CASE("a loop may write its result over a source") {
    for (const BinaryLoops* loops : all())
        for (const DType type : {DType::kI8, DType::kU16, DType::kI32, DType::kI64}) {
            const std::vector<std::byte> a = arbitrary(kLanes * bytes(type, 1), 1), b = arbitrary(a.size(), 2);
            std::vector<std::byte> expected(a.size()), first = a, second = b;
            (*loops)[type](a.data(), b.data(), expected.data(), kLanes);
            (*loops)[type](first.data(), b.data(), first.data(), kLanes);
            (*loops)[type](a.data(), second.data(), second.data(), kLanes);
            CHECK(first == expected);
            CHECK(second == expected);
        }
}

TEST_CASE("comparisons of floats leave NaN unordered, and -0 equals +0") {
    const float nan = std::bit_cast<float>(kCanonicalNanF32);
    const std::array<float, 5> a{1, 2, nan, -0.0F, 3}, b{2, 2, 1, 0.0F, nan};
    // By IEEE 754: lane 0 is less, lanes 1 and 3 are equal, lanes 2 and 4 are unordered.
    const std::array<std::pair<CompareMode, unsigned>, 6> expected{
        {{CompareMode::kEq, 0b01010}, {CompareMode::kNe, 0b10101}, {CompareMode::kLt, 0b00001},
         {CompareMode::kLe, 0b01011}, {CompareMode::kGt, 0}, {CompareMode::kGe, 0b01010}}};
    for (const auto& [mode, lanes] : expected) {
        std::array<std::byte, 5> holds{};
        compare_run(mode, DType::kF32, reinterpret_cast<const std::byte*>(a.data()),
                    reinterpret_cast<const std::byte*>(b.data()), holds.data(), 5);
        unsigned found = 0;
        for (size_t i = 0; i < holds.size(); ++i) found |= std::to_integer<unsigned>(holds[i]) << i;
        CHECK(found == lanes);
    }
}
