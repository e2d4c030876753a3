// Settings of a core's registers (isa/table/mode_registers.h): the core that issues them keeps them.
#include "isa/instructions/row.h"

namespace ptosim::rules {

using enum DType;

namespace {

bool check_image_set(const Instruction& instruction, const InstructionInfo& row, Arch,
                     Problem& problem) {
    const unsigned set = instruction.attributes.convolution().image.registers;
    if (set == 1 || set == 2) return true;
    return fail(problem, "G13", -1,
                std::string(row.name) + " names register set " + std::to_string(set) +
                    "; there are 1 (A) and 2 (B)");
}

constexpr LegalityRule image_set{"image_set", "G13", "the feature map is of register set A or B",
                                 &check_image_set};

bool check_quant_table(const Instruction& instruction, const InstructionInfo& row, Arch,
                       Problem& problem) {
    const DType type = instruction.tile(0).dtype;
    if (type == DType::kU64 || type == DType::kI64) return true;
    return fail(problem, "T12", 0,
                operand_text(row, 0) + " is " + std::string(name(type)) +
                    "; quantisation parameters are u64");
}

constexpr LegalityRule quant_table{"quant_table", "T12", "the parameters are u64",
                                   &check_quant_table};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {
#include "isa/instructions/mode_registers.def"
}  // namespace ptosim::rows
