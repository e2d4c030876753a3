#include "sim/machine/core/validation_cache.h"

#include <array>
#include <type_traits>
#include <utility>

#include "isa/core/instruction_hash.h"

namespace ptosim {
namespace {

uint64_t hash_of(const Instruction& instruction, CoreType core) {
    uint64_t hash = mix_hash(instruction.location.line, instruction.location.column);
    hash = mix_hash(hash, static_cast<uint64_t>(instruction.attributes.event_id) << 8 |
                              static_cast<uint64_t>(core));
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile())
            hash = mix_hash(hash, uint64_t{operand.tile.address} << 32 ^
                                      static_cast<uint64_t>(operand.tile.valid_rows) << 16 ^
                                      static_cast<uint64_t>(operand.tile.valid_cols));
        if (operand.is_scalar()) hash = mix_hash(hash, operand.scalar.bits);
        // Loops alternate between neighbours in a matrix, so these must not replace each other in
        // the cache.
        if (operand.is_global())
            hash = mix_hash(hash, operand.global.address % kViewAlignment << 32 ^
                                      static_cast<uint64_t>(operand.global.shape[3]) << 16 ^
                                      static_cast<uint64_t>(operand.global.shape[4]));
    }
    return hash;
}

bool same_view(const GlobalView& a, const GlobalView& b) {
    return a.address % kViewAlignment == b.address % kViewAlignment && a.dtype == b.dtype &&
           a.layout == b.layout && same_bytes(a.shape, b.shape) && same_bytes(a.stride, b.stride);
}

// Tile has no padding between its members.
static_assert(std::has_unique_object_representations_v<Tile>);
bool same_tile(const Tile& a, const Tile& b) { return same_bytes(a, b); }

bool same(const Operand& a, const Operand& b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case Operand::Kind::kTile:
            return same_tile(a.tile, b.tile);
        case Operand::Kind::kGlobal:
            return same_view(a.global, b.global);
        case Operand::Kind::kScalar:
            return a.scalar == b.scalar;
        case Operand::Kind::kNone:
            return true;
    }
    return false;
}

bool same(const Attributes& a, const Attributes& b) {
    using Modes = std::array<std::byte, Attributes::kModeBytes>;
    return same_bytes(reinterpret_cast<const Modes&>(a), reinterpret_cast<const Modes&>(b)) &&
           (a.payload_kind == PayloadKind::kNone || same_bytes(a.payload.bytes, b.payload.bytes));
}

bool same(const Instruction& a, const Instruction& b) {
    if (a.opcode != b.opcode || a.operand_count != b.operand_count || a.location != b.location ||
        !same(a.attributes, b.attributes))
        return false;
    for (unsigned i = 0; i < a.operand_count; ++i)
        if (!same(a.operands[i], b.operands[i])) return false;
    return true;
}

}  // namespace

ValidationCache::Lookup ValidationCache::find(const Instruction& instruction, CoreType core) const {
    const auto at = static_cast<uint32_t>(hash_of(instruction, core) % kLines);
    const Line* const line = lines_[at].get();
    return {at, line != nullptr && line->core == core && same(line->instruction, instruction)};
}

bool ValidationCache::get(const Instruction& instruction, CoreType core, ValidatedInstruction& result) const {
    const auto locked = lock();
    const Lookup lookup = find(instruction, core);
    if (lookup.hit) result = lines_[lookup.line]->validated;
    return lookup.hit;
}

ValidatedInstruction ValidationCache::add(const Instruction& instruction, CoreType core, const Cost& cost) {
    const auto locked = lock();
    const Lookup lookup = find(instruction, core);
    if (!lookup.hit) fill(lookup, instruction, core, cost);
    return lines_[lookup.line]->validated;
}

void ValidationCache::fill(Lookup lookup, const Instruction& instruction, CoreType core, const Cost& cost) {
    std::unique_ptr<Line>& there = lines_[lookup.line];
    if (there == nullptr) there = std::make_unique<Line>();
    Line& line = *there;
    line.core = core;
    line.validated = {cost, ++last_id_};
    line.instruction.assign(instruction);
    line.known = nullptr;
    line.offered = false;
}

namespace {
// Flags are validated once for all instructions that name them (FlagFile::legality), and cost
// nothing.
bool is_flag(const Instruction& instruction) {
    return instruction.opcode == Opcode::kSET_FLAG || instruction.opcode == Opcode::kWAIT_FLAG;
}
}  // namespace

// Most instructions of a program are issued once. The copies pay off for the others.
const KnownInstruction* ValidationCache::keep(const Instruction& given, const Instruction& complete,
                                              CoreType core, Pipe pipe) {
    const auto locked = lock();
    const Lookup lookup = find(complete, core);
    if (!lookup.hit) {
        if (!is_flag(complete)) return nullptr;
        fill(lookup, complete, core, {});
    }
    Line& line = *lines_[lookup.line];
    if (line.known != nullptr) return same(line.known->given, given) ? line.known : nullptr;
    if (!std::exchange(line.offered, true) || known_.size() == kMostKnown) return nullptr;
    KnownInstruction& known = known_.emplace_back();
    known.given.assign(given);
    known.complete.assign(complete);
    known.validated = line.validated;
    known.pipe = pipe;
    known.form = form_of(given.opcode);
    return line.known = &known;
}

}  // namespace ptosim
