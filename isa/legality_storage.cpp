// Rules of where operands lie: scratch that is large enough, operands that must not share bytes,
// transfers within the fields of the hardware's instructions. They are of architectures whose
// instructions are sequences that keep things between their steps, and have narrow fields.
#include <algorithm>

#include "isa/arch.h"
#include "isa/instruction_traits.h"
#include "isa/legality.h"

namespace ptosim::rules {

namespace {

bool overlap(const Tile& a, const Tile& b) {
    return a.space == b.space && a.address < b.address + b.touched_bytes() &&
           b.address < a.address + a.touched_bytes();
}

}  // namespace

bool scratch(const Instruction& instruction, const InstructionInfo& row, Arch arch,
             Problem& problem) {
    if (!traits_of(arch).checks_scratch_size) return true;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (row.operands[i].role != OperandRole::kTmp || !instruction.operands[i].is_tile())
            continue;
        const DType type = instruction.tile(0).dtype;
        if (!row.traits->scratch_types.empty() && !row.traits->scratch_types.contains(type))
            return fail(problem, "T03", 0,
                        std::string(row.name) + " with a scratch tile takes " +
                            to_text(row.traits->scratch_types) + ", not " + std::string(name(type)),
                        "leave the scratch tile out");
        const uint64_t needed = row.traits->scratch_bytes(instruction);
        const uint64_t found = instruction.tile(i).byte_size();
        if (found >= needed) continue;
        return fail(problem, "S16", static_cast<int>(i),
                    operand_text(row, i) + " has " + std::to_string(found) + " bytes; " +
                        std::string(row.name) + " on " + std::string(name(arch)) + " uses " +
                        std::to_string(needed));
    }
    return true;
}

// TANDS and TORS on every architecture, the others on a2a3 (hw-native-sys/pto-isa docs/isa): there
// TRECIP and TDIVS fill dst with the dividend before they read the divisor (a2a3/TDivS.hpp).
bool apart(const Instruction& instruction, const InstructionInfo& row, Arch arch,
           Problem& problem) {
    if (!traits_of(arch).fills_before_reading && !row.traits->apart_everywhere) return true;
    if (row.traits->apart_if != nullptr && !row.traits->apart_if(instruction)) return true;
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        for (unsigned j = i + 1; j < instruction.operand_count; ++j) {
            if (!instruction.operands[i].is_tile() || !instruction.operands[j].is_tile()) continue;
            const bool written = row.operands[i].role != OperandRole::kIn ||
                                 row.operands[j].role != OperandRole::kIn;
            if (!written || !overlap(instruction.tile(i), instruction.tile(j))) continue;
            return fail(
                problem, "A07", static_cast<int>(j),
                operand_text(row, i) + " and " + operand_text(row, j) + " share bytes: " +
                    to_text(instruction.tile(i)) + ", " + to_text(instruction.tile(j)),
                std::string(row.name) + " on " + std::string(name(arch)) + " needs them apart");
        }
    return true;
}

namespace {

// What a field of a transfer's instruction can count up to.
struct Bound {
    bool store;
    Space space;
    GlobalLayout view;
    std::string_view tile;  // its layout; empty: any
    bool is_stride;
    unsigned dim;
    int64_t limit;
};

// hw-native-sys/pto-isa include/pto/common/arch/memory/tload_common.hpp and tstore_common.hpp.
constexpr Bound kBounds[] = {
    {false, Space::kUB, GlobalLayout::kND, "", false, 3, 4095},
    {false, Space::kUB, GlobalLayout::kDN, "", false, 4, 4095},
    {false, Space::kUB, GlobalLayout::kNZ, "", false, 1, 4095},
    {false, Space::kL1, GlobalLayout::kND, "NZ", false, 3, 16384},
    {false, Space::kL1, GlobalLayout::kND, "NZ", false, 4, 65535},
    {false, Space::kL1, GlobalLayout::kND, "NZ", true, 3, 65535},
    {false, Space::kL1, GlobalLayout::kDN, "ZN", false, 4, 16384},
    {false, Space::kL1, GlobalLayout::kDN, "ZN", false, 3, 65535},
    {false, Space::kL1, GlobalLayout::kDN, "ZN", true, 4, 65535},
    {true, Space::kUB, GlobalLayout::kND, "", false, 3, 4095},
    {true, Space::kUB, GlobalLayout::kDN, "", false, 4, 4095},
    {true, Space::kUB, GlobalLayout::kNZ, "", false, 1, 4095},
    {true, Space::kL0C, GlobalLayout::kND, "", false, 3, 8192},
    {true, Space::kL0C, GlobalLayout::kND, "", false, 4, 4095},
};

bool applies(const Bound& bound, bool store, const Tile& tile, const GlobalView& view) {
    return bound.store == store && bound.space == tile.space && bound.view == view.layout &&
           (bound.tile.empty() || bound.tile == layout_name(tile));
}

}  // namespace

// (dst, src) of TLOAD, and of TSTORE.
bool transfer_bounds(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                     Problem& problem) {
    if (!traits_of(arch).bounded_transfers) return true;
    const bool store = row.opcode == Opcode::kTSTORE;
    const unsigned at = store ? 0 : 1;
    const GlobalView& view = instruction.operands[at].global;
    for (const Bound& bound : kBounds) {
        if (!applies(bound, store, instruction.tile(1 - at), view)) continue;
        const int64_t value = bound.is_stride ? view.stride[bound.dim] : view.shape[bound.dim];
        if (value <= bound.limit) continue;
        return fail(problem, "S01", static_cast<int>(at),
                    operand_text(row, at) + " has a " + (bound.is_stride ? "stride" : "shape") +
                        " of " + std::to_string(value) + " in dimension " +
                        std::to_string(bound.dim) + "; " + std::string(row.name) +
                        " of this kind on " + std::string(name(arch)) + " takes at most " +
                        std::to_string(bound.limit),
                    "transfer it in parts");
    }
    return true;
}

}  // namespace ptosim::rules
