#include "isa/intrinsics/vector_row.h"
#include "isa/semantics/arithmetic.h"

namespace ptosim::vector_operations {
namespace {

using namespace ptosim::semantics;

// Lanes of a half as lanes twice as wide.
template <bool kSigned>
void widen(VectorLanes& v) {
    const unsigned first = v.operation().mode == VectorMode::kHigher ? kVectorBytes / 2 : 0;
    const auto half = [&](auto narrow, auto wide) {
        using Narrow = decltype(narrow);
        using Wide = decltype(wide);
        std::array<Wide, VectorLanes::kLanes<Wide>> out;
        for (int i = 0; i < VectorLanes::kLanes<Wide>; ++i)
            out[i] = load<Narrow>(v.source_bytes(0) + first + i * sizeof(Narrow));
        v.set_result<Wide>(out);
    };
    switch (bits(v.operation().type)) {
        case 8:
            return kSigned ? half(int8_t{}, int16_t{}) : half(uint8_t{}, uint16_t{});
        case 16:
            return kSigned ? half(int16_t{}, int32_t{}) : half(uint16_t{}, uint32_t{});
        default:
            return kSigned ? half(int32_t{}, int64_t{}) : half(uint32_t{}, uint64_t{});
    }
}

}  // namespace

void VDUPS(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        std::array<T, VectorLanes::kLanes<T>> out;
        out.fill(v.scalar<T>());
        v.set_result<T>(out);
    });
}

void VDUP(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        const auto in = v.source<T>(0);
        std::array<T, VectorLanes::kLanes<T>> out;
        out.fill(v.operation().mode == VectorMode::kHigher ? in.back() : in.front());
        v.set_result<T>(out);
    });
}

void VCI(VectorLanes& v) {
    visit_lanes(v, [&](auto type) {
        using T = decltype(type);
        std::array<T, VectorLanes::kLanes<T>> out;
        const T first = v.scalar<T>();
        for (int i = 0; i < VectorLanes::kLanes<T>; ++i) {
            const bool down = v.operation().mode == VectorMode::kDescending;
            const int steps = down ? VectorLanes::kLanes<T> - 1 - i : i;
            const T step = [&] {
                if constexpr (is_float_v<T>)
                    return round_to<T>(static_cast<float>(steps));
                else
                    return static_cast<T>(steps);
            }();
            out[i] = add_lane(first, step);
        }
        v.set_result<T>(out);
    });
}

void VINTLV(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        constexpr int kHalf = VectorLanes::kLanes<T> / 2;
        const auto a = v.source<T>(0), b = v.source<T>(1);
        std::array<std::array<T, 2 * kHalf>, 2> out;
        for (int i = 0; i < 2 * kHalf; ++i) {
            out[i / kHalf][i % kHalf * 2] = a[i];
            out[i / kHalf][i % kHalf * 2 + 1] = b[i];
        }
        v.set_result<T>(out[0], 0);
        v.set_result<T>(out[1], 1);
    });
}

void VDINTLV(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        constexpr int kHalf = VectorLanes::kLanes<T> / 2;
        const auto a = v.source<T>(0), b = v.source<T>(1);
        std::array<std::array<T, 2 * kHalf>, 2> out;
        for (int i = 0; i < 2 * kHalf; ++i) {
            const auto& from = i < kHalf ? a : b;
            out[0][i] = from[i % kHalf * 2];
            out[1][i] = from[i % kHalf * 2 + 1];
        }
        v.set_result<T>(out[0], 0);
        v.set_result<T>(out[1], 1);
    });
}

void VSQZ(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        const auto in = v.source<T>(0);
        std::array<T, VectorLanes::kLanes<T>> out{};
        int kept = 0;
        for (int i = 0; i < VectorLanes::kLanes<T>; ++i)
            if (v.active(i, sizeof(T))) out[kept++] = in[i];
        std::memcpy(v.result_bytes(), out.data(), kVectorBytes);
        v.squeezed = static_cast<uint32_t>(kept * sizeof(T));
    });
}

void VUSQZ(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        std::array<T, VectorLanes::kLanes<T>> out;
        T before = 0;
        for (int i = 0; i < VectorLanes::kLanes<T>; ++i) {
            out[i] = before;
            before = static_cast<T>(before + (v.active(i, sizeof(T)) ? 1 : 0));
        }
        std::memcpy(v.result_bytes(), out.data(), kVectorBytes);
    });
}

// An index beyond the lanes gives 0.
void VSELR(VectorLanes& v) {
    visit_lane_bits(v, [&](auto type) {
        using T = decltype(type);
        const auto in = v.source<T>(0), index = v.source<T>(1);
        std::array<T, VectorLanes::kLanes<T>> out;
        for (int i = 0; i < VectorLanes::kLanes<T>; ++i)
            out[i] = index[i] < static_cast<unsigned>(VectorLanes::kLanes<T>)
                         ? in[static_cast<size_t>(index[i])]
                         : T{0};
        v.set_result<T>(out);
    });
}

void VPACK(VectorLanes& v) {
    const size_t width = bytes(v.operation().type, 1), half = width / 2;
    std::array<std::byte, kVectorBytes> out{};
    const size_t first = v.operation().mode == VectorMode::kHigher ? kVectorBytes / 2 : 0;
    for (size_t i = 0; i < kVectorBytes / width; ++i)
        std::memcpy(out.data() + first + i * half, v.source_bytes(0) + i * width, half);
    std::memcpy(v.result_bytes(), out.data(), kVectorBytes);
}

void VSUNPACK(VectorLanes& v) { widen<true>(v); }
void VZUNPACK(VectorLanes& v) { widen<false>(v); }

}  // namespace ptosim::vector_operations

namespace ptosim::vector_rows {
#include "isa/intrinsics/vector_rearrange.def"
}
