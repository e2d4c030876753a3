#include "isa/data_check.h"

#include <cmath>

#include "isa/instruction_table.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/fixpipe.h"

namespace ptosim {

namespace semantics {
namespace {

// Counts the elements that are wrong and remembers the first.
struct Count {
    DataFinding finding;

    void add(int row, int col) {
        if (finding.count++ != 0) return;
        finding.row = row;
        finding.col = col;
    }
};

std::string place(const DataFinding& finding) {
    std::string text =
        " at (" + std::to_string(finding.row) + ", " + std::to_string(finding.col) + ")";
    if (finding.count > 1) text += " and " + std::to_string(finding.count - 1) + " more";
    return text;
}

class Checker {
 public:
    Checker(const Execution& e, DataReporter& reporter) : e_{e}, reporter_{reporter} {}

    // wrong(value) for each integer of an operand; a scalar is one value at (0, 0).
    template <typename F>
    Count integers(unsigned operand, F&& wrong) const {
        Count count;
        count.finding.operand = operand;
        if (e_.instruction.operands[operand].is_scalar()) {
            const int64_t value = integer_of(e_.scalar(operand));
            if (wrong(value)) count.add(0, 0);
            return count;
        }
        if (e_.instruction.operands[operand].is_global()) {
            const GlobalView& view = e_.global(operand);
            for (int row = 0; row < view.matrix_rows(); ++row)
                for (int col = 0; col < view.matrix_cols(); ++col)
                    if (wrong(int64_t{
                            load<uint32_t>(e_.bytes[operand] + view.matrix_offset(row, col) * 4)}))
                        count.add(row, col);
            return count;
        }
        const Tile& tile = e_.tile(operand);
        visit_integer(tile.dtype, [&](auto type) {
            using T = decltype(type);
            for (int row = 0; row < tile.valid_rows; ++row)
                for (int col = 0; col < tile.valid_cols; ++col)
                    if (wrong(
                            static_cast<int64_t>(read_lane<T>(tile, e_.bytes[operand], row, col))))
                        count.add(row, col);
        });
        return count;
    }

    void tell(Count count, std::string_view code, const std::string& what, std::string hint) {
        if (count.finding.count == 0) return;
        count.finding.code = code;
        count.finding.message =
            "operand '" +
            std::string(info(e_.instruction.opcode).operands[count.finding.operand].name) + "' " +
            what + place(count.finding);
        count.finding.hint = std::move(hint);
        reporter_.report(count.finding);
    }

    void divisor(unsigned operand) {
        if (!is_integer(e_.tile(0).dtype)) return;
        tell(integers(operand, [](int64_t value) { return value == 0; }), "N01",
             "is 0, and an integer is divided by it:", "no source defines the result");
    }

    void shift(unsigned operand) {
        const auto width = static_cast<int64_t>(bits(e_.tile(0).dtype));
        tell(integers(operand, [&](int64_t value) { return value < 0 || value >= width; }), "N04",
             "is not in 0.." + std::to_string(width - 1) + ", the counts that an element has:",
             "counts are taken modulo the width here; hardware leaves them undefined");
    }

    void index(unsigned operand, int64_t limit, const char* unit) {
        tell(integers(operand, [&](int64_t value) { return value < 0 || value >= limit; }), "G07",
             "is outside of 0.." + std::to_string(limit - 1) + " " + unit + ":",
             "such reads give 0 here and such writes are left out; hardware does something else");
    }

    // Lengths of TCONCATIDX, in bytes of an index.
    void length(unsigned operand, int columns) {
        const int64_t limit = columns * int64_t{bits(e_.tile(operand).dtype)} / 8;
        Count found = integers(operand, [&](int64_t value) { return value < 0 || value > limit; });
        if (found.finding.col > 0) return;  // only the first column counts
        tell(found, "G07",
             "is outside of 0.." + std::to_string(limit) + ", the length of a row of its source:",
             "rows end with their source here; hardware does something else");
    }

    // Scales of TQUANT and TDEQUANT, and of the fixpipe.
    void scale(unsigned operand) {
        Count count;
        count.finding.operand = operand;
        const Tile& tile = e_.tile(operand);
        for (int row = 0; row < tile.valid_rows; ++row)
            for (int col = 0; col < tile.valid_cols; ++col) {
                const float value = read_lane<float>(tile, e_.bytes[operand], row, col);
                if (value == 0.0F || !std::isfinite(value)) count.add(row, col);
            }
        tell(count, "N05", "is a scale of 0, an infinity or NaN:", "check the scales");
    }

    // Bits of a quantisation parameter that mean nothing: a table's scale ends at bit 13, a
    // scalar's at bit 0; bits 32 to 35 are a shift, 37 to 45 an offset, 46 the sign of the result.
    void reserved(unsigned first) {
        const auto scales = scales_of(e_, first);
        if (!scales) return;
        constexpr uint64_t kUpper = ~uint64_t{0} << 47 | uint64_t{1} << 36;
        Count count;
        count.finding.operand = scales->tile != nullptr ? first : first + 1;
        if (scales->tile != nullptr) {
            for (int col = 0; col < scales->tile->valid_cols; ++col)
                if ((read_lane<uint64_t>(*scales->tile, scales->bytes, 0, col) &
                     (kUpper | 0x1FFFu)) != 0)
                    count.add(0, col);
        } else if (is_integer(scales->scalar.dtype) && (scales->scalar.bits & kUpper) != 0) {
            count.add(0, 0);
        }
        tell(count, "N08", "has reserved bits set, which are ignored:",
             "a table has the upper 19 bits of a float in bits 13 to 31");
    }

    void fixpipe(unsigned first) {
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
        tell(count, "N05", "is a scale of 0, an infinity or NaN:", "check the scales");
    }

    // Floats that no integer of the destination's type is near to, without saturation.
    void conversion() {
        const Tile& to = e_.tile(0);
        const Tile& from = e_.tile(1);
        const Attributes& modes = e_.instruction.attributes;
        if (!is_integer(to.dtype) || is_integer(from.dtype) || bits(from.dtype) < 16) return;
        if (!modes.saturation_given || modes.saturation == Saturation::kOn) return;
        const double top = std::ldexp(1.0, static_cast<int>(bits(to.dtype)) - is_signed(to.dtype));
        const double low = is_signed(to.dtype) ? -top : 0.0;
        Count count;
        count.finding.operand = 1;
        visit_float(from.dtype, [&](auto type) {
            using T = decltype(type);
            for (int row = 0; row < from.valid_rows; ++row)
                for (int col = 0; col < from.valid_cols; ++col) {
                    const double value = to_float(read_lane<T>(from, e_.bytes[1], row, col));
                    if (!(value > low - 1 && value < top)) count.add(row, col);
                }
        });
        tell(count, "N03",
             "is NaN or beyond " + std::string(name(to.dtype)) + ", and saturation is off:",
             "saturate, or keep the values in range");
    }

 private:
    const Execution& e_;
    DataReporter& reporter_;
};

int64_t elements_of(const Tile& tile) {
    return static_cast<int64_t>(tile.byte_size() * 8 / bits(tile.dtype));
}

void check_memory_indices(Checker& check, const Execution& e, const GlobalView& view) {
    if (e.instruction.attributes.out_of_bounds != OutOfBounds::kUndefined) return;
    const bool by_element = e.instruction.attributes.by_element;
    check.index(2, by_element ? view.elements() : view.matrix_rows(),
                by_element ? "elements" : "rows");
}

}  // namespace
}  // namespace semantics

namespace {

// What of an instruction's data can be wrong.
enum class Hazard : uint8_t {
    kNone,
    kDivisor,
    kConversion,
    kShift,
    kGather,
    kScatter,
    kByteOffsets,
    kLengths,
    kMemoryGather,
    kMemoryScatter,
    kScale,
    kFixpipe,        // operand 2 scales what leaves L0C
    kFixpipeWindow,  // operand 4 does
};

Hazard hazard_of(const Instruction& instruction) {
    const auto leaves_l0c = [&](unsigned scale) {
        return instruction.tile(1).space == Space::kL0C && instruction.operand_count > scale;
    };
    switch (instruction.opcode) {
        case Opcode::kTDIV:
        case Opcode::kTDIVS:
        case Opcode::kTREM:
        case Opcode::kTREMS:
        case Opcode::kTFMOD:
        case Opcode::kTFMODS:
        case Opcode::kTROWEXPANDDIV:
        case Opcode::kTCOLEXPANDDIV:
            return is_integer(instruction.tile(0).dtype) ? Hazard::kDivisor : Hazard::kNone;
        case Opcode::kTCVT:
            return is_integer(instruction.tile(0).dtype) ? Hazard::kConversion : Hazard::kNone;
        case Opcode::kTSHL:
        case Opcode::kTSHR:
        case Opcode::kTSHLS:
        case Opcode::kTSHRS:
            return Hazard::kShift;
        case Opcode::kTGATHER:
            return Hazard::kGather;
        case Opcode::kTSCATTER:
            return Hazard::kScatter;
        case Opcode::kTGATHERB:
            return Hazard::kByteOffsets;
        case Opcode::kTCONCATIDX:
            return Hazard::kLengths;
        case Opcode::kMGATHER:
            return Hazard::kMemoryGather;
        case Opcode::kMSCATTER:
            return Hazard::kMemoryScatter;
        case Opcode::kTQUANT:
        case Opcode::kTDEQUANT:
            return Hazard::kScale;
        case Opcode::kTSTORE:
        case Opcode::kTMOV:
            return leaves_l0c(2) ? Hazard::kFixpipe : Hazard::kNone;
        case Opcode::kTEXTRACT:
        case Opcode::kTINSERT:
            return leaves_l0c(4) ? Hazard::kFixpipeWindow : Hazard::kNone;
        default:
            return Hazard::kNone;
    }
}

}  // namespace

bool has_data_check(const Instruction& instruction) {
    return hazard_of(instruction) != Hazard::kNone;
}

void check_data(const Execution& e, DataReporter& reporter) {
    const Hazard hazard = hazard_of(e.instruction);
    if (hazard == Hazard::kNone) return;
    semantics::Checker check(e, reporter);
    const auto& operands = e.instruction.operands;
    switch (hazard) {
        case Hazard::kNone:
            return;
        case Hazard::kDivisor:
            return check.divisor(2);
        case Hazard::kConversion:
            return check.conversion();
        case Hazard::kShift:
            return check.shift(2);
        case Hazard::kGather:
            if (operands[2].is_tile())
                check.index(2, semantics::elements_of(e.tile(1)), "elements");
            return;
        case Hazard::kScatter:
            if (operands[2].is_tile())
                check.index(2, semantics::elements_of(e.tile(0)), "elements");
            return;
        case Hazard::kByteOffsets:
            return check.index(2, static_cast<int64_t>(e.tile(1).byte_size()) - 31, "bytes");
        case Hazard::kLengths:
            check.length(3, e.tile(1).valid_cols);
            return check.length(4, e.tile(2).valid_cols);
        case Hazard::kMemoryGather:
            return semantics::check_memory_indices(check, e, e.global(1));
        case Hazard::kMemoryScatter:
            return semantics::check_memory_indices(check, e, e.global(0));
        case Hazard::kScale:
            return check.scale(2);
        case Hazard::kFixpipe:
            return check.fixpipe(2);
        case Hazard::kFixpipeWindow:
            return check.fixpipe(4);
    }
}

}  // namespace ptosim
