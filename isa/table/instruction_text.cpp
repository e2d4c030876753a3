#include "isa/core/instruction.h"

#include "isa/table/instruction_table.h"

namespace ptosim {

namespace {

std::string to_text(const Operand& operand) {
    switch (operand.kind) {
        case Operand::Kind::kNone:
            return "-";
        case Operand::Kind::kTile:
            return ptosim::to_text(operand.tile);
        case Operand::Kind::kGlobal:
            return ptosim::to_text(operand.global);
        case Operand::Kind::kScalar: {
            static constexpr char kHex[] = "0123456789abcdef";
            std::string text{name(operand.scalar.dtype)};
            text += " 0x";
            for (unsigned digit = (bits(operand.scalar.dtype) + 3) / 4; digit-- > 0;)
                text += kHex[(operand.scalar.bits >> (4 * digit)) & 15];
            return text;
        }
    }
    return "?";
}

}  // namespace

std::string to_text(const Instruction& instruction) {
    const InstructionInfo& row = info(instruction.opcode);
    std::string text{row.name};
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        text += i == 0 ? " " : ", ";
        text += to_text(instruction.operands[i]);
    }
    if (row.attributes.has(kAttrPipes)) {
        text += ' ';
        text += name(instruction.attributes.source_pipe);
        text += "->";
        text += name(instruction.attributes.destination_pipe);
    }
    if (row.attributes.has(kAttrEvent))
        text += " id " + std::to_string(instruction.attributes.event_id);
    return text;
}

}  // namespace ptosim
