// Iterations of a loop one by one: which slot of a buffer each of them uses.
#include <algorithm>
#include <map>

#include "isa/assembly/program/loop_head.h"
#include "isa/assembly/program/step_traits.h"
#include "isa/assembly/sync/footprints.h"

namespace ptosim::assembly {

namespace {

bool power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// The tile slot to which a step gives an address, if that is all it does to tiles.
Slot allocated_tile(const Step& step) {
    return traits_of(step.code).result == StepResult::kTile ? step.r : kNoSlot;
}

}  // namespace

// Follows `period` iterations of a loop from each possible start. A slot that several steps of the
// body write keeps the set of its values in all iterations. So does a value that the loop carries,
// unless it returns to its first value after `period` iterations.
class IterationFollower {
 public:
    IterationFollower(const Footprints& all, uint32_t loop, unsigned period)
        : all_{all}, program_{all.program_}, loop_{program_, loop}, period_{period}, now_{all} {
        count_writes();
    }

    std::optional<IterationReach> follow() {
        IterationReach reach;
        reach.period = period_;
        reach.trips = trips();
        // Values found not to repeat are no longer followed; then the computation is repeated.
        for (size_t iterations_left = unsteady_.size() + 1; iterations_left > 0;
             --iterations_left) {
            reach.steps.clear();
            reach.starts = 1;
            steady_ = true;
            for (start_ = 0; start_ < reach.starts; ++start_) {
                uses_start_ = false;
                follow_from_start(reach);
                if (uses_start_) reach.starts = period_;
            }
            if (steady_) break;
        }
        if (!steady_ || refined(reach) == 0) return std::nullopt;
        return reach;
    }

    // Number of steps that touch less in an iteration than in all.
    size_t refined(const IterationReach& reach) const {
        size_t count = 0;
        for (const auto& [step, iterations] : reach.steps) {
            const std::vector<Reach> whole = all_.of(program_.steps[step]);
            count += std::any_of(iterations.begin(), iterations.end(),
                                 [&](const auto& one) { return one != whole; });
        }
        return count;
    }

 private:
    using Values = Footprints::Values;
    using AddressRanges = Footprints::AddressRanges;

    // factor * iteration + offset, plus the number of the start if `from_start`.
    struct Linear {
        int64_t factor = 0, offset = 0;
        bool from_start = false;
        bool exact = true;      // not cut to fewer bits
        bool in_steps = false;  // in steps of the loop, which may be unknown
    };

    void count_writes() {
        writes_.assign(program_.scalars.size(), 0);
        tile_writes_.assign(program_.tile_slots, 0);
        written_outside_.assign(program_.scalars.size(), false);
        tile_written_outside_.assign(program_.tile_slots, false);
        unsteady_.assign(program_.scalars.size(), false);
        unsteady_tiles_.assign(program_.tile_slots, false);
        for (uint32_t i = 0; i < program_.steps.size(); ++i) {
            const Step& step = program_.steps[i];
            const bool inside = loop_.inside(i);
            each_written_scalar(program_, step, [&](Slot slot) {
                if (inside)
                    ++writes_[slot];
                else
                    written_outside_[slot] = true;
            });
            const Slot tile = written_tile(program_, step);
            if (tile == kNoSlot) continue;
            if (inside)
                ++tile_writes_[tile];
            else
                tile_written_outside_[tile] = true;
        }
    }

    std::optional<uint64_t> constant(Slot slot) const {
        const Values& values = all_.scalars_[slot];
        if (values.any || values.values.size() != 1 || values.pointer != Values::kNoPointer)
            return std::nullopt;
        return values.values[0];
    }

    std::optional<uint64_t> trips() const {
        const auto from = constant(loop_.from), to = constant(loop_.to),
                   step = constant(loop_.step);
        if (!from || !to || !step || static_cast<int64_t>(*step) <= 0) return std::nullopt;
        const auto room = static_cast<int64_t>(*to) - static_cast<int64_t>(*from);
        if (room <= 0) return 0;
        return (static_cast<uint64_t>(room) + *step - 1) / *step;
    }

    // The loop's variable. A start that is not known is not negative.
    std::optional<Linear> variable() const {
        const auto step = constant(loop_.step), from = constant(loop_.from);
        if (!step || static_cast<int64_t>(*step) <= 0) return std::nullopt;
        if (from) return Linear{static_cast<int64_t>(*step), static_cast<int64_t>(*from)};
        if (all_.scalars_[loop_.from].maybe_negative || !all_.scalars_[loop_.from].any)
            return std::nullopt;
        return Linear{static_cast<int64_t>(*step), 0, true};
    }
    // The variable minus its start.
    std::optional<Linear> since_start(const Step& step) const {
        if (step.op != ScalarOp::kSub || step.a != loop_.variable || step.b != loop_.from)
            return std::nullopt;
        Linear form{1, 0};
        form.in_steps = true;
        return form;
    }
    bool is_step(Slot slot) const {
        const auto value = constant(slot);
        return slot == loop_.step || (value && value == constant(loop_.step));
    }
    // The variable minus its start, divided by the step: the number of the iteration.
    std::optional<Linear> number(const Step& step) const {
        const auto found = linear_.find(step.a);
        if ((step.op != ScalarOp::kDivU && step.op != ScalarOp::kDivS) || found == linear_.end() ||
            !found->second.in_steps || !is_step(step.b))
            return std::nullopt;
        Linear form = found->second;
        form.in_steps = false;
        return form;
    }
    // The variable divided by an unknown step: from an unknown start, in steps of one.
    std::optional<Linear> quotient(const Step& step) const {
        if (step.op != ScalarOp::kDivU && step.op != ScalarOp::kDivS) return std::nullopt;
        if (step.a != loop_.variable || step.b != loop_.step || constant(loop_.step))
            return std::nullopt;
        const auto from = constant(loop_.from);
        if (from && *from == 0) return Linear{1, 0};
        const Values& start = all_.scalars_[loop_.from];
        const bool negative =
            start.maybe_negative ||
            std::any_of(start.values.begin(), start.values.end(),
                        [](uint64_t value) { return static_cast<int64_t>(value) < 0; });
        if (negative) return std::nullopt;
        return Linear{1, 0, true};
    }

    bool followed(Slot slot) const { return writes_[slot] == 1 && !unsteady_[slot]; }
    bool followed_tile(Slot slot) const {
        return tile_writes_[slot] == 1 && !unsteady_tiles_[slot];
    }
    bool carried(Slot slot) const { return followed(slot) && written_outside_[slot]; }
    bool carried_tile(Slot slot) const {
        return followed_tile(slot) && tile_written_outside_[slot];
    }

    void follow_from_start(IterationReach& reach) {
        now_.scalars_ = all_.scalars_;
        now_.tiles_ = all_.tiles_;
        linear_.clear();
        // A value that the loop carries begins with the value moved to it before the head.
        for (uint32_t i = loop_.begin; i < loop_.head; ++i) {
            const Step& step = program_.steps[i];
            if (step.code == StepCode::kMove && step.r != loop_.variable && carried(step.r))
                now_.scalars_[step.r] = all_.scalars_[step.a];
            if (step.code == StepCode::kMoveTile && carried_tile(step.r))
                now_.tiles_[step.r] = all_.tiles_[step.a];
        }
        const std::vector<Values> scalars = now_.scalars_;
        const std::vector<AddressRanges> tiles = now_.tiles_;
        if (const auto form = variable()) linear_[loop_.variable] = *form;
        for (iteration_ = 0; iteration_ < period_; ++iteration_)
            for (uint32_t i = loop_.head + 1; i < loop_.end; ++i) {
                execute(program_.steps[i]);
                std::vector<Reach> here = now_.of(program_.steps[i]);
                if (here.empty()) continue;
                auto& iterations = reach.steps[i];
                iterations.resize(size_t{period_} * std::max(1u, start_ + 1));
                iterations[size_t{start_} * period_ + iteration_] = std::move(here);
            }
        for (Slot slot = 0; slot < scalars.size(); ++slot)
            if (carried(slot) && now_.scalars_[slot] != scalars[slot]) {
                unsteady_[slot] = true;
                steady_ = false;
            }
        for (Slot slot = 0; slot < tiles.size(); ++slot)
            if (carried_tile(slot) && now_.tiles_[slot] != tiles[slot]) {
                unsteady_tiles_[slot] = true;
                steady_ = false;
            }
    }

    void execute(const Step& step) {
        if (const Slot tile = allocated_tile(step); tile != kNoSlot) {
            // Two scalars may be equal without being recognised: then less is known than could be.
            if (!followed_tile(tile) || step.a == tile || step.b == tile || step.c == tile) return;
            now_.tiles_[tile] = AddressRanges{};
            if (effect_of(step) == StepEffect::kSelects) {
                if (const auto chosen = truth(step.a)) {
                    now_.tiles_[tile] = now_.tiles_[*chosen ? step.b : step.c];
                    return;
                }
            }
            now_.transfer(step);
            return;
        }
        const StepTraits& traits = traits_of(step.code);
        const bool follows = traits.effect == StepEffect::kCopies ||
                             traits.effect == StepEffect::kSelects ||
                             traits.effect == StepEffect::kEvaluates;
        if (traits.result == StepResult::kScalar && follows && followed(step.r) &&
            step.r != step.a && step.r != step.b && step.r != step.c)
            assign(step);
    }

    std::optional<bool> truth(Slot slot) const {
        const Values& values = now_.scalars_[slot];
        if (linear_.count(slot) != 0 || values.any || values.values.size() != 1)
            return std::nullopt;
        return values.values[0] != 0;
    }

    void assign(const Step& step) {
        linear_.erase(step.r);
        const StepEffect effect = effect_of(step);
        if (effect == StepEffect::kCopies && linear_.count(step.a) != 0) {
            linear_[step.r] = linear_[step.a];
            now_.scalars_[step.r] = now_.scalars_[step.a];
            return;
        }
        if (effect == StepEffect::kSelects) {
            if (const auto chosen = truth(step.a)) {
                const Slot from = *chosen ? step.b : step.c;
                if (linear_.count(from) != 0) linear_[step.r] = linear_[from];
                now_.scalars_[step.r] = now_.scalars_[from];
                return;
            }
        }
        now_.scalars_[step.r] = Values{};
        now_.transfer(step);
        if (effect == StepEffect::kEvaluates) evaluate_linear(step);
    }

    std::optional<Linear> linear(Slot slot) const {
        if (slot == kNoSlot) return std::nullopt;
        if (const auto found = linear_.find(slot); found != linear_.end()) return found->second;
        const Values& values = now_.scalars_[slot];
        if (values.any || values.values.size() != 1) return std::nullopt;
        return Linear{0, static_cast<int64_t>(values.values[0])};
    }

    static constexpr int64_t kBound = int64_t{1} << 31;

    // Values that change with the iterations: sums, multiples, and remainders, which repeat.
    void evaluate_linear(const Step& step) {
        for (const auto& form : {since_start(step), number(step), quotient(step)})
            if (form) {
                linear_[step.r] = *form;
                return;
            }
        const bool moves =
            linear_.count(step.a) != 0 || (step.b != kNoSlot && linear_.count(step.b) != 0);
        if (!moves) return;
        const auto a = linear(step.a), b = linear(step.b);
        if (!a || (step.b != kNoSlot && !b)) return;
        if ((a->in_steps && step.b != kNoSlot) || (b && b->in_steps)) return;
        Linear result = *a;
        switch (step.op) {
            case ScalarOp::kTruncate:
            case ScalarOp::kSignExtend:
            case ScalarOp::kZeroExtend: {
                const ScalarFormat& format = program_.formats[step.index];
                result.exact = a->exact && format.to_width >= 64 && format.width >= 64;
                if (std::min(format.to_width, format.width) < 16) return;
                break;
            }
            case ScalarOp::kAdd:
                if (a->from_start && b->from_start) return;
                result.factor += b->factor;
                result.offset += b->offset;
                result.from_start |= b->from_start;
                break;
            case ScalarOp::kSub:
                if (b->from_start) return;
                result.factor -= b->factor;
                result.offset -= b->offset;
                break;
            case ScalarOp::kMul: {
                const Linear& constant = a->factor == 0 && !a->from_start ? *a : *b;
                result = a->factor == 0 && !a->from_start ? *b : *a;
                if (constant.factor != 0 || constant.from_start || result.from_start ||
                    std::abs(constant.offset) > kBound)
                    return;
                result.factor *= constant.offset;
                result.offset *= constant.offset;
                break;
            }
            case ScalarOp::kRemS:
            case ScalarOp::kRemU:
            case ScalarOp::kAnd:
                return remainder(step, *a, *b);
            default:
                return;
        }
        result.exact &= !b || b->exact;
        if (std::abs(result.factor) > kBound || std::abs(result.offset) > kBound) return;
        linear_[step.r] = result;
    }

    void remainder(const Step& step, const Linear& value, const Linear& divisor) {
        if (divisor.factor != 0 || divisor.from_start || divisor.offset < 0) return;
        const auto n = static_cast<uint64_t>(divisor.offset) + (step.op == ScalarOp::kAnd ? 1 : 0);
        if (n == 0 || n > 256) return;
        const bool binary = power_of_two(n);
        if (step.op == ScalarOp::kAnd && !binary) return;
        const bool positive = value.factor >= 0 && value.offset >= 0;
        if (step.op == ScalarOp::kRemS && !positive) return;
        if (!binary && !(positive && value.exact)) return;
        // Equal in every iteration with this number, and for every start with this remainder.
        const auto span = static_cast<uint64_t>(value.factor) * period_;
        if (span % n != 0 || (value.from_start && period_ % n != 0)) return;
        uint64_t sum =
            static_cast<uint64_t>(value.factor) * iteration_ + static_cast<uint64_t>(value.offset);
        if (value.from_start) {
            sum += start_;
            uses_start_ = true;
        }
        now_.scalars_[step.r] = Values{};
        now_.scalars_[step.r].values = {sum % n};
    }

    const Footprints& all_;
    const Program& program_;
    const LoopHead loop_;
    const unsigned period_;
    Footprints now_;  // in this iteration
    unsigned start_ = 0, iteration_ = 0;
    bool uses_start_ = false, steady_ = true;
    std::map<Slot, Linear> linear_;
    std::vector<uint32_t> writes_, tile_writes_;  // in the body
    std::vector<bool> written_outside_, tile_written_outside_;
    std::vector<bool> unsteady_, unsteady_tiles_;
};

std::optional<uint32_t> Footprints::slot_step(uint32_t loop) const {
    for (uint32_t i = program_.steps[loop].target; i < loop; ++i) {
        const Slot tile = allocated_tile(program_.steps[i]);
        if (tile == kNoSlot) continue;
        // A slot whose number can be anything counts with all slots.
        const Step& step = program_.steps[i];
        const bool any_slot = effect_of(step) == StepEffect::kTakesSlot && scalars_[step.b].any;
        if (any_slot || tiles_[tile].any || tiles_[tile].ranges.size() > 1) return i;
    }
    return std::nullopt;
}

std::optional<IterationReach> Footprints::iterations(uint32_t loop) const {
    if (!slot_step(loop)) return std::nullopt;
    std::optional<IterationReach> best;
    size_t most = 0;
    for (unsigned period = 2; period <= kMostIterations; ++period) {
        IterationFollower follower(*this, loop, period);
        std::optional<IterationReach> reach = follower.follow();
        if (!reach) continue;
        const size_t refined = follower.refined(*reach);
        if (refined <= most) continue;
        most = refined;
        best = std::move(reach);
    }
    if (best) best->boxes = boxes(loop);
    return best;
}

std::unordered_map<uint32_t, GlobalBox> Footprints::boxes(uint32_t loop) const {
    std::vector<bool> never_negative;
    for (const Values& values : scalars_)
        never_negative.push_back(
            !values.maybe_negative && !values.bottom() &&
            std::none_of(values.values.begin(), values.values.end(),
                         [](uint64_t one) { return static_cast<int64_t>(one) < 0; }));
    const BoxFinder finder(program_, loop, std::move(never_negative));
    std::unordered_map<uint32_t, GlobalBox> found;
    for (uint32_t i = program_.steps[loop].target; i < loop; ++i)
        if (auto box = finder.of(program_.steps[i])) found.emplace(i, std::move(*box));
    return found;
}

}  // namespace ptosim::assembly
