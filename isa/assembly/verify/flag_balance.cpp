#include "isa/assembly/verify/flag_balance.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "isa/assembly/program/constants.h"
#include "isa/assembly/program/step_traits.h"

namespace ptosim::assembly {
namespace {

// A set of numbers of pending sets: one bit for each from -kMost to kMost, one for all above and
// one for all below.
class Counts {
 public:
    static constexpr int kMost = 30;

    static Counts just(int count) {
        Counts counts;
        counts.add(count);
        return counts;
    }
    bool empty() const { return bits_ == 0; }
    bool holds(int count) const { return (bits_ & bit(count)) != 0; }
    bool only(int count) const { return bits_ == bit(count); }
    bool any_above_zero() const { return (bits_ & ~kBelow) >> (kMost + 1) != 0; }

    Counts operator|(Counts other) const {
        other.bits_ |= bits_;
        return other;
    }
    // Combines two consecutive pieces of a path.
    Counts operator+(Counts other) const {
        if (only(0)) return other;  // most steps change nothing
        if (other.only(0)) return *this;
        Counts sum;
        for (int a = -kMost - 1; !other.empty() && a <= kMost + 1; ++a)
            for (int b = -kMost - 1; has(a) && b <= kMost + 1; ++b)
                if (other.has(b)) sum.add_sum(a, b);
        return sum;
    }
    friend bool operator==(const Counts&, const Counts&) = default;

 private:
    static constexpr uint64_t kAbove = uint64_t{1} << 61, kBelow = uint64_t{1} << 62;
    static uint64_t bit(int count) { return uint64_t{1} << (count + kMost); }
    // kMost + 1 represents all counts above, -kMost - 1 all below.
    bool has(int count) const {
        return count > kMost    ? (bits_ & kAbove) != 0
               : count < -kMost ? (bits_ & kBelow) != 0
                                : holds(count);
    }
    void add(int count) { bits_ |= count > kMost ? kAbove : count < -kMost ? kBelow : bit(count); }
    void add_sum(int a, int b) {
        const bool above = a > kMost || b > kMost, below = a < -kMost || b < -kMost;
        add(a + b);
        // Counts above the limit may come down again by as much as the sum of the lowest ones.
        if (above)
            for (int count = a + b; count <= kMost + 1; ++count) add(count);
        if (below)
            for (int count = a + b; count >= -kMost - 1; --count) add(count);
    }
    uint64_t bits_ = 0;
};

// The counts of all paths to a step that have not gone through a certain branch, and of all that have.
struct Paths {
    Counts around, through;

    bool empty() const { return around.empty() && through.empty(); }
    Paths operator|(const Paths& other) const {
        return {around | other.around, through | other.through};
    }
    Paths operator+(const Paths& next) const {
        return {around + next.around,
                (through + next.around) | (around + next.through) | (through + next.through)};
    }
    friend bool operator==(const Paths&, const Paths&) = default;
};
const Paths kHere{Counts::just(0), {}};

// One after the other, any number of times.
Paths repeated(const Paths& once) {
    Paths all = kHere;
    for (;;) {
        const Paths more = all | (all + once);
        if (more == all) return all;
        all = more;
    }
}

Paths repeated(const Paths& once, uint64_t times) {
    Paths all = kHere, power = once;
    for (; times != 0; times >>= 1) {
        if ((times & 1) != 0) all = all + power;
        power = power + power;
    }
    return all;
}

struct Unstructured {};

// Control flow with its constant conditions.
class Flow {
 public:
    explicit Flow(const Program& program) : program_{program}, constants_{program} {
        for (uint32_t i = 0; i < program.steps.size(); ++i)
            if (is_jump(effect_of(program.steps[i])) && program.steps[i].target <= i)
                back_edges_[program.steps[i].target] =
                    std::max(back_edges_[program.steps[i].target], i);
    }

    const Program& program() const { return program_; }
    const Constants& constants() const { return constants_; }
    // The last step that jumps back to this one, which begins a loop.
    std::optional<uint32_t> loop_at(uint32_t top) const {
        const auto found = back_edges_.find(top);
        if (found == back_edges_.end()) return std::nullopt;
        return found->second;
    }

 private:
    const Program& program_;
    Constants constants_;
    std::map<uint32_t, uint32_t> back_edges_;
};

using FlagKey = std::tuple<CoreType, Pipe, Pipe, unsigned>;
constexpr unsigned kComputed = UINT32_MAX;  // the id of all flags of two pipes

bool is_flag(const Step& step, const Program& program) {
    if (effect_of(step) != StepEffect::kIssues) return false;
    const Opcode opcode = program.issues[step.index].prototype.opcode;
    return opcode == Opcode::kSET_FLAG || opcode == Opcode::kWAIT_FLAG;
}

// All paths of one core type, of one flag and past one branch.
class Walk {
 public:
    Walk(const Flow& flow, CoreType core, const FlagKey& key, std::optional<BranchEdge> edge)
        : flow_{flow}, program_{flow.program()}, core_{core}, key_{key}, edge_{edge} {}

    Paths all() {
        Exits exits;
        range(0, static_cast<uint32_t>(program_.steps.size()), false, exits);
        return exits[kEnd];
    }

 private:
    static constexpr uint32_t kEnd = UINT32_MAX;
    using Exits = std::map<uint32_t, Paths>;  // by the step that they lead to

    // Steps [begin, end), a loop's or all. Where they lead to outside; of a loop also to `begin`.
    void range(uint32_t begin, uint32_t end, bool loop, Exits& exits) {
        std::vector<Paths> at(end - begin);
        at[0] = kHere;
        const auto go = [&](uint32_t from, uint32_t to, const Paths& paths) {
            if (paths.empty()) return;
            if (to < end && to > from)
                at[to - begin] = at[to - begin] | paths;
            else if (to >= end || (loop && to == begin))
                exits[to] = exits[to] | paths;
            else
                throw Unstructured{};
        };
        for (uint32_t i = begin; i < end; ++i) {
            const auto last = loop && i == begin ? std::nullopt : flow_.loop_at(i);
            if (!last) {
                step(i, at[i - begin], go);
                continue;
            }
            if (*last >= end) throw Unstructured{};
            Exits inside;
            range(i, *last + 1, true, inside);
            const Paths once = inside[i];
            inside.erase(i);
            const auto turns = flow_.constants().turns(*last);
            const Paths before =
                at[i - begin] + (turns && *turns > 0 ? repeated(once, *turns - 1) : repeated(once));
            for (const auto& [to, paths] : inside) go(*last, to, before + paths);
            i = *last;
        }
    }

    template <class Go>
    void step(uint32_t i, const Paths& here, Go&& go) {
        if (here.empty()) return;
        const Step& step = program_.steps[i];
        switch (effect_of(step)) {
            case StepEffect::kEnds:
                return go(i, kEnd, here);
            case StepEffect::kTraps:
                return;
            case StepEffect::kJumps:
                return go(i, step.target, here);
            case StepEffect::kChoosesCore:
                return go(i, core_ == static_cast<CoreType>(step.index) ? i + 1 : step.target,
                          here);
            case StepEffect::kBranches:
            case StepEffect::kEntersLoop:
                return branch(i, step, here, go);
            case StepEffect::kRepeats:
                go(i, step.target, here);
                return go(i, i + 1, here);
            default:
                return go(i, i + 1, is_flag(step, program_) ? here + effect(step) : here);
        }
    }

    template <class Go>
    void branch(uint32_t i, const Step& step, const Paths& here, Go&& go) {
        bool may_jump = true, may_go_on = true;
        if (effect_of(step) == StepEffect::kBranches) {
            if (const auto condition = flow_.constants().value(step.a)) {
                may_jump = *condition == 0;
                may_go_on = !may_jump;
            }
        } else if (const auto last = flow_.loop_at(i + 1)) {
            if (const auto turns = flow_.constants().turns(*last)) {
                may_jump = *turns == 0;
                may_go_on = !may_jump;
            }
        }
        if (may_jump) go(i, step.target, marked(here, {i, true}));
        if (may_go_on) go(i, i + 1, marked(here, {i, false}));
    }

    Paths marked(const Paths& here, const BranchEdge& edge) const {
        if (edge_ != edge) return here;
        return {{}, here.around | here.through};
    }

    Paths effect(const Step& step) const {
        const IssuePlan& plan = program_.issues[step.index];
        const Attributes& a = plan.prototype.attributes;
        const auto& [core, source, destination, id] = key_;
        if (a.source_pipe != source || a.destination_pipe != destination) return kHere;
        if (id != kComputed && a.event_id != id) return kHere;
        if (plan.only && *plan.only != core_) return kHere;
        return {Counts::just(plan.prototype.opcode == Opcode::kSET_FLAG ? 1 : -1), {}};
    }

    const Flow& flow_;
    const Program& program_;
    const CoreType core_;
    const FlagKey key_;
    const std::optional<BranchEdge> edge_;
};

// The flags of a core type, with the locations of their first set and wait.
struct FlagSites {
    SourceLocation set, wait;
};
std::map<FlagKey, FlagSites> flags_of(const Flow& flow, CoreType core) {
    const Program& program = flow.program();
    std::map<std::pair<Pipe, Pipe>, bool> computed;
    const auto plan_of = [&](const Step& step) -> const IssuePlan& {
        return program.issues[step.index];
    };
    for (const Step& step : program.steps)
        if (is_flag(step, program)) {
            const Attributes& a = plan_of(step).prototype.attributes;
            computed[{a.source_pipe, a.destination_pipe}] |= plan_of(step).event != kNoSlot;
        }
    std::map<FlagKey, FlagSites> flags;
    for (const Step& step : program.steps) {
        if (!is_flag(step, program)) continue;
        const Instruction& flag = plan_of(step).prototype;
        const Attributes& a = flag.attributes;
        if (!has_pipe(core, a.source_pipe) || !has_pipe(core, a.destination_pipe)) continue;
        const bool pooled = computed[{a.source_pipe, a.destination_pipe}];
        FlagSites& sites =
            flags[{core, a.source_pipe, a.destination_pipe, pooled ? kComputed : a.event_id}];
        SourceLocation& site = flag.opcode == Opcode::kSET_FLAG ? sites.set : sites.wait;
        if (site.line == 0) site = step.where;
    }
    return flags;
}

// The most steps that are visited for one flag; beyond that no branch is searched for.
constexpr size_t kMostWalked = 4'000'000;

void add_unbalanced(const Flow& flow, CoreType core, std::vector<UnbalancedFlag>& list) {
    const std::vector<Step>& steps = flow.program().steps;
    const size_t branches =
        static_cast<size_t>(std::count_if(steps.begin(), steps.end(), [](const Step& step) {
            return effect_of(step) == StepEffect::kBranches ||
                   effect_of(step) == StepEffect::kEntersLoop;
        }));
    const bool too_many = 2 * branches * steps.size() > kMostWalked;
    for (const auto& [key, sites] : flags_of(flow, core)) {
        const Counts all = Walk(flow, core, key, {}).all().around;
        if (all.empty() || all.only(0) || !all.holds(0)) continue;
        UnbalancedFlag flag;
        flag.core = core;
        std::tie(std::ignore, flag.source, flag.destination, std::ignore) = key;
        if (std::get<unsigned>(key) != kComputed) flag.id = std::get<unsigned>(key);
        flag.set = sites.set;
        flag.wait = sites.wait;
        bool told = false;
        for (uint32_t i = 0; i < steps.size() && !too_many; ++i) {
            const bool head = effect_of(steps[i]) == StepEffect::kEntersLoop;
            if (!head && effect_of(steps[i]) != StepEffect::kBranches) continue;
            for (const bool jumps : {false, true}) {
                const Counts through = Walk(flow, core, key, BranchEdge{i, jumps}).all().through;
                if (through.empty() || through.holds(0)) continue;
                flag.kind =
                    head && jumps ? UnbalancedFlag::Kind::kNoTurn : UnbalancedFlag::Kind::kBranch;
                flag.edge = {i, jumps};
                flag.set_left = through.any_above_zero();
                list.push_back(flag);
                told = true;
            }
        }
        if (!told) list.push_back(flag);
    }
}

}  // namespace

std::string to_text(const UnbalancedFlag& flag) {
    std::string text{name(flag.source)};
    text += "->" + std::string(name(flag.destination));
    if (flag.id) text += " #" + std::to_string(*flag.id);
    return text;
}

std::vector<UnbalancedFlag> unbalanced_flags(const Program& program, bool on_aic, bool on_aiv) {
    const Flow flow(program);
    std::vector<UnbalancedFlag> list;
    try {
        if (on_aic) add_unbalanced(flow, CoreType::kAIC, list);
        if (on_aiv) add_unbalanced(flow, CoreType::kAIV, list);
    } catch (const Unstructured&) {
        return {};
    }
    return list;
}

}  // namespace ptosim::assembly
