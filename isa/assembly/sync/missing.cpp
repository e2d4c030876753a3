#include "isa/assembly/sync/missing.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace ptosim::assembly::sync {

namespace {

// An instruction that another one must find complete, and the iteration that started it.
struct Missing {
    size_t work = kNone;
    size_t bit = 0;
    Ages ages{};
};

// One walk, which adds the flags that it finds missing.
class Adder : public Watcher {
 public:
    Adder(const Outline& outline, const std::vector<Bits>& conflicts,
          const std::vector<Flag>& flags, const std::set<Flag::Key>& given_up)
        : outline_{outline},
          conflicts_{conflicts},
          walk_{outline, conflicts, flags},
          standing_{given_up},
          at_end_(outline.positions().size()) {
        for (const Flag& flag : flags)
            if (!flag.gone && flag.answers == kNone) standing_.insert(flag.key());
    }

    // The flags to add. early() returns true if anything started too early.
    std::vector<Flag> run() {
        walk_.run(*this);
        return std::move(added_);
    }
    bool found() const { return found_; }

 private:
    bool early(State& state, size_t position) override {
        found_ = true;
        if (outline_.positions()[position].node->kind == SyncNode::Kind::kDrain)
            add_barrier(Pipe::kAll, position);
        else
            repair(state, outline_.positions()[position].first);
        return true;
    }
    void done(const State& state, size_t position) override { at_end_[position] = state.pending; }

    // The nearest one before it in its iteration; otherwise one from earlier iterations, the latest first.
    Missing nearest(const Bits& missing, size_t w) const {
        Missing found;
        std::tuple<bool, Ages, size_t> best;
        missing.each([&](size_t b) {
            const size_t e = outline_.work_of(b);
            const Ages ages = outline_.ages_of(outline_.span_of(e), b);
            const bool same_iteration = shared_ages_are_zero(outline_.span_of(e), ages, w);
            const std::tuple rank(!(same_iteration && e < w), ages, outline_.works() - e);
            if (found.work != kNone && best <= rank) return;
            found = {e, b, ages};
            best = rank;
        });
        return found;
    }
    bool shared_ages_are_zero(const Span& span, const Ages& ages, size_t w) const {
        for (size_t i = 0; i < kMostPeriodicLoops && span.periodic_loops[i] != kNone; ++i)
            if (outline_.inside(w, outline_.periodic_loops()[span.periodic_loops[i]]) &&
                ages[i] != 0)
                return false;
        return true;
    }

    // Adds flags that make work `w` wait for everything that it depends on, and continues
    // as if they had been there, as far as can be decided now: the next walk decides.
    void repair(State& state, size_t w) {
        const Pipe pipe = outline_.work(w).pipe;
        for (;;) {
            Bits missing = state.of(pipe);
            missing &= conflicts_[w];
            const Missing earlier = nearest(missing, w);
            if (earlier.work == kNone) return;
            if (outline_.work(earlier.work).pipe == pipe) {
                add_barrier(pipe, outline_.position_of(w));
                walk_.barrier(state, pipe);
                continue;
            }
            add_pair(state, earlier, w);
        }
    }

    void add(const Flag& flag) {
        if (standing_.count(flag.key()) == 0 && added_keys_.insert(flag.key()).second)
            added_.push_back(flag);
    }

    void add_barrier(Pipe pipe, size_t before) {
        Flag flag;
        flag.source = flag.destination = pipe;
        flag.wait_before = before;
        add(flag);
    }

    // The periodic loop whose earlier iteration this is: the innermost one that distinguishes it.
    std::optional<size_t> carrier(const Missing& earlier, size_t w) const {
        const Span& span = outline_.span_of(earlier.work);
        for (size_t i = kMostPeriodicLoops; i-- > 0;) {
            if (span.periodic_loops[i] == kNone) continue;
            const PeriodicLoop& periodic = outline_.periodic_loops()[span.periodic_loops[i]];
            if (!outline_.inside(w, periodic)) continue;
            if (earlier.ages[i] == 0 || earlier.ages[i] > periodic.period) continue;
            bool outer_is_now = true;
            for (size_t j = 0; j < i; ++j) outer_is_now = outer_is_now && earlier.ages[j] == 0;
            if (periodic.continues || outer_is_now) return i;
        }
        return std::nullopt;
    }
    // The outermost periodic loop around both that has been left since.
    size_t left_since(const Missing& earlier, size_t w) const {
        const Span& span = outline_.span_of(earlier.work);
        for (size_t i = 0; i < kMostPeriodicLoops && span.periodic_loops[i] != kNone; ++i) {
            const PeriodicLoop& periodic = outline_.periodic_loops()[span.periodic_loops[i]];
            if (outline_.inside(w, periodic) && earlier.ages[i] > periodic.period)
                return periodic.position;
        }
        return kNone;
    }

    // A set after `earlier` and a wait before `later`, in the innermost block that holds both. If
    // `later` comes first there, or both lie in one branch, the innermost loop around them carries
    // the dependence; where iterations are distinguished, the periodic loop in whose earlier
    // iteration it was.
    void add_pair(State& state, const Missing& earlier, size_t later) {
        const std::vector<size_t> from = outline_.ancestors(outline_.position_of(earlier.work)),
                                  to = outline_.ancestors(outline_.position_of(later));
        Flag flag;
        flag.source = outline_.work(earlier.work).pipe;
        flag.destination = outline_.work(later).pipe;
        if (const auto i = carrier(earlier, later)) {
            const size_t periodic = outline_.span_of(earlier.work).periodic_loops[*i];
            const auto at =
                std::find(from.begin(), from.end(), outline_.periodic_loops()[periodic].position);
            flag.age = earlier.ages[*i];
            return add_carried(state, flag, from, to, static_cast<size_t>(at - from.begin()),
                               earlier, later);
        }
        size_t depth = 0;
        const size_t left = left_since(earlier, later);
        while (depth + 1 < from.size() && depth + 1 < to.size() &&
               from[depth + 1] == to[depth + 1] && from[depth + 1] != left)
            ++depth;
        const std::vector<Position>& positions = outline_.positions();
        const bool same_block = depth + 1 < from.size() && depth + 1 < to.size() &&
                                positions[from[depth + 1]].block == positions[to[depth + 1]].block;
        if (same_block && left == kNone && earlier.work < later) {
            flag.set_behind = from[depth + 1];
            flag.wait_before = to[depth + 1];
            for (size_t i = 0; i <= depth; ++i)
                if (outline_.periodic_loop_of(from[i]) != kNone)
                    flag.periodic = outline_.periodic_loop_of(from[i]);
            return add_and_go_on(state, flag, earlier, later);
        }
        // The loop whose next iteration `later` is in. The two parts of a while run unequally
        // often.
        size_t loop = depth;
        while (loop > 0 && !outline_.is_loop(from[loop])) --loop;
        if (loop == 0 || positions[from[loop]].node->kind == SyncNode::Kind::kWhile)
            return give_up(state, later);
        flag.age = 1;
        add_carried(state, flag, from, to, loop, earlier, later);
    }

    void add_carried(State& state, Flag flag, const std::vector<size_t>& from,
                     const std::vector<size_t>& to, size_t loop, const Missing& earlier,
                     size_t later) {
        flag.innermost = from[loop];
        flag.periodic = outline_.periodic_loop_of(from[loop]);
        flag.ids = std::max(1u, flag.age);
        if (flag.periodic != kNone && outline_.periodic_loops()[flag.periodic].continues)
            while (outline_.periodic_loops()[flag.periodic].trips % flag.ids != 0) ++flag.ids;
        flag.set_behind = from[loop + 1];
        flag.wait_before = to[loop + 1];
        // The flag may stay set between two runs of the loop: one first set, one last wait.
        for (size_t outer = loop; outer > 0; --outer)
            if (outline_.is_loop(from[outer])) flag.loop = from[outer];
        add_and_go_on(state, flag, earlier, later);
    }

    void give_up(State& state, size_t later) {
        add_barrier(Pipe::kAll, outline_.position_of(later));
        walk_.barrier(state, Pipe::kAll);
    }

    void add_and_go_on(State& state, const Flag& flag, const Missing& earlier, size_t later) {
        if (standing_.count(flag.key()) != 0) return give_up(state, later);
        add(flag);
        const size_t behind = outline_.positions()[flag.set_behind].last;
        // Incomplete work after the wait: work that was pending for the source, and work started after the set.
        Bits left = but_for(flag.source);
        if (at_end_[flag.set_behind]) {
            left = (*at_end_[flag.set_behind])[static_cast<size_t>(flag.source)];
            left -= walk_.of(flag.source);
        }
        if (flag.loop == kNone) {
            set_works(left, behind, std::max(behind, later), flag);
        } else {
            set_works(left, behind, outline_.positions()[flag.loop].last, flag);
            set_works(left, outline_.positions()[flag.loop].first, later, flag);
            left |= but_for(flag.source);  // before the first iteration
        }
        left.reset(earlier.bit);
        state.of(flag.destination) &= left;
    }

    // Sets the bits of the works [begin, end) that may be younger than the set.
    void set_works(Bits& bits, size_t begin, size_t end, const Flag& flag) const {
        for (size_t w = begin; w < end; ++w) {
            const Span& span = outline_.span_of(w);
            const size_t i =
                flag.periodic == kNone ? kMostPeriodicLoops : Outline::age_in(span, flag.periodic);
            for (size_t b = span.first; b < span.first + span.size; ++b)
                if (i == kMostPeriodicLoops ||
                    outline_.ages_of(span, b)[i] < std::max(1u, flag.age))
                    bits.set(b);
        }
    }

    Bits but_for(Pipe pipe) const {
        Bits all(walk_.bits());
        all.set_range(0, walk_.bits());
        all -= walk_.of(pipe);
        return all;
    }

    const Outline& outline_;
    const std::vector<Bits>& conflicts_;
    Walk walk_;
    std::vector<Flag> added_;
    std::set<Flag::Key> standing_, added_keys_;
    std::vector<std::optional<std::array<Bits, kPipeCount>>> at_end_;  // by position
    bool found_ = false;
};

// True if anything starts too early: the walk ends at the first such work.
class Judge : public Watcher {
 public:
    bool ordered(Walk& walk) {
        early_ = false;
        walk.run(*this);
        return !early_;
    }

 private:
    bool early(State&, size_t) override {
        early_ = true;
        return false;
    }
    bool early_ = false;
};

}  // namespace

void add_missing(const Outline& outline, const std::vector<Bits>& conflicts,
                 const std::set<Flag::Key>& given_up, std::vector<Flag>& flags) {
    for (;;) {
        Adder adder(outline, conflicts, flags, given_up);
        const std::vector<Flag> added = adder.run();
        if (!adder.found()) return;
        if (added.empty()) throw std::logic_error("no flag orders what another flag was to order");
        flags.insert(flags.end(), added.begin(), added.end());
    }
}

void take_superfluous(const Outline& outline, const std::vector<Bits>& conflicts,
                      std::vector<Flag>& flags) {
    // Each try is a walk through the function.
    constexpr size_t kMostWork = 400'000'000;
    Walk walk(outline, conflicts, flags);
    Judge judge;
    walk.prepare();
    const size_t positions = outline.positions().size();
    const size_t cost = positions * kPipeCount * (walk.bits() / 64 + 1) * 8;
    size_t spent = 0;
    for (size_t f = flags.size(); f-- > 0;) {
        if (flags[f].gone || flags[f].answers != kNone) continue;
        if ((spent += cost) > kMostWork) break;
        set_gone(flags, f, true);
        if (!judge.ordered(walk)) set_gone(flags, f, false);
    }
}

void set_gone(std::vector<Flag>& flags, size_t f, bool gone) {
    flags[f].gone = gone;
    for (Flag& flag : flags)
        if (flag.answers == f) flag.gone = gone;
}

}  // namespace ptosim::assembly::sync
