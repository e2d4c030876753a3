#include <algorithm>
#include <limits>

#include "isa/intrinsics/vector_row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/ordering.h"
#include "isa/semantics/reduction_trees.h"

namespace ptosim::vector_operations {
namespace {

using namespace ptosim::semantics;

// The number that changes no maximum, or no minimum.
template <typename T>
T neutral(bool greatest) {
    if constexpr (is_float_v<T>)
        return round_to<T>(greatest ? -std::numeric_limits<float>::infinity()
                                    : std::numeric_limits<float>::infinity());
    else
        return greatest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
}

// Lanes, `other` where they are not active.
template <typename T>
std::array<T, VectorLanes::kLanes<T>> active_or(const VectorLanes& v, T other) {
    auto lanes = v.source<T>(0);
    for (int i = 0; i < VectorLanes::kLanes<T>; ++i)
        if (!v.active(i, sizeof(T))) lanes[i] = other;
    return lanes;
}

template <typename T>
void set_first(VectorLanes& v, const T* lanes, int count) {
    std::memset(v.result_bytes(), 0, kVectorBytes);
    std::memcpy(v.result_bytes(), lanes, count * sizeof(T));
}

template <typename T>
T sum(T* lanes, int count) {
    return combine_neighbours(lanes, count, [](T a, T b) { return add_lane(a, b); });
}

// The type of a sum.
template <typename T>
using Sum = std::conditional_t<
    std::is_same_v<T, int8_t>, int16_t,
    std::conditional_t<
        std::is_same_v<T, uint8_t>, uint16_t,
        std::conditional_t<std::is_same_v<T, int16_t>, int32_t,
                           std::conditional_t<std::is_same_v<T, uint16_t>, uint32_t, T>>>>;

template <bool kGreatest>
void extremum(VectorLanes& v) {
    const BetterLane<kGreatest> better{v.numerics()};
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        const auto lanes = active_or<T>(v, neutral<T>(kGreatest));
        T best = lanes[0];
        int at = 0;
        for (int i = 1; i < VectorLanes::kLanes<T>; ++i)
            if (better(lanes[i], best)) {
                best = lanes[i];
                at = i;
            }
        std::memset(v.result_bytes(), 0, kVectorBytes);
        std::memcpy(v.result_bytes(), &best, sizeof(T));
        std::memcpy(v.result_bytes() + sizeof(T), &at, std::min(sizeof(T), sizeof(at)));
    });
}

constexpr int kBlocks = kVectorBytes / kBlockBytes;

template <bool kGreatest>
void extrema_of_blocks(VectorLanes& v) {
    const Extreme<kGreatest> of_two{v.numerics()};
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        constexpr int kBlock = kBlockBytes / sizeof(T);
        const auto lanes = active_or<T>(v, neutral<T>(kGreatest));
        std::array<T, kBlocks> out;
        for (int block = 0; block < kBlocks; ++block) {
            out[block] = lanes[block * kBlock];
            for (int i = 1; i < kBlock; ++i)
                out[block] = of_two(out[block], lanes[block * kBlock + i]);
        }
        set_first(v, out.data(), kBlocks);
    });
}

}  // namespace

void VCADD(VectorLanes& v) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        const auto lanes = active_or<T>(v, zero<T>());
        std::array<Sum<T>, VectorLanes::kLanes<T>> wide;
        for (int i = 0; i < VectorLanes::kLanes<T>; ++i) wide[i] = lanes[i];
        const Sum<T> result = sum(wide.data(), VectorLanes::kLanes<T>);
        set_first(v, &result, 1);
    });
}
void VCMAX(VectorLanes& v) { extremum<true>(v); }
void VCMIN(VectorLanes& v) { extremum<false>(v); }

void VCGADD(VectorLanes& v) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        constexpr int kBlock = kBlockBytes / sizeof(T);
        auto lanes = active_or<T>(v, zero<T>());
        std::array<T, kBlocks> out;
        for (int block = 0; block < kBlocks; ++block)
            out[block] = sum(lanes.data() + block * kBlock, kBlock);
        set_first(v, out.data(), kBlocks);
    });
}
void VCGMAX(VectorLanes& v) { extrema_of_blocks<true>(v); }
void VCGMIN(VectorLanes& v) { extrema_of_blocks<false>(v); }

void VCPADD(VectorLanes& v) {
    visit_float(v.operation().type, [&](auto type) {
        using T = decltype(type);
        const auto lanes = active_or<T>(v, zero<T>());
        std::array<T, VectorLanes::kLanes<T> / 2> out;
        for (int i = 0; i < VectorLanes::kLanes<T> / 2; ++i)
            out[i] = add_lane(lanes[2 * i], lanes[2 * i + 1]);
        set_first(v, out.data(), VectorLanes::kLanes<T> / 2);
    });
}

// Counts of 128 values are the lanes of a register.
void DHISTV2(VectorLanes& v) {
    auto counts = v.source<uint16_t>(0);
    const auto lanes = v.source<uint8_t>(1);
    const int first = v.operation().mode == VectorMode::kHigher ? 128 : 0;
    for (int i = 0; i < VectorLanes::kLanes<uint8_t>; ++i)
        if (v.active(i, 1) && lanes[i] / 128 == first / 128) ++counts[lanes[i] - first];
    std::memcpy(v.result_bytes(), counts.data(), kVectorBytes);
}

void CHISTV2(VectorLanes& v) {
    auto counts = v.source<uint16_t>(0);
    const auto lanes = v.source<uint8_t>(1);
    const int first = v.operation().mode == VectorMode::kHigher ? 128 : 0;
    for (int i = 0; i < VectorLanes::kLanes<uint8_t>; ++i)
        if (v.active(i, 1))
            for (int n = std::max(0, lanes[i] - first); n < 128; ++n) ++counts[n];
    std::memcpy(v.result_bytes(), counts.data(), kVectorBytes);
}

}  // namespace ptosim::vector_operations

namespace ptosim::vector_rows {
#include "isa/intrinsics/vector_reduce.def"
}
