#include "sim/machine/core/flags.h"

namespace ptosim {

FlagFile::FlagFile(CoreContext& core)
    : core_{core},
      ids_{static_cast<unsigned>(core.model.flags.ids)},
      sets_{static_cast<unsigned>(core.model.flags.sets)} {
    for (auto& arrived : arrived_) arrived = std::make_unique<Wakeup>(core.lane);
}

bool FlagFile::full(const Flag& flag) const {
    if (!flag.set) return false;
    const auto later = later_.find(&flag);
    return 1 + (later == later_.end() ? 0 : later->second.size()) >= sets_;
}

void FlagFile::set(const Instruction& instruction, uint64_t sequence) {
    Flag& flag = at(instruction.attributes);
    const Set set{sequence, core_.now(), instruction.location, false};
    const bool lost = full(flag);
    if (lost) report_lost_set(instruction, flag);
    if (flag.set) core_.read.note(core_.model.flags.sets);
    if (flag.set && !lost) {
        later_[&flag].push_back(set);
    } else {
        static_cast<Set&>(flag) = set;
        flag.set = true;
    }
    arrived(instruction.attributes.destination_pipe).notify();
    if (!core_.observers.nobody_needs(Observer::kFlagSet))
        core_.observers.set_flag(core_.flag_event(instruction, sequence));
}

void FlagFile::take(const Instruction& instruction, uint64_t sequence) {
    Flag& flag = at(instruction.attributes);
    const bool carried = flag.carried;
    flag.set = false;
    if (const auto found = later_.find(&flag); found != later_.end()) {
        std::deque<Set>& later = found->second;
        static_cast<Set&>(flag) = later.front();
        flag.set = true;
        later.pop_front();
        if (later.empty()) later_.erase(found);
    }
    if (core_.observers.nobody_needs(Observer::kFlagWait)) return;
    FlagEvent event = core_.flag_event(instruction, sequence);
    event.carried = carried;
    core_.observers.take_flag(event);
}

void FlagFile::report_lost_set(const Instruction& instruction, const Flag& flag) {
    const Attributes& a = instruction.attributes;
    const std::string holds = std::to_string(sets_) + " sets";
    Diagnostic d = core_.diagnostic(
        "E07", Category::kSync,
        "flag " + std::string(name(a.source_pipe)) + "->" + std::string(name(a.destination_pipe)) +
            " #" + std::to_string(a.event_id) + " is set again while " +
            (sets_ == 1 ? "the set before has" : "the " + holds + " before have") +
            " not been waited for",
        instruction.location);
    d.pipe = name(a.source_pipe);
    d.instruction = "SET_FLAG";
    if (!flag.carried)
        d.related = {core_.environment.sources().related("first set", flag.location)};
    d.hint = (sets_ == 1 ? "a flag is one bit: wait for it between two sets"
                         : "a flag holds " + holds + ": wait for it in between") +
             ", or use another id";
    core_.environment.report(std::move(d));
}

std::vector<FlagFile::Pending> FlagFile::pending() const {
    std::vector<Pending> result;
    for (size_t i = 0; i < flags_.size(); ++i) {
        if (!flags_[i].set || flags_[i].carried) continue;
        const size_t pair = i / ids_;
        result.push_back({static_cast<Pipe>(pair / kPipeCount),
                          static_cast<Pipe>(pair % kPipeCount), static_cast<unsigned>(i % ids_),
                          flags_[i].location});
    }
    return result;
}

unsigned FlagFile::begin_launch() {
    unsigned held = 0;
    const auto carry = [&held](Set& set) {
        set.carried = true;
        set.location = {};
        ++held;
    };
    for (Flag& flag : flags_) {
        flag.set_legal = flag.wait_legal = false;
        if (!flag.set) continue;
        if (core_.read(core_.model.flags.cleared) != 0) {
            flag.set = false;
            later_.erase(&flag);
        } else {
            carry(flag);
        }
    }
    for (auto& [flag, sets] : later_)
        for (Set& set : sets) carry(set);
    return held;
}

}  // namespace ptosim
