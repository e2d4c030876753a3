#include "isa/assembly/program/constants.h"

#include "isa/assembly/program/loop_head.h"
#include "isa/assembly/program/step_traits.h"

namespace ptosim::assembly {
namespace {

constexpr uint32_t kNobody = UINT32_MAX, kMany = UINT32_MAX - 1;
constexpr unsigned kDeepest = 16;  // steps that a value is followed back

}  // namespace

Constants::Constants(const Program& program)
    : program_{program}, writers_(program.scalars.size(), kNobody) {
    for (const auto& argument : program.arguments) writers_[argument.slot] = kMany;
    for (const auto& [slot, field] : program.implicit_arguments) writers_[slot] = kMany;
    for (uint32_t i = 0; i < program.steps.size(); ++i)
        each_written_scalar(program, program.steps[i], [&](Slot slot) {
            writers_[slot] = writers_[slot] == kNobody ? i : kMany;
        });
}

std::optional<int64_t> Constants::value(Slot slot, unsigned depth) const {
    const uint32_t writer = writers_[slot];
    if (writer == kNobody) return static_cast<int64_t>(program_.scalars[slot]);
    if (writer == kMany || depth > kDeepest) return std::nullopt;
    const Step& step = program_.steps[writer];
    if (step.code == StepCode::kMove) return value(step.a, depth + 1);
    if (step.code != StepCode::kEvaluate) return std::nullopt;
    const auto a = value(step.a, depth + 1);
    const auto b = step.b == kNoSlot ? a : value(step.b, depth + 1);
    if (!a || !b) return std::nullopt;
    const ScalarResult result = evaluate(step.op, program_.formats[step.index],
                                         static_cast<uint64_t>(*a), static_cast<uint64_t>(*b));
    if (!result.code.empty()) return std::nullopt;
    return static_cast<int64_t>(result.value);
}

std::optional<uint64_t> Constants::turns(uint32_t end) const {
    if (program_.steps[end].code != StepCode::kLoop) return std::nullopt;
    const LoopHead loop(program_, end);
    const auto from = value(loop.from), to = value(loop.to), step = value(loop.step);
    if (!from || !to || !step || *step <= 0) return std::nullopt;
    if (*to <= *from) return 0;
    const uint64_t length = static_cast<uint64_t>(*to) - static_cast<uint64_t>(*from);
    return (length - 1) / static_cast<uint64_t>(*step) + 1;
}

}  // namespace ptosim::assembly
