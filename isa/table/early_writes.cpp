#include "isa/table/early_writes.h"

namespace ptosim {

namespace {

bool same_elements(const Tile& a, const Tile& b) {
    const bool lines = a.outer == b.outer && a.pitch == b.pitch;
    return a.address == b.address && bits(a.dtype) == bits(b.dtype) && a.inner == b.inner && lines;
}

// The bytes that an operand covers: lines of `width` bytes, `pitch` bytes apart.
struct Lines {
    uint64_t begin = 0, width = 0, pitch = 0, count = 1;

    uint64_t end() const { return begin + (count - 1) * pitch + width; }
};

// Lines of an operand: the used part of scratch; for boxes, everything from the first to the last.
Lines lines_of(const Instruction& instruction, unsigned operand, Arch arch) {
    const InstructionInfo& row = info(instruction.opcode);
    const Tile& tile = instruction.tile(operand);
    if (row.operands[operand].role == OperandRole::kTmp)
        if (const auto scratch_bytes = row.traits->scratch_bytes[arch]) return {tile.address, scratch_bytes(instruction)};
    const bool rows = tile.outer == OuterLayout::kRowMajor;
    const int32_t count = rows ? tile.valid_rows : tile.valid_cols;
    const int32_t along = rows ? tile.valid_cols : tile.valid_rows;
    if (tile.boxed() || count <= 1 || along <= 0) return {tile.address, tile.touched_bytes()};
    return {tile.address, bytes(tile.dtype, static_cast<size_t>(along)),
            bytes(tile.dtype, static_cast<size_t>(tile.pitch)), static_cast<uint64_t>(count)};
}

bool share_bytes(const Instruction& instruction, unsigned a, unsigned b, Arch arch) {
    if (instruction.tile(a).space != instruction.tile(b).space) return false;
    const Lines first = lines_of(instruction, a, arch), second = lines_of(instruction, b, arch);
    if (first.width == 0 || second.width == 0 || first.begin >= second.end() ||
        second.begin >= first.end())
        return false;
    for (uint64_t i = 0, j = 0; i < first.count && j < second.count;) {
        const uint64_t one = first.begin + i * first.pitch, other = second.begin + j * second.pitch;
        if (one < other + second.width && other < one + first.width) return true;
        one < other ? ++i : ++j;
    }
    return false;
}

bool is_harmless(EarlyWrite::Unless unless, const Tile& written, const Tile& read) {
    if (unless == EarlyWrite::Unless::kSameAddress) return written.address == read.address;
    return unless == EarlyWrite::Unless::kSameElements && same_elements(written, read);
}

// An instruction that works element by element may write each element over itself, but not over other elements
// of the repeat that it reads, or of a later one (cannmirror/asc-devkit docs/zh/api/SIMD-API, general constraints:
// overlapping addresses).
constexpr EarlyWrite kOverFirst{0, 1}, kOverSecond{0, 2};
constexpr uint32_t kRepeatBytes = 256;

bool is_shifted(const Instruction& instruction, unsigned source, Arch arch) {
    const Tile &dst = instruction.tile(0), &src = instruction.tile(source);
    return dst.address + kRepeatBytes > src.address && !same_elements(dst, src) &&
           share_bytes(instruction, 0, source, arch);
}

}  // namespace

const EarlyWrite* early_write(const Instruction& instruction, Arch arch) {
    const auto is_tile = [&](unsigned operand) {
        return operand < instruction.operand_count && instruction.operands[operand].is_tile();
    };
    for (const EarlyWrite& write : traits(instruction.opcode).early_writes[arch]) {
        if (!is_tile(write.written) || !is_tile(write.read)) continue;
        if (write.applies != nullptr && !write.applies(instruction)) continue;
        if (share_bytes(instruction, write.written, write.read, arch) &&
            !is_harmless(write.unless, instruction.tile(write.written), instruction.tile(write.read)))
            return &write;
    }
    if (traits_of(arch).vector_operands != VectorOperands::kMemory || !is_tile(0)) return nullptr;
    for (const EarlyWrite* write : {&kOverFirst, &kOverSecond})
        if ((traits(instruction.opcode).in_place >> write->read & 1) != 0 && is_tile(write->read) &&
            is_shifted(instruction, write->read, arch))
            return write;
    return nullptr;
}

}  // namespace ptosim
