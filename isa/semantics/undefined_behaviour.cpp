#include "isa/semantics/undefined_behaviour.h"

#include <cmath>

#include "isa/semantics/fixpipe.h"

namespace ptosim {

namespace semantics {
namespace {

std::string place_text(const DataFinding& finding) {
    std::string text =
        " at (" + std::to_string(finding.row) + ", " + std::to_string(finding.col) + ")";
    if (finding.count > 1) text += " and " + std::to_string(finding.count - 1) + " more";
    return text;
}

}  // namespace

void UndefinedCheck::report(Count count, std::string_view code, const std::string& what,
                            std::string hint) {
    if (count.finding.count == 0) return;
    count.finding.code = code;
    count.finding.message =
        "operand '" +
        std::string(info(e_.instruction.opcode).operands[count.finding.operand].name) + "' " +
        what + place_text(count.finding);
    count.finding.hint = std::move(hint);
    reporter_.report(count.finding);
}

void UndefinedCheck::divisor(unsigned operand) {
    if (!is_integer(e_.tile(0).dtype)) return;
    report(integers(operand, [](int64_t value) { return value == 0; }), "N01",
           "is 0, and an integer is divided by it:", "no source defines the result");
}

void UndefinedCheck::shift(unsigned operand) {
    const auto width = static_cast<int64_t>(bits(e_.tile(0).dtype));
    report(integers(operand, [&](int64_t value) { return value < 0 || value >= width; }), "N04",
           "is not in 0.." + std::to_string(width - 1) + ", the counts that an element has:",
           "ptosim takes counts modulo the width; on hardware the result is undefined");
}

void UndefinedCheck::index(unsigned operand, int64_t limit, const char* unit) {
    report(integers(operand, [&](int64_t value) { return value < 0 || value >= limit; }), "G07",
           "is outside of 0.." + std::to_string(limit - 1) + " " + unit + ":",
           "ptosim reads 0 there and drops such writes; hardware behaves differently");
}

void UndefinedCheck::scale(unsigned operand) {
    Count count;
    count.finding.operand = operand;
    const Tile& tile = e_.tile(operand);
    for (int row = 0; row < tile.valid_rows; ++row)
        for (int col = 0; col < tile.valid_cols; ++col) {
            const float value = read_lane<float>(tile, e_.bytes[operand], row, col);
            if (value == 0.0F || !std::isfinite(value)) count.add(row, col);
        }
    report(count, "N05", "is a scale of 0, an infinity or NaN:", "check the scales");
}

// Bits of a quantisation parameter that mean nothing: a table's scale ends at bit 13, a
// scalar's at bit 0; bits 32 to 35 are a shift, 37 to 45 an offset, 46 the sign of the result.
void UndefinedCheck::reserved(unsigned first) {
    const auto scales = scales_of(e_, first);
    if (!scales) return;
    constexpr uint64_t kUpper = ~uint64_t{0} << 47 | uint64_t{1} << 36;
    Count count;
    count.finding.operand = scales->tile != nullptr ? first : first + 1;
    if (scales->tile != nullptr) {
        for (int col = 0; col < scales->tile->valid_cols; ++col)
            if ((read_lane<uint64_t>(*scales->tile, scales->bytes, 0, col) & (kUpper | 0x1FFFu)) !=
                0)
                count.add(0, col);
    } else if (is_integer(scales->scalar.dtype) && (scales->scalar.bits & kUpper) != 0) {
        count.add(0, 0);
    }
    report(count, "N08", "has reserved bits set, which are ignored:",
           "a table has the upper 19 bits of a float in bits 13 to 31");
}

void UndefinedCheck::fixpipe(unsigned first) {
    const auto scales = scales_of(e_, first);
    if (!scales) return;
    reserved(first);
    Count count;
    count.finding.operand = scales->tile != nullptr ? first : first + 1;
    const auto bad = [](uint64_t bits) {
        const uint32_t magnitude = static_cast<uint32_t>(bits) & 0x7FFFFFFFu;
        return magnitude == 0 || magnitude >= 0x7F800000u;
    };
    const bool shifts = e_.instruction.operands[0].is_tile() &&
                        e_.tile(0).dtype == DType::kI16;  // a shift, and no scale
    if (shifts) return;
    if (scales->tile != nullptr) {
        for (int col = 0; col < scales->tile->valid_cols; ++col)
            if (bad(read_lane<uint64_t>(*scales->tile, scales->bytes, 0, col) & 0xFFFFE000u))
                count.add(0, col);
    } else {
        const Scalar& scalar = scales->scalar;
        if (bad(is_integer(scalar.dtype) ? scalar.bits
                                         : std::bit_cast<uint32_t>(scalar_as<float>(scalar))))
            count.add(0, 0);
    }
    report(count, "N05", "is a scale of 0, an infinity or NaN:", "check the scales");
}

}  // namespace semantics

bool may_be_undefined(const Instruction& instruction) {
    const UndefinedBehaviour& undefined = traits(instruction.opcode).undefined;
    return undefined.check != nullptr &&
           (undefined.applies == nullptr || undefined.applies(instruction));
}

void check_undefined(const Execution& e, DataReporter& reporter) {
    if (!may_be_undefined(e.instruction)) return;
    semantics::UndefinedCheck check(e, reporter);
    traits(e.instruction.opcode).undefined.check(check);
}

}  // namespace ptosim
