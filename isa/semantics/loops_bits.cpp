// Loops over bits, shifts and comparisons.
#include "isa/semantics/loop_kinds.h"

namespace ptosim::semantics {

namespace {

constexpr bool has_bytes(DType type) { return bits(type) >= 8; }

template <typename F>
constexpr BinaryLoops by_width(F) {
    BinaryLoops loops;
    for (unsigned i = 0; i < static_cast<unsigned>(DType::kCount); ++i) {
        const auto type = static_cast<DType>(i);
        if (!has_bytes(type)) continue;
        loops.set(type, bits(type) == 8    ? &binary_loop<uint8_t, F>
                        : bits(type) == 16 ? &binary_loop<uint16_t, F>
                        : bits(type) == 32 ? &binary_loop<uint32_t, F>
                                           : &binary_loop<uint64_t, F>);
    }
    return loops;
}
template <typename F>
constexpr UnaryLoops by_width_of_one(F) {
    UnaryLoops loops;
    for (unsigned i = 0; i < static_cast<unsigned>(DType::kCount); ++i) {
        const auto type = static_cast<DType>(i);
        if (!has_bytes(type)) continue;
        loops.set(type, bits(type) == 8    ? &unary_loop<uint8_t, F>
                        : bits(type) == 16 ? &unary_loop<uint16_t, F>
                        : bits(type) == 32 ? &unary_loop<uint32_t, F>
                                           : &unary_loop<uint64_t, F>);
    }
    return loops;
}
template <bool kWrapping, typename F>
constexpr BinaryLoops shifts(F f) {
    BinaryLoops loops;
    set_integers<kWrapping, true>(loops, f);
    return loops;
}

}  // namespace

namespace loops {

constinit const BinaryLoops kAnd = by_width([](auto a, auto b) { return static_cast<decltype(a)>(a & b); });
constinit const BinaryLoops kOr = by_width([](auto a, auto b) { return static_cast<decltype(a)>(a | b); });
constinit const BinaryLoops kXor = by_width([](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); });
constinit const UnaryLoops kNot = by_width_of_one([](auto a) { return static_cast<decltype(a)>(~a); });
constinit const BinaryLoops kShl = shifts<true>([](auto a, auto b) { return shl_lane(a, b); });
constinit const BinaryLoops kShr = shifts<false>([](auto a, auto b) { return shr_lane(a, b); });
constinit const BinaryLoops kShlAll = shifts<true>([](auto a, auto b) { return shl_all_lane(a, b); });
constinit const BinaryLoops kShrAll = shifts<false>([](auto a, auto b) { return shr_all_lane(a, b); });

}  // namespace loops

// ---- choices

namespace {

template <typename T>
void choose_loop(const std::byte* chosen, const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    PTO_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const int64_t at = i * int64_t{sizeof(T)};
        const T one = load<T>(a + at), other = load<T>(b + at);
        store(out + at, chosen[i] != std::byte{0} ? one : other);
    }
}

}  // namespace

void choose_run(size_t width, const std::byte* chosen, const std::byte* a, const std::byte* b, std::byte* out,
                int64_t count) {
    const auto loop = width == 1   ? choose_loop<uint8_t>
                      : width == 2 ? choose_loop<uint16_t>
                      : width == 4 ? choose_loop<uint32_t>
                                   : choose_loop<uint64_t>;
    loop(chosen, a, b, out, count);
}

// ---- comparisons

namespace {

enum class Relation { kEqual, kLess, kLessEqual };

template <typename T, Relation kRelation>
void compare_loop(const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    const auto loop = [=] {
        PTO_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) {
            const T x = load<T>(a + i * int64_t{sizeof(T)}), y = load<T>(b + i * int64_t{sizeof(T)});
            const bool holds =
                kRelation == Relation::kEqual ? x == y : kRelation == Relation::kLess ? x < y : x <= y;
            out[i] = static_cast<std::byte>(holds);
        }
    };
    if constexpr (sizeof(T) == 4)
        widest(loop);
    else
        loop();
}

template <Relation kRelation>
constexpr BinaryLoops relation() {
    // Signs do not matter to equality.
    constexpr bool kEqual = kRelation == Relation::kEqual;
    BinaryLoops loops;
    loops.set(DType::kF32, &compare_loop<float, kRelation>);
    loops.set(DType::kU8, &compare_loop<uint8_t, kRelation>);
    loops.set(DType::kU16, &compare_loop<uint16_t, kRelation>);
    loops.set(DType::kU32, &compare_loop<uint32_t, kRelation>);
    loops.set(DType::kU64, &compare_loop<uint64_t, kRelation>);
    loops.set(DType::kI8, &compare_loop<std::conditional_t<kEqual, uint8_t, int8_t>, kRelation>);
    loops.set(DType::kI16, &compare_loop<std::conditional_t<kEqual, uint16_t, int16_t>, kRelation>);
    loops.set(DType::kI32, &compare_loop<std::conditional_t<kEqual, uint32_t, int32_t>, kRelation>);
    loops.set(DType::kI64, &compare_loop<std::conditional_t<kEqual, uint64_t, int64_t>, kRelation>);
    return loops;
}
constexpr std::array kRelations{relation<Relation::kEqual>(), relation<Relation::kLess>(),
                                relation<Relation::kLessEqual>()};

}  // namespace

void compare_run(CompareMode mode, DType type, const std::byte* a, const std::byte* b, std::byte* out,
                 int64_t count) {
    if (mode == CompareMode::kGt || mode == CompareMode::kGe) std::swap(a, b);
    const bool equal = mode == CompareMode::kEq || mode == CompareMode::kNe;
    const bool less = mode == CompareMode::kLt || mode == CompareMode::kGt;
    const BinaryLoops& loops = kRelations[equal ? 0 : less ? 1 : 2];
    if (type == DType::kF16 || type == DType::kBF16) {
        constexpr int64_t kLanes = 1024;
        alignas(64) float x[kLanes], y[kLanes];
        for (int64_t at = 0; at < count; at += kLanes) {
            const int64_t some = std::min(kLanes, count - at);
            as_floats(type, a + 2 * at, x, some);
            as_floats(type, b + 2 * at, y, some);
            loops[DType::kF32](reinterpret_cast<const std::byte*>(x), reinterpret_cast<const std::byte*>(y), out + at,
                               some);
        }
    } else {
        loops[type](a, b, out, count);
    }
    if (mode == CompareMode::kNe)
        for (int64_t i = 0; i < count; ++i) out[i] ^= std::byte{1};
}

}  // namespace ptosim::semantics
