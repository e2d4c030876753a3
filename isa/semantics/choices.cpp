#include "isa/choices.h"

#include "isa/instruction_traits.h"
#include "isa/semantics/arithmetic.h"

namespace ptosim {

namespace semantics {
namespace {

using enum Opcode;

bool is_float(DType type) {
    return type == DType::kF32 || type == DType::kF16 || type == DType::kBF16;
}

bool computes_with_floats(const Instruction& instruction) {
    return info(instruction.opcode).semantics != nullptr &&
           traits(instruction.opcode).computes_floats;
}

// Whether an element is beyond what the conversion can give: it saturates, becomes the indefinite
// value (ieee) or keeps its low bits (hardware profiles).
bool depends_on_saturation(DType to, DType from, uint64_t raw, RoundMode round) {
    const uint64_t most = convert_bits(to, from, raw, round, Saturation::kOn);
    if (most != convert_bits(to, from, raw, round, Saturation::kOff)) return true;
    if (!is_integer(to) || is_integer(from) || bits(to) > 16) return false;
    const uint64_t whole = convert_bits(DType::kI32, from, raw, round, Saturation::kOn);
    return most != convert_bits(to, DType::kI32, whole, round, Saturation::kOff);
}

class Choices {
 public:
    Choices(const Execution& e, DataReporter& reporter) : e_{e}, reporter_{reporter} {}

    // One for the instruction as a whole.
    void always(std::string_view code, unsigned operand, const std::string& what,
                std::string_view rule) {
        DataFinding finding;
        finding.code = code;
        finding.operand = operand;
        finding.count = 1;
        finding.message = who(operand) + what;
        finding.hint = hint(rule);
        reporter_.report(finding);
    }

    // Those of the floats of an operand (a scalar is one) for which chosen(value).
    template <typename F>
    void floats(std::string_view code, unsigned operand, const std::string& what,
                std::string_view rule, F&& chosen) {
        const Operand& source = e_.instruction.operands[operand];
        DataFinding finding;
        if (source.is_scalar() && !is_integer(source.scalar.dtype)) {
            if (chosen(scalar_as<float>(source.scalar))) add(finding, 0, 0);
        } else if (source.is_tile() && is_float(source.tile.dtype)) {
            visit_float(source.tile.dtype, [&](auto type) {
                using T = decltype(type);
                each(source.tile, finding, [&](int row, int col) {
                    return chosen(to_float(read_lane<T>(source.tile, e_.bytes[operand], row, col)));
                });
            });
        }
        tell(finding, code, operand, what, rule);
    }

    // Elements for which the conversion has two results, by whether it saturates.
    void saturation() {
        const Tile& to = e_.tile(0);
        const Tile& from = e_.tile(1);
        if (e_.instruction.attributes.saturation_given || bits(from.dtype) < 8) return;
        const RoundMode round = e_.instruction.attributes.round;
        DataFinding finding;
        visit_bits(from.dtype, [&](auto type) {
            using T = decltype(type);
            each(from, finding, [&](int row, int col) {
                const auto raw = uint64_t{read_lane<T>(from, e_.bytes[1], row, col)};
                return depends_on_saturation(to.dtype, from.dtype, raw, round);
            });
        });
        tell(finding, "N07", 1,
             " is beyond " + std::string(name(to.dtype)) +
                 ", and the kernel does not say whether "
                 "the conversion saturates:",
             "conversion-default-saturation");
    }

 private:
    std::string who(unsigned operand) const {
        return "operand '" + std::string(info(e_.instruction.opcode).operands[operand].name) + "'";
    }
    static std::string hint(std::string_view rule) {
        return "what is done here: rule '" + std::string(rule) + "' of `ptosim isa`";
    }
    static void add(DataFinding& finding, int row, int col) {
        if (finding.count++ != 0) return;
        finding.row = row;
        finding.col = col;
    }
    template <typename F>
    static void each(const Tile& tile, DataFinding& finding, F&& chosen) {
        for (int row = 0; row < tile.valid_rows; ++row)
            for (int col = 0; col < tile.valid_cols; ++col)
                if (chosen(row, col)) add(finding, row, col);
    }
    void tell(DataFinding finding, std::string_view code, unsigned operand, const std::string& what,
              std::string_view rule) {
        if (finding.count == 0) return;
        finding.code = code;
        finding.operand = operand;
        finding.message = who(operand) + what + " at (" + std::to_string(finding.row) + ", " +
                          std::to_string(finding.col) + ")";
        if (finding.count > 1)
            finding.message += " and " + std::to_string(finding.count - 1) + " more";
        finding.hint = hint(rule);
        reporter_.report(finding);
    }

    const Execution& e_;
    DataReporter& reporter_;
};

// Layouts that no document fixes.
void layouts(Choices& choices, const Execution& e) {
    const Instruction& instruction = e.instruction;
    switch (instruction.opcode) {
        case kTCMP:
        case kTCMPS:
            return choices.always("P03", 0, " is a mask, and no document says how it is packed",
                                  "mask-bits");
        case kTSORT32:
        case kTMRGSORT:
            if (e.tile(0).dtype == DType::kF16)
                choices.always("P03", 0, " has records with bytes that no document fixes",
                               "sort-padding");
            return;
        case kTQUANT_MX:
            if (instruction.operand_count > 5 && instruction.operands[5].present())
                choices.always("P03", 5, " has exponents in an order that no document fixes",
                               "exponent-boxes");
            return choices.always("N09", 0,
                                  " is rounded to nearest even, and documents speak of stochastic "
                                  "rounding",
                                  "mx-quantisation-rounds");
        default:
            return;
    }
}

// Functions where they have no finite value.
void domains(Choices& choices, const Instruction& instruction) {
    const auto negative = [](float x) { return x < 0; };
    const auto zero = [](float x) { return x == 0; };
    const auto not_positive = [](float x) { return x <= 0; };
    constexpr std::string_view kRule = "high-precision-is-default";
    switch (instruction.opcode) {
        case kTLOG:
        case kTRSQRT:
            return choices.floats("N02", 1, " is zero or negative:", kRule, not_positive);
        case kTSQRT:
            return choices.floats("N02", 1, " is negative:", kRule, negative);
        case kTRECIP:
            return choices.floats("N02", 1, " is zero, and 1 is divided by it:", kRule, zero);
        case kTDIV:
        case kTDIVS:
        case kTROWEXPANDDIV:
        case kTCOLEXPANDDIV:
            return choices.floats("N02", 2, " is zero, and a float is divided by it:", kRule, zero);
        default:
            return;
    }
}

void subnormals(Choices& choices, const Instruction& instruction) {
    const bool by_a5 = traits(instruction.opcode).flushes_subnormals_a5 &&
                       instruction.tile(0).dtype == DType::kF32;
    const InstructionInfo& row = info(instruction.opcode);
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const OperandRole role = row.operands[i].role;
        const Operand& operand = instruction.operands[i];
        if ((role != OperandRole::kIn && role != OperandRole::kInOut) || !operand.is_tile() ||
            !is_float(operand.tile.dtype))
            continue;
        const float least = operand.tile.dtype == DType::kF16 ? 0x1p-14F : 0x1p-126F;
        choices.floats("N06", i,
                       by_a5
                           ? " is subnormal, which a5 takes for zero:"
                           : " is subnormal, and a document says that hardware takes it for zero:",
                       by_a5 ? "flush-subnormals-a5" : "subnormals-stay",
                       [least](float x) { return x != 0 && x < least && x > -least; });
    }
}

}  // namespace
}  // namespace semantics

bool has_choice(const Instruction& instruction) {
    return semantics::computes_with_floats(instruction) || instruction.opcode == Opcode::kTSORT32 ||
           instruction.opcode == Opcode::kTMRGSORT;
}

void check_choices(const Execution& e, DataReporter& reporter) {
    semantics::Choices choices(e, reporter);
    semantics::layouts(choices, e);
    semantics::domains(choices, e.instruction);
    if (e.instruction.opcode == Opcode::kTCVT) choices.saturation();
    if (semantics::computes_with_floats(e.instruction))
        semantics::subnormals(choices, e.instruction);
}

}  // namespace ptosim
