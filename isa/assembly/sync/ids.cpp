#include "isa/assembly/sync/ids.h"

#include <algorithm>

#include "isa/assembly/sync/missing.h"

namespace ptosim::assembly::sync {

namespace {

// By flag: the flags that may be set, or not have been waited for yet, when it is set.
class Interference : public Watcher {
 public:
    Interference(const Outline& outline, const std::vector<Bits>& conflicts,
                 const std::vector<Flag>& flags)
        : outline_{outline},
          flags_{flags},
          walk_{outline, conflicts, flags},
          found_(flags.size(), Bits(flags.size())) {
        walk_.run(*this);
    }
    // Groups are recorded at the flag that represents them.
    size_t lead(size_t f) const { return walk_.lead(f); }
    const Bits& with(size_t f) const { return found_[f]; }

 private:
    bool early(State&, size_t) override { return true; }

    void sets(const State& state, size_t set, const Bits& left, bool first) override {
        const size_t f = walk_.lead(set);
        for (size_t other = 0; other < flags_.size(); ++other) {
            if (flags_[other].gone || flags_[other].barrier() || walk_.lead(other) != other)
                continue;
            for (size_t i = 0; i < flags_[other].tokens(); ++i)
                if (state.live.test(walk_.first_token(other) + i) &&
                    (other != f || first || same_id(flags_[f], i)))
                    note(f, other);
        }
        left.each([&](size_t b) {
            if (walk_.flag_of(b) == kNone) return;
            const size_t other = walk_.lead(walk_.flag_of(b));
            if (other != f || first || waits_for_same_id(f, b)) note(f, other);
        });
    }
    void note(size_t f, size_t other) {
        found_[f].set(other);
        found_[other].set(f);
    }
    // The id of an iteration, and the id of the iteration `ago` iterations earlier that set a flag.
    static bool same_id(const Flag& flag, size_t ago) {
        return flag.periodic == kNone || ago % flag.ids == 0;
    }
    bool waits_for_same_id(size_t f, size_t b) const {
        const Flag& flag = flags_[f];
        if (flag.periodic == kNone) return true;
        const Span& span = walk_.wait_span(f);
        const size_t i = Outline::age_in(span, flag.periodic);
        if (i == kMostPeriodicLoops) return true;
        const unsigned ago = outline_.ages_of(span, b)[i];
        return ago >= outline_.periodic_loops()[flag.periodic].period ||
               (ago + flag.age) % flag.ids == 0;
    }

    const Outline& outline_;
    const std::vector<Flag>& flags_;
    Walk walk_;
    std::vector<Bits> found_;
};

bool both_core_types(Pipe pipe) {
    return has_pipe(CoreType::kAIC, pipe) && has_pipe(CoreType::kAIV, pipe);
}

}  // namespace

bool Ids::free_for(const Flag& flag, unsigned id) const {
    if (both_core_types(flag.source) && both_core_types(flag.destination) &&
        (id < options_.shared_first || id >= unsigned{options_.shared_first} + options_.shared_ids))
        return false;
    for (size_t w = 0; w < outline_.works(); ++w)
        for (const InternalFlag& used : outline_.work(w).internal)
            if (used.source == flag.source && used.destination == flag.destination && used.id == id)
                return false;
    return true;
}

// Ids [id, id + flag.ids) that no flag uses whose time of use can overlap.
std::optional<unsigned> Ids::ids_for(size_t f, const std::vector<size_t>& given,
                                     const Bits& interference) const {
    const Flag& flag = flags_[f];
    for (unsigned id = 0; id + flag.ids <= options_.ids; ++id) {
        bool good = true;
        for (unsigned i = 0; i < flag.ids; ++i) good = good && free_for(flag, id + i);
        const bool taken = std::any_of(given.begin(), given.end(), [&](size_t other) {
            const Flag& other_flag = flags_[other];
            return other_flag.id < id + flag.ids && id < other_flag.id + other_flag.ids &&
                   other_flag.source == flag.source && other_flag.destination == flag.destination &&
                   interference.test(other);
        });
        if (good && !taken) return id;
    }
    return std::nullopt;
}

bool Ids::give() {
    const Interference interference(outline_, conflicts_, flags_);
    std::vector<size_t> given, without;
    for (size_t f = 0; f < flags_.size(); ++f) {
        Flag& flag = flags_[f];
        if (flag.gone || flag.barrier()) continue;
        if (interference.lead(f) != f) {
            flag.id = flags_[interference.lead(f)].id;
            continue;
        }
        // With itself: nothing orders a set after the wait for the set before.
        const bool itself = interference.with(f).test(f);
        const auto id = itself ? std::nullopt : ids_for(f, given, interference.with(f));
        if (id) flag.id = static_cast<uint8_t>(*id);
        (id ? given : without).push_back(f);
    }
    // A remedy for one flag may help another: barriers come last.
    bool helped = false;
    std::vector<Flag> answers;
    for (const size_t f : without) helped |= help(f, given, interference.with(f), answers);
    flags_.insert(flags_.end(), answers.begin(), answers.end());
    if (helped) return false;
    for (const size_t f : without)
        if (!give_up(f)) break;
    return without.empty();
}

// True if there was a remedy left to try; if so, it has been applied.
bool Ids::help(size_t f, const std::vector<size_t>& given, const Bits& interference,
               std::vector<Flag>& answers) {
    Flag& flag = flags_[f];
    const bool itself = interference.test(f);
    if (flag.group != kNone) {
        dissolve(flag.group);
        return true;
    }
    if (itself && take_turns(flag)) return true;
    if (flag.answers != kNone) {
        flag.gone = true;  // for good
        flag.answers = kNone;
        return true;
    }
    if (itself && answer(f, answers)) return true;
    if (!itself && share(f, given)) return true;
    if (flag.loop != flag.innermost) {  // pending for a shorter time
        flag.loop = flag.innermost;
        return true;
    }
    return !itself && make_room(f, interference);
}

// False: the iterations of a loop must not be distinguished.
bool Ids::give_up(size_t f) {
    failed_loop_ = loop_in_the_way(flags_[f]);
    if (failed_loop_ != kNone) return false;
    set_gone(flags_, f, true);
    given_up_.insert(flags_[f].key());
    return true;
}

// ---- groups -----------------------------------------------------------------------------------

// True if it may join a group: it is set before a loop around its own, and once for each wait.
bool Ids::groups(const Flag& flag) {
    return flag.loop != flag.innermost && flag.periodic == kNone && flag.age == 1 &&
           flag.answers == kNone && !flag.answered && !flag.alone && !flag.gone;
}

// True if all flags of a group are set and awaited in loops that neither contain this flag's loop nor lie in it.
bool Ids::beside(const Flag& flag, const Flag& member) const {
    const Position& one = outline_.positions()[flag.innermost];
    const Position& other = outline_.positions()[member.innermost];
    return one.last <= other.first || other.last <= one.first;
}

// Merges it with a flag that has an id.
bool Ids::share(size_t f, const std::vector<size_t>& given) {
    Flag& flag = flags_[f];
    if (!groups(flag)) return false;
    for (const size_t g : given) {
        Flag& earlier = flags_[g];
        if (!groups(earlier) || earlier.source != flag.source ||
            earlier.destination != flag.destination || earlier.loop != flag.loop)
            continue;
        const bool fits = std::all_of(flags_.begin(), flags_.end(), [&](const Flag& member) {
            const bool in_it =
                earlier.group != kNone && member.group == earlier.group && !member.gone;
            return (!in_it && &member != &earlier) || beside(flag, member);
        });
        if (!fits) continue;
        if (earlier.group == kNone) earlier.group = g;
        flag.group = earlier.group;
        return true;
    }
    return false;
}

void Ids::dissolve(size_t group) {
    for (Flag& flag : flags_) {
        if (flag.group != group) continue;
        flag.group = kNone;
        flag.alone = true;
    }
}

// Shortens the time for which conflicting flags are pending, where that costs less often
// than a barrier would: their first sets and last waits move to their innermost loops.
bool Ids::make_room(size_t f, const Bits& interference) {
    const Flag& flag = flags_[f];
    const size_t often = loops_around(flag.wait_before);
    bool changed = false;
    for (size_t other = 0; other < flags_.size(); ++other) {
        Flag& wide = flags_[other];
        if (wide.gone || wide.barrier() || wide.loop == wide.innermost || !interference.test(other))
            continue;
        if (wide.source != flag.source || wide.destination != flag.destination) continue;
        if (loops_around(wide.innermost) >= often) continue;
        if (wide.group != kNone) dissolve(wide.group);
        wide.loop = wide.innermost;
        changed = true;
    }
    return changed;
}

size_t Ids::loops_around(size_t position) const {
    size_t count = 0;
    for (const size_t around : outline_.ancestors(position))
        count += around != position && outline_.is_loop(around);
    return count;
}

// ---- more ids, and answers --------------------------------------------------------------------

// A flag back to the pipe that has set this one too early.
bool Ids::answer(size_t f, std::vector<Flag>& answers) {
    Flag& flag = flags_[f];
    // A flag that is removed as superfluous, and comes back, would be answered again and again.
    constexpr size_t kMostAnswers = 64;
    if (flag.answered || answers_given_ == kMostAnswers) return false;
    const bool set_first = flag.set_behind < flag.wait_before;
    const unsigned ids = std::max(1u, set_first ? flag.age + 1 : flag.age);
    if (ids > 1 && (flag.periodic == kNone || outline_.periodic_loops()[flag.periodic].continues))
        return false;
    if (ids > std::max(1u, flag.age) && flag.loop != flag.innermost) return false;
    Flag back;
    back.source = flag.destination;
    back.destination = flag.source;
    back.set_behind = flag.wait_before;
    back.wait_before = flag.set_behind;
    back.answers = f;
    if (set_first) {
        back.age = 1;
        for (const size_t around : outline_.ancestors(flag.set_behind)) {
            if (around == flag.set_behind || !outline_.is_loop(around)) continue;
            if (back.loop == kNone) back.loop = around;
            back.innermost = around;
        }
        if (back.loop == kNone) return false;
    }
    flag.ids = ids;
    flag.answered = true;
    ++answers_given_;
    answers.push_back(back);
    return true;
}

// One more id, which iterations use in turn. Without a first set in each
// run of the loop, a run must find the ids as the run before has left them.
bool Ids::take_turns(Flag& flag) const {
    if (flag.periodic == kNone) return false;
    const PeriodicLoop& periodic = outline_.periodic_loops()[flag.periodic];
    if (flag.loop != flag.innermost && !periodic.continues) return false;
    const unsigned most = std::min<unsigned>(options_.ids, flag.age + periodic.period);
    unsigned ids = flag.ids + 1;
    while (ids <= most && periodic.continues && periodic.trips % ids != 0) ++ids;
    if (ids > most) return false;
    flag.ids = ids;
    return true;
}

// The loop whose iterations lose their distinction if this flag gets no id: its periodic loop, or the one of a flag
// with several ids.
size_t Ids::loop_in_the_way(const Flag& flag) const {
    if (flag.turns()) return flag.periodic;
    for (const Flag& other : flags_)
        if (!other.gone && !other.barrier() && other.turns() && other.source == flag.source &&
            other.destination == flag.destination)
            return other.periodic;
    return flag.periodic;
}

}  // namespace ptosim::assembly::sync
