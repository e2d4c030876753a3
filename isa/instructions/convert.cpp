// TCVT: dst(i, j) = src(i, j) in another type.
#include <cmath>

#include "isa/instructions/convert_rules.h"
#include "isa/instructions/row.h"
#include "isa/numeric/formats.h"
#include "isa/semantics/convert_lanes.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/lanes.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

namespace {

// Conversions that wrap unless the kernel requests saturation; all others saturate (hw-native-sys/pto-isa
// include/pto/npu/a2a3/TCvt.hpp, kIsNarrowingCvt; a5/TCvt.hpp, TCVT_IMPL).
bool wraps_by_default(DType to, DType from) {
    const bool narrow_from_half = from == DType::kF16 && (to == DType::kI8 || to == DType::kU8);
    const bool to_i16 =
        to == DType::kI16 && (from == DType::kF32 || from == DType::kF16 || from == DType::kI32);
    const bool to_i32 = to == DType::kI32 && from == DType::kI64;
    return narrow_from_half || to_i16 || to_i32;
}

// On a2a3 the mode applies to conversions to integers, and without scratch only if they wrap by default (profile
// rules float-conversions-overflow, others-saturate).
Saturation saturation_of(const Execution& e) {
    const DType to = e.tile(0).dtype, from = e.tile(1).dtype;
    if (holds_all(to, from)) return Saturation::kOff;
    const Attributes& modes = e.instruction.attributes;
    const bool wraps = wraps_by_default(to, from);
    if (e.numerics == Numerics::kA2A3) {
        if (!is_integer(to) && !is_integer(from)) return Saturation::kOff;
        if (!wraps && !e.instruction.operands[2].is_tile()) return Saturation::kOn;
    }
    if (modes.saturation_from != SaturationFrom::kLibrary) return modes.saturation;
    return wraps ? Saturation::kOff : Saturation::kOn;
}

// a5 clears the valid rows of a tile of 4-bit floats, and writes whole bytes (profile rule
// fp4-rows-clear).
bool clears_rows(const Execution& e) {
    const DType to = e.tile(0).dtype;
    return is_a5(e.numerics) && (to == DType::kE2M1 || to == DType::kE1M2);
}
int columns_written(const Execution& e) {
    const Tile& to = e.tile(0);
    if (!clears_rows(e)) return to.valid_cols;
    const size_t line = bytes(to.dtype, static_cast<size_t>(to.cols));
    for (int row = 0; row < to.valid_rows; ++row)
        std::memset(e.bytes[0] + to.index(row, 0) / 2, 0, line);
    return to.valid_cols / 2 * 2;
}

// True if lanes can be read and written in place: rows are runs of bytes, and no lane of the destination lies in
// another lane of the source.
bool converts_in_place(const Execution& e) {
    const Tile &to = e.tile(0), &from = e.tile(1);
    if (!contiguous_rows(to) || !contiguous_rows(from)) return false;
    const bool same_lanes =
        e.bytes[0] == e.bytes[1] && bits(to.dtype) == bits(from.dtype) && to.pitch == from.pitch;
    return same_lanes || e.bytes[0] + to.touched_bytes() <= e.bytes[1] ||
           e.bytes[1] + from.touched_bytes() <= e.bytes[0];
}

}  // namespace

// f32 to f32 rounds to a whole number (docs/isa/TCVT.md).
void TCVT(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const Attributes& modes = e.instruction.attributes;
    const Saturation saturation = saturation_of(e);

    const int columns = columns_written(e);
    if (converts_in_place(e)) {
        const bool flat = dense(to, from) && columns == to.valid_cols;
        const auto lanes = static_cast<size_t>(flat ? int64_t{to.valid_rows} * columns : columns);
        for (int row = 0; row < (flat ? std::min(to.valid_rows, 1) : to.valid_rows); ++row)
            convert_lanes(e.numerics, to.dtype,
                          e.bytes[0] + to.index(row, 0) * static_cast<int64_t>(bits(to.dtype)) / 8,
                          from.dtype,
                          e.bytes[1] + from.index(row, 0) * static_cast<int64_t>(bits(from.dtype)) / 8,
                          lanes, modes.round, saturation);
        return;
    }
    alignas(64) std::byte in[kChunk * 8];
    alignas(64) std::byte out[kChunk * 8];
    // kChunk is even, so that chunks of 4-bit elements start at whole bytes.
    for_chunks(to.valid_rows, columns, dense(to, from), [&](int row, int col, int count) {
        const auto lanes = static_cast<size_t>(count);
        std::byte* const target =
            e.bytes[0] + to.index(row, col) * static_cast<int64_t>(bits(to.dtype)) / 8;
        const std::byte* const source =
            e.bytes[1] + from.index(row, col) * static_cast<int64_t>(bits(from.dtype)) / 8;
        std::memcpy(in, source, bytes(from.dtype, lanes));
        // The sibling of a last odd 4-bit element is kept.
        std::memcpy(out, target, bytes(to.dtype, lanes));
        convert_lanes(e.numerics, to.dtype, out, from.dtype, in, lanes, modes.round, saturation);
        std::memcpy(target, out, bytes(to.dtype, lanes));
    });
}

// Operates on bits, for every type: bits above the width of dst are dropped.
void TPACK(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    visit_bits(from.dtype, [&](auto wide) {
        visit_bits(to.dtype, [&](auto narrow) {
            using Wide = decltype(wide);
            using Narrow = decltype(narrow);
            for (int row = 0; row < to.valid_rows; ++row)
                for (int col = 0; col < to.valid_cols; ++col)
                    write_lane(to, e.bytes[0], row, col,
                               static_cast<Narrow>(read_lane<Wide>(from, e.bytes[1], row, col)));
        });
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// A conversion to 4-bit floats may clear the rest of its rows (profile rule fp4-rows-clear).
bool clears_lines(const Instruction& instruction, unsigned operand) {
    const DType to = instruction.tile(0).dtype;
    return operand == 0 && (to == DType::kE2M1 || to == DType::kE1M2);
}

TouchedTiles touched_by_conversion(const Instruction& instruction, unsigned operand) {
    Tile tile = instruction.tile(operand);
    if (clears_lines(instruction, operand)) tile.valid_cols = tile.cols;
    return {{tile}, 1};
}

// Vectors are converted one after another (hw-native-sys/pto-isa include/pto/npu/a2a3/TCvt.hpp). A conversion to a
// wider type overtakes its source, unless the source ends where the result ends, or the result is one vector.
bool overtakes_source(const Instruction& instruction) {
    const Tile &dst = instruction.tile(0), &src = instruction.tile(1);
    const bool longer = dst.valid_rows > 1 || bytes(dst.dtype, static_cast<size_t>(dst.valid_cols)) > 256;
    return longer && bits(dst.dtype) > bits(src.dtype) &&
           src.address + src.touched_bytes() < dst.address + dst.touched_bytes();
}
constexpr std::array kWideningWrites{EarlyWrite{0, 1, EarlyWrite::Unless::kNever, overtakes_source}};

// Floats that no integer of the destination's type is near to, without saturation.
void check_unsaturated(UndefinedCheck& check) {
    const Execution& e = check.execution();
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const Attributes& modes = e.instruction.attributes;
    if (!is_integer(to.dtype) || is_integer(from.dtype) || bits(from.dtype) < 16) return;
    if (modes.saturation_from != SaturationFrom::kKernel || modes.saturation == Saturation::kOn)
        return;
    const double top = std::ldexp(1.0, static_cast<int>(bits(to.dtype)) - is_signed(to.dtype));
    const double low = is_signed(to.dtype) ? -top : 0.0;
    Count count;
    count.finding.operand = 1;
    visit_float(from.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < from.valid_rows; ++row)
            for (int col = 0; col < from.valid_cols; ++col) {
                const double value = to_float(read_lane<T>(from, e.bytes[1], row, col));
                if (!(value > low - 1 && value < top)) count.add(row, col);
            }
    });
    check.report(count, "N03",
                 "is NaN or beyond " + std::string(name(to.dtype)) + ", and saturation is off:",
                 "saturate, or keep the values in range");
}

// True if an element is beyond the range of the conversion: it saturates, becomes the indefinite value (ieee) or keeps
// its low bits (hardware profiles).
bool depends_on_saturation(Numerics numerics, DType to, DType from, uint64_t raw, RoundMode round) {
    const uint64_t most = convert_bits(to, from, raw, round, Saturation::kOn);
    if (most != convert_bits(to, from, raw, round, Saturation::kOff)) return true;
    if (!is_integer(to) && !is_integer(from))  // rule saturated-nan-is-zero
        return is_a5(numerics) && most == float_format(to).nan && bits(to) >= 8;
    if (!is_integer(to) || is_integer(from) || bits(to) > 16) return false;
    const uint64_t whole = convert_bits(DType::kI32, from, raw, round, Saturation::kOn);
    return most != convert_bits(to, DType::kI32, whole, round, Saturation::kOff);
}

bool obeys_mode(const Instruction& instruction, Arch arch) {
    const DType to = instruction.tile(0).dtype, from = instruction.tile(1).dtype;
    if (!traits_of(arch).saturates_floats) return wraps_by_default(to, from);
    if (is_integer(from)) return is_integer(to) && bits(to) <= bits(from);
    return !holds_all(to, from) && bits(from) >= 16;
}

// True if an element may be NaN or beyond the range of `to`; nearly always none is.
template <typename T>
bool any_beyond(const Execution& e, DType to) {
    const double top = is_integer(to)
                           ? std::ldexp(1.0, static_cast<int>(bits(to)) - is_signed(to)) - 1
                           : float_format(to).largest_value;
    const double low = !is_integer(to) ? -top : is_signed(to) ? -top - 1 : 0.0;
    const Tile& from = e.tile(1);
    alignas(64) T lanes[kChunk];
    bool beyond = false;
    for_chunks(from.valid_rows, from.valid_cols, dense(from, from), [&](int row, int col, int count) {
        read_lanes(from, e.bytes[1], row, col, count, lanes);
        for (int i = 0; i < count; ++i) {
            double value;
            if constexpr (is_float_v<T>)
                value = to_float(lanes[i]);
            else
                value = static_cast<double>(lanes[i]);
            beyond |= !(value >= low && value <= top);
        }
    });
    return beyond;
}

// Elements for which releases of the assembler give different results if the text has no mode.
void check_assembler_mode(UndefinedCheck& check) {
    const Execution& e = check.execution();
    const DType to = e.tile(0).dtype, from = e.tile(1).dtype;
    if (bits(from) < 8) return;
    bool beyond = false;
    const auto look = [&](auto type) { beyond = any_beyond<decltype(type)>(e, to); };
    if (is_integer(from))
        visit_integer(from, look);
    else
        visit_float(from, look);
    if (!beyond) return;
    Count count;
    count.finding.operand = 1;
    count.finding.warns = true;
    const RoundMode round = e.instruction.attributes.round;
    visit_bits(from, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < e.tile(1).valid_rows; ++row)
            for (int col = 0; col < e.tile(1).valid_cols; ++col)
                if (depends_on_saturation(e.numerics, to, from,
                                          uint64_t{read_lane<T>(e.tile(1), e.bytes[1], row, col)},
                                          round))
                    count.add(row, col);
    });
    const bool on = e.instruction.attributes.saturation == Saturation::kOn;
    check.report(count, "N11",
                 "is beyond " + std::string(name(to)) +
                     ", and the kernel sets no satmode: assembler releases v0.60 and v0.61 turn saturation off, v0.63 "
                     "turns it on, and it is " +
                     (on ? "on" : "off") + " here:",
                 "add satmode = #pto<saturation_mode ON> or OFF to the tcvt; --assembler chooses the "
                 "release");
}

bool may_depend_on_mode(const Instruction& instruction) {
    return computes_integers(instruction) ||
           instruction.attributes.saturation_from == SaturationFrom::kAssembler;
}
void check_mode(UndefinedCheck& check) {
    if (check.execution().instruction.attributes.saturation_from == SaturationFrom::kAssembler)
        check_assembler_mode(check);
    else
        check_unsaturated(check);
}

// Elements for which the conversion has two results, by whether it saturates.
void check_default_saturation(ImplementationDefinedCheck& check) {
    const Execution& e = check.execution();
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    if (e.instruction.attributes.saturation_from != SaturationFrom::kLibrary ||
        bits(from.dtype) < 8)
        return;
    const RoundMode round = e.instruction.attributes.round;
    DataFinding finding;
    visit_bits(from.dtype, [&](auto type) {
        using T = decltype(type);
        check.each(from, finding, [&](int row, int col) {
            const auto raw = uint64_t{read_lane<T>(from, e.bytes[1], row, col)};
            return depends_on_saturation(e.numerics, to.dtype, from.dtype, raw, round);
        });
    });
    check.report(finding, "N07", 1,
                 " is beyond " + std::string(name(to.dtype)) +
                     ", and the kernel does not specify saturation for the conversion:",
                 "conversion-default-saturation");
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/convert.def"
}  // namespace ptosim::rows
