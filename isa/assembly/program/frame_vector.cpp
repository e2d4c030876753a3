// Vector functions, copies of bytes between global memory and UB, and intrinsics.
#include "isa/assembly/program/frame.h"
#include "isa/intrinsics/intrinsic_instruction.h"
#include "isa/intrinsics/vector_program.h"
#include "isa/numeric/round_up.h"

namespace ptosim::assembly {

void Frame::vector_operation(const Step& step) {
    const VectorPlan& plan = program.vectors[step.index];
    VectorOperation op = plan.operation;
    const auto number = [this](Slot slot) {
        return slot == kNoSlot ? 0 : static_cast<uint32_t>(scalars[slot]);
    };
    for (size_t i = 0; i < plan.sources.size(); ++i) op.sources[i] = number(plan.sources[i]);
    op.mask = number(plan.mask);
    if (plan.pointer != kNoSlot) {
        const int64_t offset = plan.offset == kNoSlot ? 0 : integer(plan.offset);
        op.address = local_address(
            step, scalars[plan.pointer] + static_cast<uint64_t>(offset) * plan.element_bytes);
    }
    if (plan.scalar != kNoSlot) op.scalar = scalars[plan.scalar] * plan.scalar_unit;
    if (op.opcode == VectorOpcode::kPLT) {
        const int64_t count = std::max<int64_t>(0, integer(plan.scalar));
        const auto lanes = static_cast<int64_t>(kVectorBytes / bytes(op.type, 1));
        op.scalar = static_cast<uint64_t>(count);
        if (plan.left != kNoSlot)
            scalars[plan.left] = static_cast<uint64_t>(std::max<int64_t>(0, count - lanes));
    }
    op.block_stride = static_cast<uint16_t>(number(plan.block_stride));
    op.repeat_stride = static_cast<uint16_t>(number(plan.repeat_stride));
    for (size_t i = 0; i < plan.results.size(); ++i) {
        if (plan.results[i] == kNoSlot) continue;
        op.results[i] = ++vector_values;
        scalars[plan.results[i]] = vector_values;
    }
    op.line = step.where.line;
    vector_operations.push_back(op);
    vector_lines.push_back(step.where);
}

void Frame::vector_function(const Step& step) {
    const std::vector<SourceLocation> lines = std::move(vector_lines);
    vector_lines.clear();
    vector_values = 0;
    if (vector_operations.empty()) return;
    try {
        const uint64_t number = vector_program(std::move(vector_operations));
        vector_operations.clear();
        port.issue(ptosim::vector_function(number, step.where));
    } catch (const VectorProgram::Fault& fault) {
        Step at = step;
        at.where = lines[fault.operation];
        fail(at, fault.code, Category::kIllegal, fault.message, fault.hint);
    }
}

void Frame::intrinsic(const Step& step) {
    const IntrinsicPlan& plan = program.intrinsics[step.index];
    IntrinsicCall call;
    call.opcode = plan.opcode;
    call.types = plan.types;
    call.registers.ctrl = plan.ctrl;
    for (size_t i = 0; i < plan.arguments.size(); ++i)
        if (plan.arguments[i] != kNoSlot) call.arguments[i] = scalars[plan.arguments[i]];
    port.issue(intrinsic_instruction(call, step.where));
}

// An instruction for each repetition of the rows.
void Frame::copy(const Step& step) {
    const CopyPlan& plan = program.copies[step.index];
    const int32_t length = extent(step, plan.length, "a length in bytes");
    struct Level {
        int64_t count, from, to;
    };
    std::vector<Level> levels;
    for (const CopyPlan::Level& level : plan.levels)
        levels.push_back({extent(step, level.count, "a number of repetitions"),
                          integer(level.from_stride), integer(level.to_stride)});
    if (length == 0) return;
    const Level& rows = levels.front();
    GlobalView view;
    view.dtype = DType::kU8;
    view.shape = {1, 1, 1, static_cast<int32_t>(rows.count), length};
    view.stride[4] = 1;
    view.stride[3] = plan.to_ub ? rows.from : rows.to;
    for (int i = 2; i >= 0; --i) view.stride[i] = rows.count * view.stride[3];
    Tile tile = make_tile(
        Space::kUB, DType::kU8, static_cast<int32_t>(rows.count),
        static_cast<int32_t>(round_up(static_cast<uint64_t>(length), uint64_t{kBlockBytes})));
    tile.valid_cols = length;
    const int64_t pitch = plan.to_ub ? rows.to : rows.from;
    if (rows.count > 1) tile.pitch = static_cast<int32_t>(pitch);
    std::vector<int64_t> at(levels.size(), 0);
    for (;;) {
        int64_t from = 0, to = 0;
        for (size_t i = 1; i < levels.size(); ++i) {
            if (levels[i].count == 0) return;
            from += at[i] * levels[i].from;
            to += at[i] * levels[i].to;
        }
        const uint64_t source = scalars[plan.from] + static_cast<uint64_t>(from);
        const uint64_t target = scalars[plan.to] + static_cast<uint64_t>(to);
        view.address = plan.to_ub ? source : target;
        tile.address = local_address(step, plan.to_ub ? target : source);
        check_span(step, view);
        Instruction instruction(plan.to_ub ? Opcode::kTLOAD : Opcode::kTSTORE, step.where);
        if (plan.to_ub)
            instruction.add(tile).add(view);
        else
            instruction.add(view).add(tile);
        port.issue(instruction);
        size_t i = 1;
        while (i < levels.size() && ++at[i] == levels[i].count) at[i++] = 0;
        if (i >= levels.size()) return;
    }
}

}  // namespace ptosim::assembly
