#include <algorithm>
#include <cmath>

#include "isa/intrinsics/intrinsic_row.h"
#include "isa/semantics/convert_lanes.h"

namespace ptosim::intrinsics {
namespace {

using namespace ptosim::semantics;

constexpr uint32_t kTo = 0, kFrom = 1;

template <RoundMode kRound = RoundMode::kRint>
void converted(IntrinsicRun& run) {
    const DType to = run.type(kTo), from = run.type(kFrom);
    run.for_repeats([&] {
        run.load(kFrom, kFrom);
        run.convert(kFrom, from, to, kRound);
        run.store(kFrom, kTo);
    });
}

// f(a, b) in the type of the sources, then to nearest even; integers saturate.
template <VectorOpcode kOp, bool kRelu>
void computed_and_converted(IntrinsicRun& run) {
    constexpr uint32_t kResult = IntrinsicRun::kResult;
    const DType from = run.type(kFrom);
    run.for_repeats([&] {
        run.load(1, 1);
        run.load(2, 2);
        run.calculate({.opcode = kOp, .type = from, .sources = {1, 2}});
        if (kRelu) run.apply({.opcode = VectorOpcode::kVRELU, .type = from, .sources = {kResult}});
        if (is_integer(run.type(kTo)))
            run.convert(kResult, from, run.type(kTo), RoundMode::kRint, Saturation::kOn);
        else
            run.convert(kResult, from, run.type(kTo), RoundMode::kRint);
        run.store(kResult, kTo);
    });
}

constexpr unsigned kDeqScale = 7;  // argument: the register

// f32(src) * f16 scale, each rounded to f32, then to f16.
void dequantise_to_half(IntrinsicRun& run) {
    const float scale = to_float(from_bits<DType::kF16>(run.argument(kDeqScale)));
    run.for_repeats([&] {
        run.load(kFrom, kFrom);
        std::byte* const lanes = run.register_bytes(kFrom);
        for (unsigned i = 0; i < run.lanes(); ++i)
            store(lanes + 4 * i, mul(static_cast<float>(load<int32_t>(lanes + 4 * i)), scale));
        run.convert(kFrom, DType::kF32, DType::kF16, RoundMode::kRint);
        run.store(kFrom, kTo);
    });
}

// Fields that set_deqscale writes for i16 to 8 bits: f32 scale, offset of 9 bits from bit 37 on, and whether results
// are signed in bit 46.
struct DeqScale {
    double scale;
    int offset;
    bool is_signed;

    // The product is rounded once, to a whole number.
    uint8_t of(int16_t value) const {
        const double product = std::nearbyint(value * scale);  // exact before: 40 bits
        const double sum = is_nan(static_cast<float>(product)) ? 0.0 : product + offset;
        return static_cast<uint8_t>(static_cast<int>(
            is_signed ? std::clamp(sum, -128.0, 127.0) : std::clamp(sum, 0.0, 255.0)));
    }
};
DeqScale deq_scale(uint64_t parameter) {
    const int offset = static_cast<int>(parameter >> 37 & 0x1FF);
    return {from_bits<DType::kF32>(parameter & 0xFFFFFFFF), offset >= 256 ? offset - 512 : offset,
            (parameter >> 46 & 1) != 0};
}

// By one parameter, or by sixteen in UB, one for each lane of a block.
template <bool kSixteen>
void dequantise_to_byte(IntrinsicRun& run) {
    constexpr unsigned kBlock = 16;
    std::array<DeqScale, kBlock> scales;
    for (unsigned i = 0; i < kBlock; ++i) {
        const uint64_t table = run.argument(kDeqScale) * kBlockBytes;
        scales[i] =
            deq_scale(kSixteen ? run.read<uint64_t>(table + 8 * i) : run.argument(kDeqScale));
    }
    run.for_repeats([&] {
        run.load(kFrom, kFrom);
        std::byte* const to = run.register_bytes(IntrinsicRun::kResult);
        for (unsigned i = 0; i < run.lanes(); ++i)
            store(to + i, scales[i % kBlock].of(load<int16_t>(run.register_bytes(kFrom) + 2 * i)));
        run.store(IntrinsicRun::kResult, kTo);
    });
}

void add_deq_table(const IntrinsicCall& call, std::vector<IntrinsicFootprint>& all) {
    if (all.empty()) return;
    all.push_back({kDeqScale, false, false, false,
                   {{call.arguments[kDeqScale] * kBlockBytes, 128, 0, 1}}});
}

bool check_deq_sign(const IntrinsicCall& call, Problem& problem) {
    const bool is_signed_result = (call.arguments[kDeqScale] >> 46 & 1) != 0;
    if (is_signed_result == (call.types[kTo] == DType::kI8)) return true;
    problem = {.code = "T03",
               .message = "the parameter of set_deqscale is for results of the other sign",
               .hint = "bit 46 is 1 for i8 and 0 for u8",
               .operand = 0};
    return false;
}

bool check_no_high_half(const IntrinsicCall& call, Problem& problem) {
    if (call.arguments[10] == 0) return true;
    problem = {.code = "P01",
               .message = "the last argument of " + std::string(info(call.opcode).name) +
                          " must be false: the effect of true is undocumented",
               .hint = {},
               .operand = 10};
    return false;
}

constexpr IntrinsicForm kBinaryHalves{
    "w0l" "r1l" "r2l" "n--" "b0-" "b1-" "b2-" "s0-" "s1-" "s2-" "i--", kMasked,
    kRepeats, &check_no_high_half};
constexpr IntrinsicForm kDeq{"w0l" "r1l" "n--" "b0-" "b1-" "s0-" "s1-" "Rdq"};
constexpr IntrinsicForm kDeqUpper{"w0U" "r1l" "n--" "b0-" "b1-" "s0-" "s1-" "Rdq",
                                  kMasked, kRepeats,
                                  &check_deq_sign};
constexpr IntrinsicForm kDeqLower{"w0L" "r1l" "n--" "b0-" "b1-" "s0-" "s1-" "Rdq",
                                  kMasked, kRepeats,
                                  &check_deq_sign};
constexpr IntrinsicForm kDeqTableUpper{"w0U" "r1l" "n--" "b0-" "b1-" "s0-" "s1-" "Rdq",
                                       kMasked, kRepeats, nullptr,
                                       &add_deq_table};
constexpr IntrinsicForm kDeqTableLower{"w0L" "r1l" "n--" "b0-" "b1-" "s0-" "s1-" "Rdq",
                                       kMasked, kRepeats, nullptr,
                                       &add_deq_table};
constexpr std::array<IntrinsicTypes, 2> kDeqTypes{{{{DType::kI8, DType::kI16, DType::kI16}},
                                                   {{DType::kU8, DType::kI16, DType::kI16}}}};

// TO_FROM: the types of a conversion.
#define PTO_TYPES(NAME, TO, FROM) \
    constexpr auto NAME = intrinsic_rows::pair_of(DType::TO, DType::FROM)
PTO_TYPES(kF32ToF16, kF16, kF32);
PTO_TYPES(kF32ToBF16, kBF16, kF32);
PTO_TYPES(kF32ToF32, kF32, kF32);
PTO_TYPES(kF32ToS64, kI64, kF32);
PTO_TYPES(kF32ToS32, kI32, kF32);
PTO_TYPES(kF32ToS16, kI16, kF32);
PTO_TYPES(kF16ToF32, kF32, kF16);
PTO_TYPES(kF16ToS32, kI32, kF16);
PTO_TYPES(kF16ToS16, kI16, kF16);
PTO_TYPES(kF16ToS8, kI8, kF16);
PTO_TYPES(kF16ToU8, kU8, kF16);
PTO_TYPES(kF16ToS4, kI4, kF16);
PTO_TYPES(kBF16ToF32, kF32, kBF16);
PTO_TYPES(kBF16ToS32, kI32, kBF16);
PTO_TYPES(kS4ToF16, kF16, kI4);
PTO_TYPES(kS8ToF16, kF16, kI8);
PTO_TYPES(kU8ToF16, kF16, kU8);
PTO_TYPES(kS16ToF16, kF16, kI16);
PTO_TYPES(kS16ToF32, kF32, kI16);
PTO_TYPES(kS16ToS8, kI8, kI16);
PTO_TYPES(kS32ToF16, kF16, kI32);
PTO_TYPES(kS32ToF32, kF32, kI32);
PTO_TYPES(kS32ToS64, kI64, kI32);
PTO_TYPES(kS32ToS16, kI16, kI32);
PTO_TYPES(kS64ToF32, kF32, kI64);
PTO_TYPES(kS64ToS32, kI32, kI64);
#undef PTO_TYPES

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_convert.def"
}
