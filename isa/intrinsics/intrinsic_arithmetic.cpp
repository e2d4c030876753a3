#include "isa/intrinsics/intrinsic_row.h"
#include "isa/numeric/functions.h"

namespace ptosim::intrinsics {
namespace {

using enum VectorOpcode;
using namespace ptosim::semantics;

constexpr uint32_t kSrc0 = 1, kSrc1 = 2;

// Bits of a scalar argument, the first after the addresses, as an element of the type that lanes
// are computed in.
uint64_t scalar_bits(const IntrinsicRun& run) {
    const unsigned at = address_argument(run.row, kSrc0) + 1;
    const DType from = run.type(kSrc0), to = run.type(kDst);
    const uint64_t bits_of = run.argument(at);
    return from == to ? bits_of
                      : convert_bits(to, from, bits_of, RoundMode::kRint, Saturation::kOff);
}

// One operation of the a5 level on registers.
template <VectorOpcode kOp, uint32_t... kSources>
void lanewise(IntrinsicRun& run) {
    const DType type = run.type(kDst);
    const bool has_scalar = run.row.form.signature.find('x') != std::string_view::npos;
    const uint64_t scalar = has_scalar ? scalar_bits(run) : 0;
    run.for_repeats([&] {
        run.load_all(type);
        run.calculate({.opcode = kOp, .type = type, .sources = {kSources...}, .scalar = scalar});
        run.store(IntrinsicRun::kResult, kDst);
    });
}

// Registers of the operands to kResult.
using Step = void (*)(IntrinsicRun&, DType type);

void lane_sum(IntrinsicRun& run, DType type) {
    run.calculate({.opcode = kVADD, .type = type, .sources = {kSrc0, kSrc1}});
}
void lane_difference(IntrinsicRun& run, DType type) {
    run.calculate({.opcode = kVSUB, .type = type, .sources = {kSrc0, kSrc1}});
}
// kResult + register `to`, after a product that has been rounded.
void add_to(IntrinsicRun& run, DType type, uint32_t to) {
    run.calculate({.opcode = kVADD, .type = type, .sources = {IntrinsicRun::kResult, to}});
}
void fused_with_destination(IntrinsicRun& run, DType type) {
    if (type == DType::kF16 && run.numerics() == Numerics::kA2A3) {
        run.calculate({.opcode = kVMUL, .type = type, .sources = {kSrc0, kDst}});
        add_to(run, type, kSrc1);
    } else {
        run.calculate({.opcode = kVMADD, .type = type, .sources = {kSrc0, kDst, kSrc1}});
    }
}

void product_into_sum(IntrinsicRun& run, DType type) {
    run.calculate({.opcode = kVMUL, .type = type, .sources = {kSrc0, kSrc1}});
    add_to(run, type, kDst);
}
void scaled_into_sum(IntrinsicRun& run, DType type) {
    run.calculate({.opcode = kVMULS, .type = type, .sources = {kSrc0}, .scalar = scalar_bits(run)});
    add_to(run, type, kDst);
}

template <Step kStep, bool kRelu = false>
void stepwise(IntrinsicRun& run) {
    const DType type = run.type(kDst);
    run.for_repeats([&] {
        run.load_all(type);
        kStep(run, type);
        if (kRelu)
            run.calculate({.opcode = kVRELU, .type = type, .sources = {IntrinsicRun::kResult}});
        run.store(IntrinsicRun::kResult, kDst);
    });
}

// f of each lane of src, which is a T.
template <typename T, typename F>
void map_lanes(IntrinsicRun& run, F f) {
    run.for_repeats([&] {
        run.load(kSrc0, kSrc0);
        for (unsigned i = 0; i < run.lanes(); ++i)
            store(run.register_bytes(IntrinsicRun::kResult) + i * sizeof(T),
                  f(load<T>(run.register_bytes(kSrc0) + i * sizeof(T))));
        run.saturate(IntrinsicRun::kResult, run.type(kDst));
        run.store(IntrinsicRun::kResult, kDst);
    });
}

constexpr unsigned kDistance = 2, kRoundFlag = 8;  // arguments of shifts

template <typename T>
T distance_of(const IntrinsicRun& run) {
    return static_cast<T>(std::min<uint64_t>(run.argument(kDistance), 8 * sizeof(T)));
}

void shift_left(IntrinsicRun& run) {
    visit_integer(run.type(kDst), [&](auto type) {
        using T = decltype(type);
        const T distance = distance_of<T>(run);
        map_lanes<T>(run, [distance](T a) { return shl_all_lane(a, distance); });
    });
}
void shift_right(IntrinsicRun& run) {
    const bool rounds = run.argument(kRoundFlag) != 0;
    visit_integer(run.type(kDst), [&](auto type) {
        using T = decltype(type);
        const T distance = distance_of<T>(run);
        map_lanes<T>(run, [=](T a) {
            const T shifted = shr_all_lane(a, distance);
            if (!std::is_signed_v<T> || !rounds || distance == 0) return shifted;
            const T last = shr_lane(a, static_cast<T>(distance - 1)) & 1;
            return add_lane(shifted, last);
        });
    });
}

void inverse_root(IntrinsicRun& run) {
    visit_float(run.type(kDst), [&](auto type) {
        using T = decltype(type);
        map_lanes<T>(run, [](T a) { return rsqrt_rn(a); });
    });
}
void reciprocal(IntrinsicRun& run) {
    visit_float(run.type(kDst), [&](auto type) {
        using T = decltype(type);
        map_lanes<T>(run, [](T a) { return div_lane(round_to<T>(1.0F), a); });
    });
}

// Unlike VLRELU, scaled at 0.
void leaky(IntrinsicRun& run) {
    visit_float(run.type(kDst), [&](auto type) {
        using T = decltype(type);
        const T slope = from_bits<dtype_of<T>()>(scalar_bits(run));
        map_lanes<T>(run, [slope](T a) { return to_float(a) > 0 ? a : mul_lane(a, slope); });
    });
}

constexpr IntrinsicForm kScalarIntoSum{"u0l" "r1l" "x--" "n--" "b0-" "b1-" "s0-" "s1-"};
constexpr IntrinsicForm kShift{"w0l" "r1l" "i--" "n--" "b0-" "b1-" "s0-" "s1-"};
constexpr IntrinsicForm kShiftRight{"w0l" "r1l" "i--" "n--" "b0-" "b1-" "s0-" "s1-" "i--"};
constexpr auto kReluTypes = intrinsic_rows::all_of(DType::kF16, DType::kF32, DType::kI16);
constexpr auto kReluOneTypes = intrinsic_rows::all_of(DType::kF16, DType::kF32, DType::kI32);
constexpr std::array<IntrinsicTypes, 3> kAccumulatorTypes{
    {{{DType::kF16, DType::kF16, DType::kF16}},
     {{DType::kF32, DType::kF32, DType::kF32}},
     {{DType::kF32, DType::kF16, DType::kF16}}}};
constexpr auto kScalarIntoSumTypes = kAccumulatorTypes;

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_arithmetic.def"
}
