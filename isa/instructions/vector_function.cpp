#include "isa/instructions/row.h"
#include "isa/intrinsics/vector_program.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

namespace {

std::byte* ub_of(const Execution& e) {
    for (unsigned i = 0; i < 2 * VectorProgram::kMostRuns; ++i)
        if (e.instruction.operands[i].is_tile()) return e.bytes[i] - e.tile(i).address;
    return nullptr;
}

VectorProgram::Core core_of(const Execution& e) {
    return {ub_of(e), e.ub_bytes, e.numerics, e.registers == nullptr ? 0 : e.registers->ar};
}

}  // namespace

void VECTOR_FUNCTION(const Execution& e) {
    VectorProgram::Core core = core_of(e);
    vector_program(e.instruction).run(core);
    if (e.registers != nullptr) e.registers->ar = core.ar;
}

namespace {

bool has_operations(const Instruction&) { return true; }

// Only mem_bar orders loads and stores of one function: a load may be done before a store that precedes it.
void check_memory_order(UndefinedCheck& check) {
    const Execution& e = check.execution();
    const VectorProgram& program = vector_program(e.instruction);
    const std::span<const VectorOperation> operations = program.operations();
    const std::vector<VectorProgram::Extent> extents = program.extents(core_of(e));
    std::vector<size_t> stores;  // since the last barrier
    DataFinding finding;
    for (size_t i = 0; i < operations.size(); ++i) {
        const VectorOperation& op = operations[i];
        const VectorUnit unit = info(op.opcode).unit;
        const VectorProgram::Extent bytes = extents[i];
        if (op.opcode == VectorOpcode::kMEM_BAR &&
            (op.mode == VectorMode::kVvAll || op.mode == VectorMode::kVstVld))
            stores.clear();
        if (unit == VectorUnit::kStore) stores.push_back(i);
        if (unit != VectorUnit::kLoad) continue;
        for (const size_t store : stores) {
            const VectorProgram::Extent stored = extents[store];
            if (stored.begin == stored.end || bytes.end <= stored.begin ||
                stored.end <= bytes.begin)
                continue;
            if (finding.count++ != 0) break;
            finding.code = "N12";
            finding.operand = VectorProgram::kMostRuns;
            finding.message =
                std::string(info(op.opcode).name) + " (line " + std::to_string(op.line) +
                ") reads byte " + std::to_string(std::max(bytes.begin, stored.begin)) +
                " of UB, which " + std::string(info(operations[store].opcode).name) + " (line " +
                std::to_string(operations[store].line) +
                ") of the same vector function has stored, with no mem_bar between them";
            finding.hint =
                "put mem_bar(VST_VLD) after the stores; without it the load may run first";
            break;
        }
    }
    if (finding.count != 0) check.report(finding);
}

// Indices that lead out of UB, found by a run on a copy.
void check_indices(UndefinedCheck& check) {
    const Execution& e = check.execution();
    const VectorProgram& program = vector_program(e.instruction);
    if (!program.follows_data()) return;
    VectorProgram::Core core = core_of(e);
    std::vector<std::byte> copy(core.ub, core.ub + core.ub_bytes);
    core.ub = copy.data();
    const VectorProgram::Outside outside = program.run(core);
    if (outside.count == 0) return;
    DataFinding finding;
    finding.code = "G07";
    finding.operand = VectorProgram::kMostRuns;
    finding.count = outside.count;
    finding.message = std::string(info(outside.first->opcode).name) + " (line " +
                      std::to_string(outside.first->line) + ") accesses bytes beyond UB, " +
                      std::to_string(outside.count) + " times in this function: they are left out";
    finding.hint = "check the indices of lanes that are active";
    check.report(finding);
}

void check_function(UndefinedCheck& check) {
    check_memory_order(check);
    check_indices(check);
}

std::vector<UnsetBytes> depending(const Execution& e, std::span<const UnsetBytes> unset) {
    return vector_program(e.instruction).depending(core_of(e), unset);
}

constexpr UndefinedBehaviour kMemoryOrder{has_operations, check_function};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/vector_function.def"
}
