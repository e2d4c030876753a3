// Footprints of instructions against their effects: every golden case is run with different bytes outside of its
// footprint.
#include "sim/check/footprint.h"

#include <algorithm>
#include <random>

#include "isa/semantics/goldens.h"

namespace ptosim::check {
namespace {

// Claimed accesses, by byte of an operand.
struct Claim {
    std::vector<bool> reads, writes;
};

using Memory = std::array<std::vector<std::byte>, Instruction::kMaxOperands>;

std::vector<Claim> claims(const GoldenCase& golden) {
    std::vector<Claim> all(golden.operands.size());
    for (size_t i = 0; i < all.size(); ++i)
        all[i].reads.resize(golden.operands[i].before.size()), all[i].writes = all[i].reads;
    std::vector<Region> regions;
    for (const Access& access : accesses(golden.instruction)) {
        const Operand& operand = golden.instruction.operands[access.operand];
        const uint64_t base = access.global ? operand.global.address : operand.tile.address;
        regions_of(access, golden.instruction, regions);
        Claim& claim = all[access.operand];
        for (const Region& region : regions)
            for (uint64_t line = 0; line < region.lines; ++line)
                for (uint64_t i = 0; i < region.width; ++i) {
                    const uint64_t at = region.begin + line * region.pitch + i - base;
                    if (at >= claim.reads.size()) continue;
                    if (access.reads) claim.reads[at] = true;
                    if (access.writes) claim.writes[at] = true;
                }
    }
    return all;
}

// The case's bytes where it reads, and others everywhere else.
Memory fill(const GoldenCase& golden, const std::vector<Claim>& claimed, std::byte flip) {
    Memory memory;
    for (size_t i = 0; i < golden.operands.size(); ++i) {
        memory[i] = golden.operands[i].before;
        for (size_t at = 0; at < memory[i].size(); ++at)
            if (!claimed[i].reads[at]) memory[i][at] ^= flip;
    }
    return memory;
}

void run(const GoldenCase& golden, Memory& memory) {
    Execution execution{golden.instruction, {}, golden.numerics};
    for (size_t i = 0; i < golden.operands.size(); ++i)
        execution.bytes[i] = memory[i].empty() ? nullptr : memory[i].data();
    info(golden.instruction.opcode).semantics(execution);
}

bool is_nibbles(const Operand& operand) {
    return bits(operand.is_tile() ? operand.tile.dtype : operand.global.dtype) < 8;
}

// Moves between on-chip memories take along what lies next to the valid region, and from UB to L1 rows of other elements,
// with a warning (isa/instructions/moved_boxes.h). Checkers follow the valid region only, because the rest has no meaning
// for a kernel. By byte of the target: true if it is next to the region, or if the elements may be others.
std::vector<bool> taken_along(const GoldenCase& golden) {
    const Instruction& instruction = golden.instruction;
    const Opcode opcode = instruction.opcode;
    if (opcode != Opcode::kTMOV && opcode != Opcode::kTEXTRACT && opcode != Opcode::kTINSERT) return {};
    const Tile &to = instruction.tile(0), &from = instruction.tile(1);
    std::vector<bool> along(golden.operands[0].before.size(), true);
    if (from.space == Space::kUB && to.space == Space::kL1 && !from.boxed() && !to.boxed()) return along;
    const Tile& part = instruction.tile(opcode == Opcode::kTINSERT ? 1 : 0);
    const auto index = [&](unsigned i) {
        return opcode == Opcode::kTINSERT ? static_cast<int>(instruction.operands[i].scalar.bits) : 0;
    };
    const int first_row = index(2), first_col = index(3);
    for (int row = 0; row < part.valid_rows; ++row)
        for (int col = 0; col < part.valid_cols; ++col) {
            const auto at = bytes(to.dtype, static_cast<size_t>(to.index(first_row + row, first_col + col)));
            for (size_t byte = at; byte < at + bytes(to.dtype, 1) && byte < along.size(); ++byte) along[byte] = false;
        }
    return along;
}

// Runs the golden case on its own bytes, and on others outside of its reads. Every changed byte must be claimed as
// written, and the results must be the same.
void test_what_is_touched(const GoldenCase& golden, const std::vector<Claim>& claimed) {
    const Memory before[] = {fill(golden, claimed, std::byte{0}),
                             fill(golden, claimed, std::byte{0x5A})};
    Memory after[] = {before[0], before[1]};
    for (Memory& memory : after) run(golden, memory);
    const InstructionInfo& row = info(golden.instruction.opcode);
    const std::vector<bool> along = taken_along(golden);
    for (size_t i = 0; i < golden.operands.size(); ++i) {
        // The other half of a byte keeps its value.
        const bool may_differ =
            row.operands[i].role == OperandRole::kTmp || is_nibbles(golden.operands[i].operand);
        size_t unknown_writes = 0, unknown_reads = 0;
        for (size_t at = 0; at < before[0][i].size(); ++at) {
            if (before[0][i][at] == after[0][i][at] && before[1][i][at] == after[1][i][at])
                continue;
            if (i == 0 && at < along.size() && along[at]) continue;
            unknown_writes += !claimed[i].writes[at];
            unknown_reads += !may_differ && after[0][i][at] != after[1][i][at];
        }
        INFO("operand " << i << " of " << golden.name << ": " << to_text(golden.instruction));
        CHECK(unknown_writes == 0);
        CHECK(unknown_reads == 0);
    }
}

// True if other bytes in the operand can change anything that is written.
bool matters(const GoldenCase& golden, const std::vector<Claim>& claimed, size_t operand) {
    Memory reference = fill(golden, claimed, std::byte{0});
    run(golden, reference);
    std::mt19937 random(3);
    for (int round = 0; round < 4; ++round) {
        Memory memory = fill(golden, claimed, std::byte{0});
        for (size_t at = 0; at < memory[operand].size(); ++at)
            if (claimed[operand].reads[at]) memory[operand][at] = static_cast<std::byte>(random());
        run(golden, memory);
        for (size_t i = 0; i < golden.operands.size(); ++i)
            for (size_t at = 0; at < memory[i].size(); ++at)
                if (claimed[i].writes[at] && memory[i][at] != reference[i][at]) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("instructions touch the bytes that the checkers take them to touch") {
    for (const GoldenCase& golden : goldens().cases()) test_what_is_touched(golden, claims(golden));
    CHECK(goldens().cases().size() > 500);
}

TEST_CASE("what an instruction is taken to read can change what it writes") {
    for (const GoldenCase& golden : goldens().cases()) {
        // A hint; shifts out of range, whose result does not depend on the operand; divisions by a zero scalar, and
        // extremes with a NaN scalar, whose results are fixed.
        const bool extreme = golden.name.starts_with("TMAXS.") || golden.name.starts_with("TMINS.");
        if (golden.instruction.opcode == Opcode::kTPREFETCH ||
            (extreme && golden.name.find(".nan.") != std::string::npos) ||
            golden.name.find(".out.") != std::string::npos || golden.name.ends_with(".zero"))
            continue;
        const std::vector<Claim> claimed = claims(golden);
        for (size_t i = 0; i < golden.operands.size(); ++i) {
            const std::vector<bool>& reads = claimed[i].reads;
            if (info(golden.instruction.opcode).operands[i].role != OperandRole::kIn ||
                std::find(reads.begin(), reads.end(), true) == reads.end())
                continue;
            INFO("operand " << i << " of " << golden.name << ": " << to_text(golden.instruction));
            CHECK(matters(golden, claimed, i));
        }
    }
}

}  // namespace ptosim::check
