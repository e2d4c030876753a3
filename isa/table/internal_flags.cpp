#include "isa/table/internal_flags.h"

#include <algorithm>

namespace ptosim {

bool read_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch) {
    const auto own = traits(instruction.opcode).read_by_scalar_unit;
    return own != nullptr && own(instruction, operand, arch);
}

bool written_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch) {
    const InstructionInfo& row = info(instruction.opcode);
    return row.traits->scratch_by_scalar_unit[arch] && row.operands[operand].role == OperandRole::kTmp;
}

std::span<const Pipe> awaited_pipes(const Instruction& instruction, Arch arch) {
    const auto own = traits(instruction.opcode).awaited_pipes;
    return own == nullptr ? std::span<const Pipe>{} : own(instruction, arch);
}

namespace {

unsigned scratch_operand(const InstructionInfo& row) {
    unsigned at = 0;
    while (at < row.operands.size() && row.operands[at].role != OperandRole::kTmp) ++at;
    return at;
}

}  // namespace

std::optional<uint64_t> used_scratch(const Instruction& instruction, Arch arch) {
    const InstructionInfo& row = info(instruction.opcode);
    const InstructionTraits& own = *row.traits;
    if (own.scratch_untouched[arch] ||
        (own.scratch_untouched_if != nullptr && own.scratch_untouched_if(instruction, arch)))
        return 0;
    const unsigned at = scratch_operand(row);
    const bool given = at < instruction.operand_count && instruction.operands[at].is_tile();
    if (!given || own.scratch_bytes[arch] == nullptr) return std::nullopt;
    const uint64_t size = own.scratch_bytes[arch](instruction);
    return size == 0 ? std::nullopt : std::optional(size);
}

bool touches_scratch(const Instruction& instruction, Arch arch) { return used_scratch(instruction, arch) != 0; }

bool may_have_fixed_scratch(Opcode opcode, Arch arch) {
    return traits(opcode).fixed_scratch[arch] != 0;
}

bool add_fixed_scratch(Instruction& instruction, Arch arch) {
    const InstructionInfo& row = info(instruction.opcode);
    const unsigned at = scratch_operand(row);
    if (at < instruction.operand_count && instruction.operands[at].present()) return false;
    const uint64_t size = row.traits->scratch_bytes[arch](instruction);
    if (size == 0) return false;
    const DType type = instruction.tile(0).dtype;
    Tile tile = make_tile(Space::kUB, type, 1, static_cast<int32_t>(size / bytes(type, 1)));
    tile.address = row.traits->fixed_scratch[arch];
    instruction.operands[at] = tile;
    instruction.operand_count = static_cast<uint8_t>(std::max<unsigned>(instruction.operand_count, at + 1));
    return true;
}

const Tile* fixed_scratch(const Instruction& instruction, Arch arch) {
    if (!may_have_fixed_scratch(instruction.opcode, arch)) return nullptr;
    const InstructionInfo& row = info(instruction.opcode);
    const unsigned at = scratch_operand(row);
    if (at >= instruction.operand_count || !instruction.operands[at].is_tile()) return nullptr;
    const Tile& tile = instruction.tile(at);
    return tile.address == row.traits->fixed_scratch[arch] ? &tile : nullptr;
}

std::optional<ScratchShortage> scratch_shortage(const Instruction& instruction, Arch arch) {
    const InstructionInfo& row = info(instruction.opcode);
    const InstructionTraits& own = *row.traits;
    if (own.scratch_bytes[arch] == nullptr) return std::nullopt;
    for (unsigned i = 0; i < instruction.operand_count && i < row.operands.size(); ++i) {
        if (row.operands[i].role != OperandRole::kTmp || !instruction.operands[i].is_tile())
            continue;
        const Tile& tmp = instruction.tile(i);
        const uint64_t of_row =
            own.scratch_row_bytes != nullptr ? own.scratch_row_bytes(instruction) : 0;
        const uint64_t row_found = bytes(tmp.dtype, static_cast<size_t>(tmp.pitch));
        const uint64_t needed = own.scratch_bytes[arch](instruction);
        if (row_found < of_row) return ScratchShortage{i, of_row, row_found, true, needed};
        if (tmp.byte_size() < needed)
            return ScratchShortage{i, needed, tmp.byte_size(), false, needed};
    }
    return std::nullopt;
}

std::span<const InternalFlag> internal_flags(Opcode opcode, Arch arch) {
    return traits(opcode).internal_flags[arch];
}

}  // namespace ptosim
