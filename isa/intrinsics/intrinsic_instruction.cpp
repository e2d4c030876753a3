#include "isa/intrinsics/intrinsic_instruction.h"

#include <algorithm>
#include <cstring>

#include "isa/intrinsics/intrinsic_run.h"
#include "isa/semantics/implementation_defined.h"
#include "isa/semantics/undefined_behaviour.h"
#include "isa/table/instruction_traits.h"

namespace ptosim {

namespace intrinsics {
namespace {

// Rows of several lanes groups that are equally far apart become rows of one pitch; as far as they
// are not, one range covers all of them.
std::vector<IntrinsicRows> joined(const std::vector<IntrinsicRows>& rows) {
    if (rows.size() < 2) return rows;
    const IntrinsicRows& first = rows[0];
    const uint64_t step = rows[1].begin - first.begin;
    bool regular = step >= first.length;
    for (size_t i = 0; i < rows.size(); ++i)
        regular = regular && rows[i].length == first.length && rows[i].count == first.count &&
                  rows[i].pitch == first.pitch && rows[i].begin == first.begin + i * step;
    if (regular && (first.count == 1 || first.pitch == rows.size() * step)) {
        IntrinsicRows all{first.begin, first.length, step, first.count * rows.size()};
        if (all.pitch == all.length) all = {all.begin, all.length * all.count, 0, 1};
        return {all};
    }
    return rows;
}

uint64_t end_of(const IntrinsicRows& rows) {
    return rows.begin + (rows.count - 1) * rows.pitch + rows.length;
}

// Takes those together that are nearest to each other until there are few enough.
void reduce(std::vector<IntrinsicRows>& rows, size_t most) {
    std::ranges::sort(rows, {}, &IntrinsicRows::begin);
    const auto gap = [&](size_t i) {
        return rows[i + 1].begin - std::min(rows[i + 1].begin, end_of(rows[i]));
    };
    while (rows.size() > most) {
        size_t nearest = 0;
        for (size_t i = 1; i + 1 < rows.size(); ++i)
            if (gap(i) < gap(nearest)) nearest = i;
        const uint64_t end = std::max(end_of(rows[nearest]), end_of(rows[nearest + 1]));
        rows[nearest] = {rows[nearest].begin, end - rows[nearest].begin, 0, 1};
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
    }
}

Tile tile_of(const IntrinsicRows& rows) {
    Tile tile;
    tile.space = Space::kUB;
    tile.dtype = DType::kU8;
    tile.address = static_cast<uint32_t>(rows.begin);
    tile.rows = tile.valid_rows = static_cast<int32_t>(rows.count);
    tile.cols = tile.valid_cols = static_cast<int32_t>(rows.length);
    tile.pitch = static_cast<int32_t>(rows.count == 1 ? rows.length : rows.pitch);
    return tile;
}

// True if the result does not depend on the source: LayerNorm of Ascend C clears words as integers that it multiplies
// by 0.
bool multiplies_by_zero(const IntrinsicCall& call) {
    return call.opcode == IntrinsicOpcode::kvmuls && call.arguments[2] == 0 && !semantics::is_float(call.types[0]);
}

void add_vector_operands(const IntrinsicCall& call, Instruction& instruction) {
    std::vector<IntrinsicRows> writes, reads;
    for (const IntrinsicFootprint& footprint : footprints(call)) {
        if (footprint.by_data || (!footprint.write && multiplies_by_zero(call))) continue;
        std::vector<IntrinsicRows>& to = footprint.write ? writes : reads;
        for (const IntrinsicRows& rows : joined(footprint.rows)) to.push_back(rows);
    }
    reduce(writes, kMostWrites);
    reduce(reads, kMostReads);
    for (unsigned i = 0; i < kMostWrites; ++i)
        instruction.add(i < writes.size() ? Operand(tile_of(writes[i])) : Operand());
    for (const IntrinsicRows& rows : reads) instruction.add(tile_of(rows));
}

std::byte* ub_of(const Execution& e) {
    for (unsigned i = 0; i < e.instruction.operand_count; ++i)
        if (e.instruction.operands[i].is_tile()) return e.bytes[i] - e.tile(i).address;
    return nullptr;
}

}  // namespace

bool is_legal(const Instruction& instruction, const InstructionInfo&, Arch, Problem& problem) {
    // The addresses of the operands are checked elsewhere, because the memories of the core are not part of the ISA.
    if (check_intrinsic(intrinsic_call(instruction), UINT64_MAX, problem)) return true;
    problem.operand = -1;
    return false;
}

void execute(const Execution& execution) {
    const IntrinsicCall call = intrinsic_call(execution.instruction);
    const IntrinsicMeaning& meaning = info(call.opcode).compute;
    if (meaning.on_operands != nullptr) return meaning.on_operands(call, execution);
    std::byte* const ub = ub_of(execution);  // null if no lane is active
    compute(call, *execution.registers, ub, ub == nullptr ? 0 : execution.ub_bytes, execution.numerics);
}

namespace {

bool may_gather_beyond(const Instruction& instruction) {
    const auto first = static_cast<unsigned>(kFirstIntrinsic);
    const auto opcode = static_cast<IntrinsicOpcode>(static_cast<unsigned>(instruction.opcode) - first);
    return is_gather(opcode) && intrinsic_call(instruction).arguments[kGatherEnd] != 0;
}

// Offsets that lead beyond the end of the source: A12.
void check_gather(semantics::UndefinedCheck& check) {
    const Execution& execution = check.execution();
    const IntrinsicCall call = intrinsic_call(execution.instruction);
    IntrinsicRun run(call, *execution.registers, ub_of(execution), execution.ub_bytes, execution.numerics);
    const GatheredBeyond beyond = gathered_beyond(run);
    if (beyond.lanes == 0) return;
    const uint64_t end = call.arguments[kGatherEnd];
    check.report({.code = "A12",
                  .operand = kMostWrites,
                  .count = beyond.lanes,
                  .warns = true,
                  .message = std::to_string(beyond.lanes) + " offsets of " + std::string(info(call.opcode).name) +
                             " lead beyond the end of the tensor that it reads: up to byte " +
                             std::to_string(beyond.reached) + " of UB, " + std::to_string(beyond.reached - end) +
                             " bytes after its end",
                  .hint = "check the offsets: they count bytes from the begin of the source, not elements"});
}

}  // namespace

constinit const InstructionTraits kTraits{.undefined = {&may_gather_beyond, &check_gather}, .any_bytes = true};

}  // namespace intrinsics

IntrinsicCall intrinsic_call(const Instruction& instruction) {
    static_assert(sizeof(IntrinsicCall) <= sizeof(Payload));
    IntrinsicCall call;
    std::memcpy(static_cast<void*>(&call), &instruction.attributes.payload, sizeof call);
    return call;
}

Instruction intrinsic_instruction(const IntrinsicCall& call, SourceLocation where) {
    Instruction instruction(opcode_of(call.opcode), where);
    instruction.attributes.payload_kind = PayloadKind::kIntrinsic;
    instruction.attributes.payload.intrinsic = {};
    std::memcpy(static_cast<void*>(&instruction.attributes.payload), &call, sizeof call);
    const IntrinsicForm& form = info(call.opcode).form;
    if (form.operands != nullptr)
        form.operands(call, instruction);
    else
        intrinsics::add_vector_operands(call, instruction);
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_global()) instruction.operands[i].global.take_hint();
    return instruction;
}

}  // namespace ptosim
