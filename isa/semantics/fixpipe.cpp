#include "isa/semantics/fixpipe.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "isa/numeric/wide.h"
#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

namespace {

// The columns of a grid, and for each column the number of consecutive ones from there on: in L0C mostly a box.
class Columns {
 public:
    explicit Columns(const Grid& grid) : grid_{grid}, together_(grid.col.size(), 1) {
        for (size_t i = together_.size(); i-- > 1;)
            if (grid.col[i - 1] + 1 == grid.col[i]) together_[i - 1] = together_[i] + 1;
    }
    // A part of a row, into lanes.
    template <typename T>
    void gather(const std::byte* base, size_t row, size_t col, size_t count, T* lanes) const {
        const std::byte* const line = base + grid_.row[row] * int64_t{sizeof(T)};
        for_runs(col, count, [=, this](size_t i, auto length) {
            std::memcpy(lanes + i, line + grid_.col[col + i] * int64_t{sizeof(T)},
                        length * sizeof(T));
        });
    }
    template <typename T>
    void scatter(std::byte* base, size_t row, size_t col, size_t count, const T* lanes) const {
        std::byte* const line = base + grid_.row[row] * int64_t{sizeof(T)};
        for_runs(col, count, [=, this](size_t i, auto length) {
            std::memcpy(line + grid_.col[col + i] * int64_t{sizeof(T)}, lanes + i,
                        length * sizeof(T));
        });
    }

 private:
    // Calls f(begin, length); the length of a box is known to the compiler.
    template <class F>
    void for_runs(size_t col, size_t count, F&& f) const {
        constexpr std::integral_constant<size_t, 16> kBox;
        for (size_t i = 0; i < count;) {
            const size_t length = std::min(together_[col + i], count - i);
            if (length == kBox)
                f(i, kBox);
            else
                f(i, length);
            i += length;
        }
    }

    const Grid& grid_;
    std::vector<size_t> together_;
};

// max(x, 0) of `count` elements, in `slot` if they change.
const std::byte* rectified(const Conversion& conversion, const std::byte* elements, size_t count, std::byte* slot) {
    if (conversion.relu != ReluMode::kNormal) return elements;
    visit_arithmetic(conversion.source_type, [&](auto type) {
        using From = decltype(type);
        const auto loop = [=] {
            for (size_t i = 0; i < count; ++i)
                store(slot + i * sizeof(From), relu_lane(load<From>(elements + i * sizeof(From))));
        };
        if constexpr (std::is_same_v<From, float>)
            widest(loop);
        else
            loop();
    });
    return slot;
}

// Combines `count` elements with the old ones, in `slot`, as stores do.
void combine_with(const Conversion& conversion, const std::byte* old, size_t count, std::byte* slot) {
    visit_arithmetic(conversion.target_type, [&](auto type) {
        using To = decltype(type);
        for (size_t at = 0; at < count * sizeof(To); at += sizeof(To))
            store(slot + at, combine(conversion.atomic, load<To>(old + at), load<To>(slot + at)));
    });
}

void convert_some(const Conversion& conversion, const std::byte* from, size_t count, std::byte* to) {
    if (conversion.source_type == conversion.target_type)
        std::memcpy(to, from, bytes(conversion.target_type, count));
    else
        convert_run(conversion.target_type, to, conversion.source_type, from, count, RoundMode::kRint,
                    Saturation::kOff);
}

// Converts the elements that the source's grid spans in their order in memory, and then moves them. Returns false if
// the grid spans many elements that it does not name, as for a window of a large tile.
bool convert_as_they_lie(const Conversion& conversion, std::byte* target, const Grid& to,
                         const std::byte* source, const Grid& from) {
    const size_t count = from.row.size() * from.col.size();
    if (conversion.atomic != AtomicMode::kNone || count == 0) return count == 0;
    const auto [first_row, last_row] = std::minmax_element(from.row.begin(), from.row.end());
    const auto [first_col, last_col] = std::minmax_element(from.col.begin(), from.col.end());
    const int64_t first = *first_row + *first_col;
    const auto span = static_cast<size_t>(*last_row + *last_col - first + 1);
    if (span > 2 * count) return false;
    thread_local std::vector<uint64_t> values, converted;
    thread_local Grid in_span;
    values.resize(span);
    converted.resize(span);
    const size_t width = bits(conversion.source_type) / 8;
    const std::byte* const in = rectified(conversion, source + first * static_cast<int64_t>(width), span,
                                          reinterpret_cast<std::byte*>(values.data()));
    auto* const out = reinterpret_cast<std::byte*>(converted.data());
    convert_some(conversion, in, span, out);
    in_span = from;
    for (int64_t& row : in_span.row) row -= first;
    copy_elements(bits(conversion.target_type), target, to, out, in_span);
    return true;
}

// A part of a row at a time.
void convert_by_rows(const Conversion& conversion, std::byte* target, const Grid& to, const std::byte* source,
                     const Grid& from) {
    alignas(64) std::byte in[kChunk * 8], kept[kChunk * 8], out[kChunk * 8], old[kChunk * 8];
    const Columns from_columns(from), to_columns(to);
    const auto typed = [](DType type, void* lanes, auto&& move) {
        visit_bits(type, [&](auto element) { move(static_cast<decltype(element)*>(lanes)); });
    };
    for (size_t row = 0; row < to.row.size(); ++row) {
        for (size_t col = 0; col < to.col.size(); col += kChunk) {
            const size_t count = std::min<size_t>(kChunk, to.col.size() - col);
            typed(conversion.source_type, in,
                  [&](auto* lanes) { from_columns.gather(source, row, col, count, lanes); });
            convert_some(conversion, rectified(conversion, in, count, kept), count, out);
            if (conversion.atomic != AtomicMode::kNone) {
                typed(conversion.target_type, old,
                      [&](auto* lanes) { to_columns.gather(target, row, col, count, lanes); });
                combine_with(conversion, old, count, out);
            }
            typed(conversion.target_type, out,
                  [&](auto* lanes) { to_columns.scatter(target, row, col, count, lanes); });
        }
    }
}

// The fields of a 64-bit quantisation parameter (PTO-ISA/pto-spec
// asl/arch/profile/matrix-postprocess.asl; hw-native-sys/pto-isa include/pto/cpu/common.hpp).
struct Parameter {
    float scale;
    int offset;  // signed, 9 bits
    int shift;   // 1..16
};

// A scalar's scale is a float in the low 32 bits; a table's is a 1-8-10 float in bits 13..31,
// which are the upper bits of such a float.
Parameter parse_parameter(uint64_t bits, bool from_table) {
    const auto low = static_cast<uint32_t>(bits);
    Parameter p{};
    p.scale = std::bit_cast<float>(from_table ? low & 0xFFFFE000u : low);
    p.offset = static_cast<int>(static_cast<int64_t>(bits << 18) >> 55);
    p.shift = static_cast<int>(bits >> 32 & 15) + 1;
    return p;
}

template <typename To>
To saturate(float value) {
    constexpr DType kTo = dtype_of<To>();
    return convert<kTo, DType::kF32, RoundMode::kRint, Saturation::kOn>(value);
}

// To 8 bits: scaled, to the nearest integer of 9 bits, offset, clamped. To 16-bit floats: scaled,
// rounded, saturated. i32 to i16: shifted right and clamped.
template <typename From, typename To>
To quantise(From value, const Parameter& p) {
    if constexpr (std::is_same_v<To, int16_t>) {
        const int64_t shifted = static_cast<int64_t>(value) >> p.shift;
        return static_cast<int16_t>(std::clamp<int64_t>(shifted, INT16_MIN, INT16_MAX));
    } else {
        float scaled = 0;
        if constexpr (std::is_same_v<From, float>)
            scaled = mul(value, p.scale);
        else
            scaled = mul(static_cast<float>(value), p.scale);
        if constexpr (std::is_integral_v<To>) {
            const int whole = std::clamp<int>(saturate<int16_t>(scaled), -256, 255);
            constexpr int kLow = std::numeric_limits<To>::min();
            constexpr int kHigh = std::numeric_limits<To>::max();
            return static_cast<To>(std::clamp(whole + p.offset, kLow, kHigh));
        } else {
            return saturate<To>(scaled);
        }
    }
}

Parameter parameter_of(const Scales& scales, size_t col) {
    uint64_t bits = scales.scalar.bits;
    if (scales.tile != nullptr)
        bits = read_lane<uint64_t>(*scales.tile, scales.bytes, 0,
                                   scales.first_column + static_cast<int>(col));
    else if (!is_integer(scales.scalar.dtype))
        bits = std::bit_cast<uint32_t>(scalar_as<float>(scales.scalar));
    return parse_parameter(bits, scales.tile != nullptr);
}

// To f32: scaled. To 8-bit floats (a5): scaled, rounded, saturated (pto-spec
// asl/arch/profile/matrix-quantization.asl), which atomic stores do not take.
void scale_to_float(const Conversion& conversion, const Scales& scales, std::byte* target,
                    const Grid& to, const std::byte* source, const Grid& from) {
    const RoundMode rounding =
        conversion.target_type == DType::kHIF8 ? conversion.hif8_rounding : RoundMode::kRint;
    for (size_t col = 0; col < to.col.size(); ++col) {
        const Parameter parameter = parameter_of(scales, col);
        for (size_t row = 0; row < to.row.size(); ++row) {
            float value = mul(load<float>(source + (from.row[row] + from.col[col]) * int64_t{4}),
                              parameter.scale);
            if (conversion.relu == ReluMode::kNormal) value = relu_lane(value);
            const int64_t index = to.row[row] + to.col[col];
            if (conversion.target_type == DType::kF32)
                store(target + index * 4,
                      combine(conversion.atomic, load<float>(target + index * 4), value));
            else
                store(target + index,
                      static_cast<uint8_t>(convert_bits(conversion.target_type, DType::kF32,
                                                        std::bit_cast<uint32_t>(value), rounding,
                                                        Saturation::kOn)));
        }
    }
}

template <typename From, typename To>
void quantise_typed(const Conversion& conversion, const Scales& scales, std::byte* target,
                    const Grid& to, const std::byte* source, const Grid& from) {
    for (size_t col = 0; col < to.col.size(); ++col) {
        const Parameter parameter = parameter_of(scales, col);
        for (size_t row = 0; row < to.row.size(); ++row) {
            const From value =
                load<From>(source + (from.row[row] + from.col[col]) * int64_t{sizeof(From)});
            To result = quantise<From, To>(value, parameter);
            if (conversion.relu == ReluMode::kNormal) result = relu_lane(result);
            std::byte* const element = target + (to.row[row] + to.col[col]) * int64_t{sizeof(To)};
            if (conversion.atomic != AtomicMode::kNone)
                result = combine(conversion.atomic, load<To>(element), result);
            store(element, result);
        }
    }
}

}  // namespace

std::optional<Scales> scales_of(const Execution& e, unsigned first, int first_column) {
    const auto& operands = e.instruction.operands;
    if (first < e.instruction.operand_count && operands[first].is_tile())
        return Scales{&e.tile(first), e.bytes[first], first_column, {}};
    if (first + 1 < e.instruction.operand_count && operands[first + 1].is_scalar())
        return Scales{nullptr, nullptr, 0, e.scalar(first + 1)};
    return std::nullopt;
}

void quantise_elements(const Conversion& conversion, const Scales& scales, std::byte* target,
                       const Grid& to, const std::byte* source, const Grid& from) {
    auto typed = [&](auto source_value) {
        using From = decltype(source_value);
        visit_arithmetic(conversion.target_type, [&](auto target_value) {
            using To = decltype(target_value);
            if constexpr (sizeof(To) <= 2 && !std::is_same_v<To, uint16_t>)
                quantise_typed<From, To>(conversion, scales, target, to, source, from);
            else
                fail_type(conversion.target_type);
        });
    };
    const bool small_float =
        bits(conversion.target_type) == 8 && !is_integer(conversion.target_type);
    if (conversion.source_type == DType::kI32)
        typed(int32_t{});
    else if (small_float || conversion.target_type == DType::kF32)
        scale_to_float(conversion, scales, target, to, source, from);
    else
        typed(float{});
}

void convert_elements(const Conversion& conversion, std::byte* target, const Grid& to,
                      const std::byte* source, const Grid& from) {
    if (conversion.is_copy()) {
        copy_elements(bits(conversion.target_type), target, to, source, from);
        return;
    }
    if (!convert_as_they_lie(conversion, target, to, source, from))
        convert_by_rows(conversion, target, to, source, from);
}

}  // namespace ptosim::semantics
