// Expected results of formats and conversions, for tests only: written from the formats' published
// fields in plain real-number arithmetic, sharing nothing with formats.cpp and convert.cpp.
//
// Fields: IEEE 754; OCP OFP8 1.0; OCP MX 1.0; HiF8: arXiv 2409.16626, table of the dot field; tf32,
// hf32, e1m2 and the E8M0 conversion: PTO-ISA/pto-spec spec/hardware-conformance-profile.json.
#pragma once

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "isa/numeric/dtype.h"
#include "isa/numeric/floats.h"
#include "isa/numeric/rounding.h"

namespace ptosim::oracle {

// Every integer of 64 bits is one, and so is the midpoint of any two neighbours met here.
using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64);

// The value of an element of any type.
Real value_of(DType type, uint64_t raw);

// The magnitude of the largest finite value.
Real largest_of(DType type);

// Chooses between the two neighbours of sign * magnitude: true for the one away from zero.
bool takes_high(RoundMode mode, bool negative, Real magnitude, Real low, Real high,
                bool low_is_odd);

// The encoding to which a value rounds, in a floating-point type.
uint64_t expected_float(DType type, Real value, RoundMode mode, Saturation saturation);

// The bits of the nearest value of Half, BFloat16 or float.
template <typename Float>
uint32_t bits_of(double value) {
    constexpr DType kType = std::is_same_v<Float, Half>       ? DType::kF16
                            : std::is_same_v<Float, BFloat16> ? DType::kBF16
                                                              : DType::kF32;
    return static_cast<uint32_t>(expected_float(kType, value, RoundMode::kRint, Saturation::kOff));
}

// Expected result of convert_bits().
uint64_t expected_conversion(DType to, DType from, uint64_t raw, RoundMode mode,
                             Saturation saturation);

constexpr RoundMode kModes[] = {RoundMode::kNone,  RoundMode::kRint,  RoundMode::kRound,
                                RoundMode::kFloor, RoundMode::kCeil,  RoundMode::kTrunc,
                                RoundMode::kOdd,   RoundMode::kHybrid};
constexpr Saturation kSaturations[] = {Saturation::kOn, Saturation::kOff};
constexpr DType kFloats[] = {DType::kF32,  DType::kF16,  DType::kBF16, DType::kTF32,
                             DType::kHF32, DType::kE4M3, DType::kE5M2, DType::kE8M0,
                             DType::kHIF8, DType::kE2M1, DType::kE1M2};

std::vector<DType> all_types();

// Counts comparisons and keeps the first differences, since a CHECK for each of millions of values
// would be slow.
class Comparison {
 public:
    template <typename... Context>
    void expect_equal(uint64_t got, uint64_t expected, const Context&... context) {
        ++count_;
        if (got == expected) return;
        if (++wrong_ > 5) return;
        std::ostringstream line;
        line << std::hex;
        ((line << context << ' '), ...);
        line << "gives " << got << ", expected " << expected << '\n';
        text_ += line.str();
    }
    // Empty if all were equal and there were any.
    std::string differences() const {
        if (count_ == 0) return "nothing compared";
        return wrong_ == 0 ? "" : std::to_string(wrong_) + " wrong, the first:\n" + text_;
    }

 private:
    uint64_t count_ = 0;
    uint64_t wrong_ = 0;
    std::string text_;
};

}  // namespace ptosim::oracle
