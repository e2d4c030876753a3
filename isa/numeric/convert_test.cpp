#include "isa/numeric/convert.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "isa/numeric/format_oracle.h"

using namespace ptosim;
using oracle::Comparison;

namespace {

// Bit patterns of a 32- or 64-bit type: random ones, ones near limits of other types and formats.
std::vector<uint64_t> samples(DType type, size_t count) {
    std::mt19937_64 random(bits(type) + static_cast<uint64_t>(type));
    std::vector<uint64_t> result;
    const uint64_t mask = ~uint64_t{0} >> (64 - bits(type));
    if (is_integer(type)) {
        for (unsigned shift = 0; shift < 64; ++shift) {
            for (uint64_t offset = 0; offset < 7; ++offset) {
                const uint64_t near = (uint64_t{1} << shift) + offset - 3;
                result.push_back(near & mask);
                result.push_back((0 - near) & mask);
                // Midpoints of f32, f16 and bf16 neighbours, and their neighbours.
                for (const unsigned precision : {24u, 11u, 8u}) {
                    if (shift > precision) {
                        const uint64_t half = uint64_t{1} << (shift - precision);
                        result.push_back((near + half) & mask);
                        result.push_back((0 - near - half) & mask);
                        result.push_back((near + 3 * half) & mask);
                    }
                }
            }
        }
    } else {
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int shift = -3; shift < 66; ++shift) {
                for (const float offset : {-1.5F, -1.0F, -0.5F, 0.0F, 0.5F, 1.0F, 1.5F, 0.25F}) {
                    const float x = static_cast<float>(sign) *
                                    (static_cast<float>(std::ldexp(1.0, shift)) + offset);
                    const auto raw = std::bit_cast<uint32_t>(x);
                    for (const uint32_t near : {raw - 1, raw, raw + 1}) result.push_back(near);
                }
            }
        }
        for (const uint32_t raw :
             {0u, 0x80000000u, 0x7F800000u, 0xFF800000u, 0x7FC00000u, 0xFFC00000u, 0x7F800001u, 1u,
              0x80000001u, 0x007FFFFFu, 0x7F7FFFFFu}) {
            result.push_back(raw);
        }
    }
    while (result.size() < count) {
        // Integers of all sizes; floats mostly of exponents that other formats have too.
        const uint64_t raw = random();
        if (is_integer(type))
            result.push_back((raw >> raw % bits(type)) & mask);
        else if (result.size() % 4 == 0)
            result.push_back(raw & mask);
        else
            result.push_back((raw & 0x807FFFFF) | (127 - 40 + raw / 0x1000000 % 110) << 23);
    }
    return result;
}

std::vector<uint64_t> all_or_samples(DType type, size_t count) {
    if (bits(type) > 16) return samples(type, count);
    std::vector<uint64_t> result(size_t{1} << bits(type));
    for (size_t i = 0; i < result.size(); ++i) result[i] = i;
    return result;
}

// E8M0 squares its argument: keep to sources whose squares the model's numbers hold.
bool beyond_the_model(DType to, DType from) { return to == DType::kE8M0 && bits(from) == 64; }

void compare_with_model(Comparison& comparison, DType from, const std::vector<uint64_t>& sources) {
    for (const DType to : oracle::all_types()) {
        if (beyond_the_model(to, from)) continue;
        for (const RoundMode mode : oracle::kModes) {
            // Between integers there is nothing to round.
            if (is_integer(to) && is_integer(from) && mode != RoundMode::kNone) continue;
            for (const Saturation saturation : oracle::kSaturations) {
                for (const uint64_t raw : sources) {
                    comparison.expect_equal(
                        convert_bits(to, from, raw, mode, saturation),
                        oracle::expected_conversion(to, from, raw, mode, saturation), name(from),
                        name(to), raw, static_cast<int>(mode), static_cast<int>(saturation));
                }
            }
        }
    }
}

uint64_t element(const std::vector<uint8_t>& data, DType type, size_t index) {
    if (bits(type) == 4) return data[index / 2] >> (index % 2 * 4) & 0xF;
    uint64_t raw = 0;
    std::memcpy(&raw, data.data() + index * bits(type) / 8, bits(type) / 8);
    return raw;
}

std::vector<uint8_t> pack(DType type, const std::vector<uint64_t>& elements) {
    std::vector<uint8_t> data(bytes(type, elements.size()));
    for (size_t i = 0; i < elements.size(); ++i) {
        if (bits(type) == 4) {
            data[i / 2] = static_cast<uint8_t>(data[i / 2] | elements[i] << (i % 2 * 4));
        } else {
            std::memcpy(data.data() + i * bits(type) / 8, &elements[i], bits(type) / 8);
        }
    }
    return data;
}

template <DType To, DType From, RoundMode Mode, Saturation Sat>
void compare_typed(Comparison& comparison, const std::vector<uint64_t>& sources) {
    for (const uint64_t raw : sources) {
        const Storage<To> got = convert<To, From, Mode, Sat>(from_bits<From>(raw));
        comparison.expect_equal(to_bits<To>(got), convert_bits(To, From, raw, Mode, Sat),
                                name(From), name(To), raw, static_cast<int>(Mode),
                                static_cast<int>(Sat));
    }
}

template <DType From, DType... To>
void compare_typed_to(Comparison& comparison, const std::vector<uint64_t>& sources) {
    using enum RoundMode;
    using enum Saturation;
    (compare_typed<To, From, kRint, kOn>(comparison, sources), ...);
    (compare_typed<To, From, kRint, kOff>(comparison, sources), ...);
    (compare_typed<To, From, kTrunc, kOff>(comparison, sources), ...);
    (compare_typed<To, From, kOdd, kOn>(comparison, sources), ...);
    (compare_typed<To, From, kRound, kOff>(comparison, sources), ...);
    (compare_typed<To, From, kFloor, kOn>(comparison, sources), ...);
    (compare_typed<To, From, kCeil, kOn>(comparison, sources), ...);
    (compare_typed<To, From, kHybrid, kOff>(comparison, sources), ...);
}

}  // namespace

TEST_CASE("every element of up to 8 bits converts to every type in every mode as the model says",
          "[numeric]") {
    Comparison comparison;
    for (const DType from : oracle::all_types()) {
        if (bits(from) <= 8) compare_with_model(comparison, from, all_or_samples(from, 0));
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("every 16-bit element converts to every type in every mode as the model says",
          "[numeric]") {
    Comparison comparison;
    for (const DType from : {DType::kF16, DType::kBF16, DType::kI16, DType::kU16}) {
        compare_with_model(comparison, from, all_or_samples(from, 0));
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("sampled 32- and 64-bit elements convert to every type in every mode as the model says",
          "[numeric]") {
    Comparison comparison;
    for (const DType from : oracle::all_types()) {
        if (bits(from) > 16) compare_with_model(comparison, from, all_or_samples(from, 6000));
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("published examples of conversions hold", "[numeric]") {
    const auto from_float = [](DType to, float value, RoundMode mode, Saturation saturation) {
        return convert_bits(to, DType::kF32, std::bit_cast<uint32_t>(value), mode, saturation);
    };
    // PTO-ISA/pto-spec spec/hardware-conformance-profile.json: rhb, float_to_integer_invalid.
    CHECK(from_float(DType::kI32, -2.5F, RoundMode::kHybrid, Saturation::kOff) == 0xFFFFFFFE);
    CHECK(from_float(DType::kI32, 2.5F, RoundMode::kHybrid, Saturation::kOff) == 3);
    CHECK(from_float(DType::kI8, 300, RoundMode::kRint, Saturation::kOff) == 0x80);
    CHECK(from_float(DType::kI4, -9, RoundMode::kRint, Saturation::kOff) == 0x8);
    CHECK(from_float(DType::kU16, -1, RoundMode::kRint, Saturation::kOff) == 0xFFFF);
    CHECK(from_float(DType::kI8, 300, RoundMode::kRint, Saturation::kOn) == 0x7F);
    // Rounding comes before the range is looked at (ADR-0047).
    CHECK(from_float(DType::kU8, -0.5F, RoundMode::kRint, Saturation::kOff) == 0);
    CHECK(from_float(DType::kI8, 127.4F, RoundMode::kTrunc, Saturation::kOff) == 127);
    // ADR-0044, integers: modulo or saturating.
    CHECK(convert_bits(DType::kI8, DType::kI32, 300, RoundMode::kNone, Saturation::kOff) == 44);
    CHECK(convert_bits(DType::kI8, DType::kI32, 300, RoundMode::kNone, Saturation::kOn) == 127);
    // Just below a tie that a detour over double would make one; a tie between two halves.
    CHECK(convert_bits(DType::kF32, DType::kI64, 0x7FFFFFBFFFFFFFFF, RoundMode::kRint,
                       Saturation::kOff) == 0x5EFFFFFF);
    CHECK(convert_bits(DType::kF16, DType::kI32, 2049, RoundMode::kRint, Saturation::kOff) ==
          0x6800);
}

TEST_CASE("a run of elements converts as its elements do, in every pair, mode and saturation",
          "[numeric]") {
    Comparison comparison;
    for (const DType from : oracle::all_types()) {
        const std::vector<uint64_t> sources = all_or_samples(from, 5000);
        const std::vector<uint8_t> packed = pack(from, sources);
        for (const DType to : oracle::all_types()) {
            for (const RoundMode mode : oracle::kModes) {
                for (const Saturation saturation : oracle::kSaturations) {
                    std::vector<uint8_t> target(bytes(to, sources.size()) + 1, 0xA5);
                    convert_run(to, target.data(), from, packed.data(), sources.size(), mode,
                                saturation);
                    for (size_t i = 0; i < sources.size(); ++i) {
                        comparison.expect_equal(
                            element(target, to, i),
                            convert_bits(to, from, sources[i], mode, saturation), name(from),
                            name(to), sources[i], static_cast<int>(mode),
                            static_cast<int>(saturation));
                    }
                    comparison.expect_equal(target.back(), 0xA5, "wrote past the end");
                }
            }
        }
    }
    CHECK(comparison.differences() == "");
}

TEST_CASE("single typed elements convert as the plain function has it", "[numeric]") {
    using enum DType;
    Comparison comparison;
    const auto sources = [](DType type) { return all_or_samples(type, 20000); };
    compare_typed_to<kF32, kF32, kF16, kBF16, kTF32, kE4M3, kE5M2, kE8M0, kHIF8, kE2M1, kI4, kI8,
                     kU8, kI16, kU16, kI32, kU32, kI64, kU64>(comparison, sources(kF32));
    compare_typed_to<kF16, kF32, kBF16, kI4, kI8, kU8, kI16, kI32, kE4M3>(comparison,
                                                                          sources(kF16));
    compare_typed_to<kBF16, kF32, kF16, kI32, kE2M1, kE1M2>(comparison, sources(kBF16));
    compare_typed_to<kE4M3, kF32, kF16, kBF16>(comparison, sources(kE4M3));
    compare_typed_to<kE8M0, kF32, kF16, kBF16>(comparison, sources(kE8M0));
    compare_typed_to<kE2M1, kF32, kBF16, kI8>(comparison, sources(kE2M1));
    compare_typed_to<kI4, kF16, kF32, kI8, kU8, kI32>(comparison, sources(kI4));
    compare_typed_to<kI8, kF16, kF32, kI16, kI32, kU8, kI4>(comparison, sources(kI8));
    compare_typed_to<kU8, kF16, kF32, kU16, kI8>(comparison, sources(kU8));
    compare_typed_to<kI16, kF16, kF32, kU8, kU32, kI32>(comparison, sources(kI16));
    compare_typed_to<kI32, kF32, kF16, kBF16, kI16, kU16, kI64, kU8, kU64>(comparison,
                                                                           sources(kI32));
    compare_typed_to<kU32, kF32, kF16, kU8, kU16, kI16, kI32>(comparison, sources(kU32));
    compare_typed_to<kI64, kF32, kF16, kI32, kU64, kI4>(comparison, sources(kI64));
    compare_typed_to<kU64, kF32, kBF16, kI64, kU32, kI8>(comparison, sources(kU64));
    CHECK(comparison.differences() == "");
}

TEST_CASE("an odd run of 4-bit elements keeps the upper nibble of its last byte", "[numeric]") {
    const float source[3] = {1, 2, 3};
    uint8_t target[2] = {0xFF, 0xA5};
    convert_run(DType::kI4, target, DType::kF32, source, 3, RoundMode::kRint, Saturation::kOn);
    CHECK(target[0] == 0x21);
    CHECK(target[1] == 0xA3);
}

TEST_CASE("runs need no alignment and may be converted in place", "[numeric]") {
    std::vector<uint8_t> data(4 * 1000 + 1);
    for (int32_t i = 0; i < 1000; ++i) std::memcpy(data.data() + 1 + 4 * i, &i, 4);
    convert_run(DType::kF32, data.data() + 1, DType::kI32, data.data() + 1, 1000, RoundMode::kRint,
                Saturation::kOn);
    for (int32_t i = 0; i < 1000; ++i) {
        float value = 0;
        std::memcpy(&value, data.data() + 1 + 4 * i, 4);
        REQUIRE(value == static_cast<float>(i));
    }
}

TEST_CASE("rounding to integral floats keeps zeros' signs, infinities and large values",
          "[numeric]") {
    Comparison comparison;
    for (const RoundMode mode : oracle::kModes) {
        for (const uint64_t raw : samples(DType::kF32, 100000)) {
            const float value = std::bit_cast<float>(static_cast<uint32_t>(raw));
            uint32_t expected = 0x7FC00000;
            if (value == value) {
                float rounded = value;
                const float magnitude = std::fabs(value);
                if (magnitude < 0x1p30F) {
                    const float low = std::floor(magnitude);
                    const bool high =
                        oracle::takes_high(mode, value < 0, magnitude, low, std::ceil(magnitude),
                                           std::fmod(low, 2.0F) == 1);
                    rounded = std::copysign(high ? std::ceil(magnitude) : low, value);
                }
                expected = std::bit_cast<uint32_t>(rounded);
            }
            comparison.expect_equal(std::bit_cast<uint32_t>(round_to_integral(value, mode)),
                                    expected, raw, static_cast<int>(mode));
        }
    }
    CHECK(comparison.differences() == "");
}
