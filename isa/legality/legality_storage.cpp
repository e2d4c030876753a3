// Rules for the storage of operands: scratch must be large enough, some operands must not share bytes. They apply to
// architectures whose tile instructions are sequences that keep data between their steps.
#include "isa/core/arch.h"
#include "isa/legality/legality.h"
#include "isa/table/early_writes.h"
#include "isa/table/internal_flags.h"
#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

namespace {

bool overlap(const Tile& a, const Tile& b) {
    return a.space == b.space && a.address < b.address + b.touched_bytes() &&
           b.address < a.address + a.touched_bytes();
}

bool check_scratch(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                   Problem& problem) {
    if (row.traits->scratch_bytes[arch] == nullptr) return true;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (row.operands[i].role != OperandRole::kTmp || !instruction.operands[i].is_tile())
            continue;
        const DType type = instruction.tile(0).dtype;
        if (!row.traits->scratch_types.empty() && !row.traits->scratch_types.contains(type))
            return fail(problem, "T03", 0,
                        std::string(row.name) + " with a scratch tile takes " +
                            to_text(row.traits->scratch_types) + ", not " + std::string(name(type)),
                        "leave the scratch tile out");
        const std::optional<ScratchShortage> shortage = scratch_shortage(instruction, arch);
        if (!shortage) continue;
        problem.goes_on = true;
        return fail(
            problem, "S16", static_cast<int>(i),
            operand_text(row, i) + " has " + (shortage->of_rows ? "rows of " : "") +
                std::to_string(shortage->found) + " bytes; " + std::string(row.name) + " on " +
                std::string(name(arch)) + " uses " + std::to_string(shortage->needed) +
                (shortage->of_rows ? " of each row: its rows overwrite one another"
                                   : ": what lies after it is overwritten"),
            shortage->of_rows ? "give the scratch tile rows of " + std::to_string(shortage->needed) +
                                    " bytes; the shape of the source is always enough"
                              : "give the scratch tile " + std::to_string(shortage->needed) +
                                    " bytes");
    }
    return true;
}

}  // namespace

const LegalityRule scratch{"scratch", "S16 T03",
                           "scratch has the bytes that the instruction keeps there (a run goes on with a warning)",
                           &check_scratch};

namespace {

// TANDS and TORS on every architecture, the others on a2a3 (hw-native-sys/pto-isa docs/isa): there
// TRECIP and TDIVS fill dst with the dividend before they read the divisor (a2a3/TDivS.hpp).
bool check_apart(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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

}  // namespace

const LegalityRule apart{"apart", "A07",
                         "a2a3 (TANDS and TORS everywhere, TDIVS of a scalar by a tile): what is "
                         "written, and scratch, shares no bytes with "
                         "other operands",
                         &check_apart};

namespace {

bool check_read_in_time(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                        Problem& problem) {
    const EarlyWrite* write = early_write(instruction, arch);
    if (write == nullptr) return true;
    problem.goes_on = true;
    return fail(problem, "A07", write->written,
                operand_text(row, write->written) + " shares bytes with " +
                    operand_text(row, write->read) + ", which " + std::string(row.name) + " on " +
                    std::string(name(arch)) + " still reads after it has written there: " +
                    to_text(instruction.tile(write->written)) + ", " +
                    to_text(instruction.tile(write->read)),
                "give " + operand_text(row, write->written) + " separate bytes");
}

}  // namespace

const LegalityRule read_in_time{
    "read_in_time", "A07",
    "a2a3: what is written early shares no bytes with what is read later (a run goes on with a "
    "warning)",
    &check_read_in_time};

}  // namespace ptosim::rules
