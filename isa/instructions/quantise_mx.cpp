// Quantisation to block-scaled (MX) floats: 32 elements share an e8m0 exponent.
#include "isa/instructions/quantise_rules.h"
#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

namespace {

constexpr uint32_t kInfinity32 = 0x7F800000u;

// Stored values of a group: its e8m0 exponent, and the factor 2^(127 - exponent) as a float.
struct Shared {
    uint8_t exponent;
    float scaling;
};

float scaling_of(uint8_t exponent) {
    if (exponent == 0xFF) return std::bit_cast<float>(0x7FC00000u);
    if (exponent == 0xFE) return 0x1p-127F;
    return std::bit_cast<float>(static_cast<uint32_t>(254 - exponent) << 23);
}

// The exponent of the largest magnitude, less the largest exponent of the target (8 of e4m3, 2 of
// e2m1); at least 0. Subnormal magnitudes count as zero, an infinity as 2^128.
Shared shared_ocp(float largest, uint32_t target_exponent) {
    const auto raw = std::bit_cast<uint32_t>(largest);
    if (raw > kInfinity32) return {0xFF, scaling_of(0xFF)};
    const uint32_t exponent = raw >> 23;
    const auto shared =
        static_cast<uint8_t>(exponent <= target_exponent ? 0 : exponent - target_exponent);
    return {shared, scaling_of(shared)};
}

// The smallest power of two that is at least largest / limit, the quotient computed in f32 by the
// rounded reciprocal.
Shared shared_nvidia(float largest, float limit) {
    const float quotient = mul(largest, 1.0F / limit);
    const auto raw = std::bit_cast<uint32_t>(quotient);
    if (raw > kInfinity32) return {0xFF, scaling_of(0xFF)};
    if (raw == kInfinity32) return {0xFE, scaling_of(0xFE)};
    const uint32_t exponent = raw >> 23;
    const uint32_t fraction = raw & 0x7FFFFFu;
    const bool up = fraction > 0 && exponent != 0xFE && !(exponent == 0 && fraction <= 0x400000u);
    const auto shared = static_cast<uint8_t>(exponent + (up ? 1 : 0));
    return {shared, scaling_of(shared)};
}

// A target element: scaled, rounded to nearest even, saturated. A NaN is a NaN of e4m3, and the
// largest value of e2m1, which has none.
uint8_t encode_lane(DType target, float value, float scaling) {
    const float scaled = mul(value, scaling);
    if (target == DType::kE2M1 && is_nan(scaled)) return 7;
    return static_cast<uint8_t>(convert_bits(target, DType::kF32, std::bit_cast<uint32_t>(scaled),
                                             RoundMode::kRint, Saturation::kOn));
}

// For f16, a5 keeps the maxima for OCP scales as bf16 (profile rule mx-maximum-as-bf16).
uint16_t truncated_bfloat16(float value) {
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
}

void write_element(const Tile& tile, std::byte* base, int row, int col, uint8_t value) {
    const int64_t at = tile.index(row, col);
    if (bits(tile.dtype) == 8) {
        base[at] = static_cast<std::byte>(value);
        return;
    }
    const auto shift = static_cast<unsigned>(at % 2 * 4);
    base[at / 2] =
        (base[at / 2] & (std::byte{0xF0} >> shift)) | (static_cast<std::byte>(value) << shift);
}

// Position of a group's exponent in boxes of 16 rows and 2 groups, ordered by rows (hw-native-sys/pto-isa
// include/pto/cpu/TQuant.hpp, ReorderExponentZZ).
int64_t place_in_boxes(int row, int group, int groups) {
    const int64_t box = int64_t{row / 16} * (groups / 2) + group / 2;
    return box * 32 + row % 16 * 2 + group % 2;
}

}  // namespace

// Operands (dst, src, exp, max, scaling, [exp_zz]). Groups are 32 neighbours of a row, or of a column. `max` gets the
// largest magnitude of each (NaN if there is one) in the type of src, `scaling` the factor: f32, or the bits of a bf16
// for 16-bit sources. Along rows, max and scaling are contiguous from the tile's address, and so are exponents in a
// tile of one row. exp_zz gets the exponents again, in the order of the cube's scales (hw-native-sys/pto-isa
// docs/isa/TQUANT.md; hw-native-sys/PTOAS docs, pto.tquant.mx).
void TQUANT_MX(const Execution& e) {
    const Tile& from = e.tile(1);
    const Tile& exponents = e.tile(2);
    const Attributes& modes = e.instruction.attributes;
    const bool fp4 = modes.quant == QuantType::kMxFp4E2M1;
    const DType target = fp4 ? DType::kE2M1 : DType::kE4M3;
    const bool down = modes.group_rows;
    std::byte* const boxed = e.instruction.operand_count > 5 ? e.bytes[5] : nullptr;
    const int lines = down ? from.valid_cols : from.valid_rows;
    const int length = down ? from.valid_rows : from.valid_cols;
    const int groups = mx_groups(length);
    visit_float(from.dtype, [&](auto type) {
        using T = decltype(type);
        for (int line = 0; line < lines; ++line)
            for (int group = 0; group < groups; ++group) {
                float values[kMxGroup] = {};
                float largest = 0;
                const int count = std::min(kMxGroup, length - group * kMxGroup);
                for (int i = 0; i < count; ++i) {
                    const int along = group * kMxGroup + i;
                    values[i] = to_float(
                        read_lane<T>(from, e.bytes[1], down ? along : line, down ? line : along));
                    const float size = abs_lane(values[i]);
                    if (!is_nan(largest) && !(size <= largest)) largest = size;
                }
                const Shared shared = modes.nvidia_scale
                                          ? shared_nvidia(largest, fp4 ? 6.0F : 448.0F)
                                          : shared_ocp(largest, fp4 ? 2 : 8);
                const int64_t flat = int64_t{line} * groups + group;
                const auto offset_in = [&](const Tile& tile, bool compact) {
                    if (compact) return flat;
                    return down ? tile.index(group, line) : tile.index(line, group);
                };
                constexpr auto kSize = static_cast<int64_t>(sizeof(T));
                // Interleaved: the exponents of two neighbouring groups of a column together.
                const int64_t exponent_place =
                    modes.interleave ? exponents.index(group / 2, 2 * line + group % 2)
                                     : offset_in(exponents, !down && exponents.rows == 1);
                e.bytes[2][exponent_place] = static_cast<std::byte>(shared.exponent);
                if (boxed != nullptr)
                    boxed[place_in_boxes(line, group, groups)] =
                        static_cast<std::byte>(shared.exponent);
                std::byte* const maximum = e.bytes[3] + offset_in(e.tile(3), !down) * kSize;
                if (std::is_same_v<T, Half> && !modes.nvidia_scale && is_a5(e.numerics))
                    store(maximum, truncated_bfloat16(largest));
                else
                    store(maximum, round_to<T>(largest));
                std::byte* const scaling = e.bytes[4] + offset_in(e.tile(4), !down) * kSize;
                if constexpr (std::is_same_v<T, float>)
                    store(scaling, shared.scaling);
                else
                    store(scaling, round_to<BFloat16>(shared.scaling));
                for (int i = 0; i < count; ++i) {
                    const int along = group * kMxGroup + i;
                    write_element(e.tile(0), e.bytes[0], down ? along : line, down ? line : along,
                                  encode_lane(target, values[i], shared.scaling));
                }
            }
    });
}

}  // namespace ptosim::semantics
