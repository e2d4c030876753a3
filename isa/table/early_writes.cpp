#include "isa/table/early_writes.h"

namespace ptosim {

namespace {

bool same_elements(const Tile& a, const Tile& b) {
    const bool lines = a.outer == b.outer && a.pitch == b.pitch;
    return a.address == b.address && bits(a.dtype) == bits(b.dtype) && a.inner == b.inner && lines;
}

// Of scratch, what the implementation uses of it.
uint64_t bytes_used(const Instruction& instruction, unsigned operand) {
    const InstructionInfo& row = info(instruction.opcode);
    if (row.operands[operand].role == OperandRole::kTmp && row.traits->scratch_bytes != nullptr)
        return row.traits->scratch_bytes(instruction);
    return instruction.tile(operand).touched_bytes();
}

bool share_bytes(const Instruction& instruction, unsigned a, unsigned b) {
    const Tile &first = instruction.tile(a), &second = instruction.tile(b);
    const uint64_t length = bytes_used(instruction, a), other = bytes_used(instruction, b);
    return first.space == second.space && length != 0 && other != 0 &&
           first.address < second.address + other && second.address < first.address + length;
}

bool is_harmless(EarlyWrite::Unless unless, const Tile& written, const Tile& read) {
    if (unless == EarlyWrite::Unless::kSameAddress) return written.address == read.address;
    return unless == EarlyWrite::Unless::kSameElements && same_elements(written, read);
}

}  // namespace

const EarlyWrite* early_write(const Instruction& instruction, Arch arch) {
    const auto is_tile = [&](unsigned operand) {
        return operand < instruction.operand_count && instruction.operands[operand].is_tile();
    };
    for (const EarlyWrite& write : traits(instruction.opcode).early_writes[arch]) {
        if (!is_tile(write.written) || !is_tile(write.read)) continue;
        if (write.applies != nullptr && !write.applies(instruction)) continue;
        if (share_bytes(instruction, write.written, write.read) &&
            !is_harmless(write.unless, instruction.tile(write.written), instruction.tile(write.read)))
            return &write;
    }
    return nullptr;
}

}  // namespace ptosim
