#include "isa/semantics/implementation_defined.h"

#include "isa/table/instruction_traits.h"

namespace ptosim {

namespace semantics {
namespace {

std::string hint(std::string_view rule) {
    return "ptosim applies rule '" + std::string(rule) + "' of `ptosim isa`";
}

bool computes_with_floats(const Instruction& instruction) {
    return info(instruction.opcode).semantics != nullptr &&
           traits(instruction.opcode).computes_floats;
}

void subnormals(ImplementationDefinedCheck& check, const Instruction& instruction) {
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
        check.floats("N06", i,
                     by_a5 ? " is subnormal, which a5 treats as zero:"
                           : " is subnormal, and hardware treats it as zero by its documents:",
                     by_a5 ? "flush-subnormals-a5" : "subnormals-stay",
                     [least](float x) { return x != 0 && x < least && x > -least; });
    }
}

}  // namespace

void ImplementationDefinedCheck::always(std::string_view code, unsigned operand,
                                        const std::string& what, std::string_view rule) {
    DataFinding finding;
    finding.code = code;
    finding.operand = operand;
    finding.count = 1;
    finding.message = who(operand) + what;
    finding.hint = hint(rule);
    reporter_.report(finding);
}

void ImplementationDefinedCheck::report(DataFinding finding, std::string_view code,
                                        unsigned operand, const std::string& what,
                                        std::string_view rule) {
    if (finding.count == 0) return;
    finding.code = code;
    finding.operand = operand;
    finding.message = who(operand) + what + " at (" + std::to_string(finding.row) + ", " +
                      std::to_string(finding.col) + ")";
    if (finding.count > 1) finding.message += " and " + std::to_string(finding.count - 1) + " more";
    finding.hint = hint(rule);
    reporter_.report(finding);
}

std::string ImplementationDefinedCheck::who(unsigned operand) const {
    return "operand '" + std::string(info(e_.instruction.opcode).operands[operand].name) + "'";
}

void check_zero_divisor(ImplementationDefinedCheck& check) {
    check.floats("N02", 2, " is zero, and a float is divided by it:", "high-precision-is-default",
                 [](float x) { return x == 0; });
}

}  // namespace semantics

bool may_be_implementation_defined(const Instruction& instruction) {
    return semantics::computes_with_floats(instruction) ||
           traits(instruction.opcode).implementation_defined != nullptr;
}

void check_implementation_defined(const Execution& e, DataReporter& reporter) {
    semantics::ImplementationDefinedCheck check(e, reporter);
    if (const auto own = traits(e.instruction.opcode).implementation_defined) own(check);
    if (semantics::computes_with_floats(e.instruction)) semantics::subnormals(check, e.instruction);
}

}  // namespace ptosim
