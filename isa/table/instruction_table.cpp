#include "isa/table/instruction_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <unordered_map>
#include <utility>

#include "isa/core/arch.h"
#include "isa/table/instruction_traits.h"
#include "isa/table/opcode_rows.h"

namespace ptosim {

namespace intrinsic_rows {
#define PTO_INTRINSIC_OPCODE(NAME) extern const InstructionInfo NAME##_instruction;
#include "isa/intrinsic_opcodes.def"
#undef PTO_INTRINSIC_OPCODE
}  // namespace intrinsic_rows

constinit const InstructionInfo* const kInstructionRows[] = {
#define PTO_OPCODE(NAME) &rows::NAME,
#include "isa/opcodes.def"
#undef PTO_OPCODE
    nullptr,
#define PTO_INTRINSIC_OPCODE(NAME) &intrinsic_rows::NAME##_instruction,
#include "isa/intrinsic_opcodes.def"
#undef PTO_INTRINSIC_OPCODE
};

namespace {

std::unordered_map<std::string, const InstructionInfo*> make_index() {
    std::unordered_map<std::string, const InstructionInfo*> index;
    for (const InstructionInfo& row : instruction_table()) {
        index.emplace(row.name, &row);
        if (!row.assembly.empty()) index.emplace(row.assembly, &row);
        std::string_view rest = row.aliases;
        while (!rest.empty()) {
            const size_t end = std::min(rest.find(' '), rest.size());
            if (end > 0) index.emplace(rest.substr(0, end), &row);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return index;
}

bool has_scratch(const Instruction& instruction) {
    const auto operands = info(instruction.opcode).operands;
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (operands[i].role == OperandRole::kTmp && instruction.operands[i].is_tile()) return true;
    return false;
}

Pipe move_pipe(Space from, Space to) {
    switch (from) {
        case Space::kUB:
            return to == Space::kUB ? Pipe::kV : Pipe::kMTE3;
        case Space::kL1:
            return to == Space::kFixpipe ? Pipe::kFIX : Pipe::kMTE1;
        default:
            return Pipe::kFIX;
    }
}

}  // namespace

std::string to_text(DTypeSet set) {
    std::string text;
    for (unsigned i = 0; i < static_cast<unsigned>(DType::kCount); ++i) {
        const auto type = static_cast<DType>(i);
        if (!set.contains(type)) continue;
        if (!text.empty()) text += ", ";
        text += name(type);
    }
    return text;
}

const InstructionInfo* find_instruction(std::string_view word) {
    static const auto& index = *new auto(make_index());
    const auto found = index.find(std::string(word));
    return found == index.end() ? nullptr : found->second;
}

const InstructionInfo* find_instruction_or_intrinsic(std::string_view name) {
    using Table = std::unordered_map<std::string_view, const InstructionInfo*>;
    static const auto& intrinsics = *new Table([] {
        Table table;
        for (unsigned opcode = kFirstIntrinsic; opcode < std::size(kInstructionRows); ++opcode)
            table.emplace(kInstructionRows[opcode]->name, kInstructionRows[opcode]);
        return table;
    }());
    const auto found = intrinsics.find(name);
    return found == intrinsics.end() ? find_instruction(name) : found->second;
}

Pipe pipe_of(const Instruction& instruction, Arch arch) {
    const auto& operands = instruction.operands;
    switch (info(instruction.opcode).pipe) {
        case PipeRule::kScalar:
            return traits(instruction.opcode).vector_with_scratch && has_scratch(instruction)
                       ? Pipe::kV
                       : Pipe::kS;
        case PipeRule::kVector:
            return Pipe::kV;
        case PipeRule::kCube:
            return Pipe::kM;
        case PipeRule::kLoad:
            return Pipe::kMTE2;
        case PipeRule::kStore:
            return operands[1].tile.space == Space::kL0C ? Pipe::kFIX : Pipe::kMTE3;
        case PipeRule::kMove:
            return move_pipe(operands[1].tile.space, operands[0].tile.space);
        case PipeRule::kFill:
            return operands[0].tile.space == Space::kUB ? Pipe::kV : Pipe::kMTE2;
        case PipeRule::kGather:
            return traits_of(arch).gather_threads && operands[0].tile.space == Space::kUB
                       ? Pipe::kV
                       : Pipe::kMTE2;
        case PipeRule::kScatter:
            return traits_of(arch).gather_threads ? Pipe::kV : Pipe::kMTE3;
        case PipeRule::kFlag:
            return instruction.opcode == Opcode::kSET_FLAG ||
                           instruction.opcode == Opcode::kCROSS_SET ||
                           instruction.opcode == Opcode::kINTRA_SET
                       ? instruction.attributes.source_pipe
                       : instruction.attributes.destination_pipe;
    }
    return Pipe::kS;
}

std::optional<CoreType> core_of(const Instruction& instruction) {
    const Pipe pipe = pipe_of(instruction, Arch::kA2A3);  // the core is the same everywhere
    if (pipe == Pipe::kV) return CoreType::kAIV;
    if (pipe == Pipe::kM || pipe == Pipe::kMTE1 || pipe == Pipe::kFIX) return CoreType::kAIC;
    // Data for L1 of the cube core leaves UB of a vector core.
    if (info(instruction.opcode).pipe == PipeRule::kMove && pipe == Pipe::kMTE3)
        return CoreType::kAIV;
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile())
            return instruction.operands[i].tile.space == Space::kUB ? CoreType::kAIV
                                                                    : CoreType::kAIC;
    return std::nullopt;
}

}  // namespace ptosim
