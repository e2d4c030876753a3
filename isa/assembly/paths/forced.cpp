#include "isa/assembly/paths/forced.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "isa/assembly/program/loop_head.h"

namespace ptosim::assembly {
namespace {

constexpr unsigned kDeepestCondition = 16;  // steps that a condition is followed back

// Results of comparing two values, as bits of ScalarFormat::predicate.
constexpr uint8_t kEqual = 1, kGreater = 2, kLess = 4, kUnordered = 8;

bool has_effects(const Step& step) {
    return step.code != StepCode::kEvaluate && step.code != StepCode::kMove &&
           step.code != StepCode::kSelect;
}

bool is_condition(const Step& step, const Program& program, ScalarOp op) {
    return step.code == StepCode::kEvaluate && step.op == op &&
           program.formats[step.index].width == 1;
}

}  // namespace

Program with_forced(const Program& program, std::span<const ForcedStep> forced) {
    Program result = program;
    for (const ForcedStep& one : forced) {
        Step& step = result.steps[one.step];
        const auto constant = static_cast<Slot>(result.scalars.size());
        result.scalars.push_back(one.value);
        if (step.code == StepCode::kJumpIfZero) {
            step.a = constant;
            continue;
        }
        Step move;
        move.code = StepCode::kMove;
        move.r = step.r;
        move.a = constant;
        move.work = step.work;
        move.where = step.where;
        if (!has_effects(step)) {
            step = move;
            continue;
        }
        Step jump;
        jump.code = StepCode::kJump;
        jump.where = step.where;
        const Step loads = std::exchange(step, jump);
        step.target = static_cast<uint32_t>(result.steps.size());
        move.work = 0;
        jump.target = one.step + 1;
        result.steps.insert(result.steps.end(), {loads, move, jump});
    }
    return result;
}

// ---- conditions that are equal ------------------------------------------------------------

Conditions::Conditions(const Program& program)
    : program_{program},
      origins_{program},
      loop_of_(program.scalars.size()),
      comparisons_(program.steps.size()),
      numbers_(program.scalars.size()) {
    for (uint32_t i = 0; i < program.steps.size(); ++i)
        if (program.steps[i].code == StepCode::kLoop) loop_of_[program.steps[i].a] = i;
    for (const Step& step : program.steps)
        if (step.code == StepCode::kLoadGlobal) number_of(step.r);
    for (uint32_t i = 0; i < program.steps.size(); ++i)
        if (program.steps[i].code == StepCode::kEvaluate)
            comparisons_[i] = comparison_of(program.steps[i]);
}

uint32_t Conditions::position_of(const Expression& expression) {
    const auto found = std::find(expressions_.begin(), expressions_.end(), expression);
    const auto position = static_cast<uint32_t>(found - expressions_.begin());
    if (found == expressions_.end()) expressions_.push_back(expression);
    return position;
}

// Equal numbers: equal values, if both are computed from the same values of other slots. Loads of
// one element count as equal, and so do the variables of loops with equal bounds: in kernels for
// both core types, each type has its own. Other slots that several steps write have their own
// numbers.
uint32_t Conditions::number_of(Slot slot) {
    if (slot == kNoSlot) return 0;
    if (numbers_[slot] != 0) return numbers_[slot];
    numbers_[slot] = slot + 1;
    const auto first = static_cast<uint32_t>(program_.scalars.size()) + 1;
    if (origins_.is_constant(slot)) {
        const uint64_t value = program_.scalars[slot];
        return numbers_[slot] = first + position_of({StepCode::kEnd, ScalarOp::kAdd, {}, 0,
                                                     static_cast<uint32_t>(value),
                                                     static_cast<uint32_t>(value >> 32), 0});
    }
    for (const auto& [implicit, field] : program_.implicit_arguments)
        if (implicit == slot)
            return numbers_[slot] =
                       first + position_of({StepCode::kIdentity, ScalarOp::kAdd, {},
                                            static_cast<uint32_t>(field), 0, 0, 0});
    if (loop_of_[slot] != 0) return numbers_[slot] = first + number_of_loop(slot);
    const Step* const writer = origins_.only_writer(slot);
    if (writer == nullptr) return numbers_[slot];
    switch (writer->code) {
        case StepCode::kMove:
            return numbers_[slot] = number_of(writer->a);
        case StepCode::kEvaluate:
            return numbers_[slot] =
                       first + position_of({writer->code, writer->op,
                                            program_.formats[writer->index], 0,
                                            number_of(writer->a), number_of(writer->b), 0});
        case StepCode::kSelect:
        case StepCode::kPointerAdd:
        case StepCode::kLoadGlobal:
            return numbers_[slot] =
                       first + position_of({writer->code, ScalarOp::kAdd, {},
                                            static_cast<uint32_t>(writer->type),
                                            number_of(writer->a), number_of(writer->b),
                                            number_of(writer->c)});
        case StepCode::kIdentity:
            return numbers_[slot] = first + position_of({writer->code, ScalarOp::kAdd, {},
                                                         writer->index, 0, 0, 0});
        default:
            return numbers_[slot];
    }
}

uint32_t Conditions::number_of_loop(Slot variable) {
    const LoopHead loop(program_, loop_of_[variable]);
    return position_of({StepCode::kLoop, ScalarOp::kAdd, {}, 0, number_of(loop.from),
                        number_of(loop.to), number_of(loop.step)});
}

std::vector<uint32_t> Conditions::loads_like(uint32_t load) const {
    std::vector<uint32_t> loads;
    const Slot slot = program_.steps[load].r;
    for (uint32_t i = 0; i < program_.steps.size(); ++i) {
        const Step& step = program_.steps[i];
        const bool same = i == load || (step.code == StepCode::kLoadGlobal && step.r != kNoSlot &&
                                        numbers_[step.r] == numbers_[slot]);
        if (same) loads.push_back(i);
    }
    return loads;
}

// Unsigned comparisons count as signed ones: sizes are not negative.
std::optional<Conditions::Comparison> Conditions::comparison_of(const Step& step) {
    const ScalarFormat& format = program_.formats[step.index];
    const auto holds = [&]() -> uint8_t {
        switch (step.op) {
            case ScalarOp::kEq:
                return kEqual;
            case ScalarOp::kNe:
                return kGreater | kLess;
            case ScalarOp::kSlt:
            case ScalarOp::kUlt:
                return kLess;
            case ScalarOp::kSle:
            case ScalarOp::kUle:
                return kLess | kEqual;
            case ScalarOp::kSgt:
            case ScalarOp::kUgt:
                return kGreater;
            case ScalarOp::kSge:
            case ScalarOp::kUge:
                return kGreater | kEqual;
            case ScalarOp::kCompareF:
                return format.predicate;
            default:
                return 0;
        }
    }();
    if (holds == 0) return std::nullopt;
    ScalarFormat type = format;
    type.predicate = 0;
    uint32_t a = number_of(step.a), b = number_of(step.b);
    const bool swapped = b < a;
    if (swapped) std::swap(a, b);
    const uint8_t mirrored = static_cast<uint8_t>((holds & (kEqual | kUnordered)) |
                                                  ((holds & kGreater) != 0 ? kLess : 0) |
                                                  ((holds & kLess) != 0 ? kGreater : 0));
    const ScalarOp kind = step.op == ScalarOp::kCompareF ? step.op : ScalarOp::kEq;
    return Comparison{position_of({step.code, kind, type, 0, a, b, 0}), swapped ? mirrored : holds};
}

bool Conditions::add(Slot slot, bool value, std::vector<ForcedStep>& forced,
                     unsigned depth) const {
    const Step* const step = origins_.only_writer(slot);
    if (step == nullptr || depth > kDeepestCondition) return false;
    if (step->code == StepCode::kMove) return add(step->a, value, forced, depth + 1);
    const bool conjunction = is_condition(*step, program_, ScalarOp::kAnd);
    if (conjunction || is_condition(*step, program_, ScalarOp::kOr)) {
        if (value == conjunction)
            return add(step->a, value, forced, depth + 1) && add(step->b, value, forced, depth + 1);
        // One of the two decides: preferably one that depends on nothing given.
        const bool first = !origins_.of(step->a).is_given() || origins_.of(step->b).is_given();
        return add(first ? step->a : step->b, value, forced, depth + 1);
    }
    const uint32_t at = origins_.index_of(*step);
    const std::optional<Comparison> own = comparisons_[at];
    if (!own) {
        if (step->r == kNoSlot || step->code == StepCode::kIdentity) return false;
        forced.push_back({at, value ? 1u : 0u});
        return true;
    }
    for (const uint8_t outcome : {kGreater, kLess, kEqual, kUnordered}) {
        if (((own->holds & outcome) != 0) != value) continue;
        for (uint32_t i = 0; i < comparisons_.size(); ++i)
            if (comparisons_[i] && comparisons_[i]->pair == own->pair)
                forced.push_back({i, (comparisons_[i]->holds & outcome) != 0 ? 1u : 0u});
        return true;
    }
    return false;
}

std::vector<ForcedStep> Conditions::force(uint32_t branch, bool jumps) const {
    std::vector<ForcedStep> forced;
    if (!add(program_.steps[branch].a, !jumps, forced, 0)) forced = {{branch, jumps ? 0u : 1u}};
    return forced;
}

}  // namespace ptosim::assembly
