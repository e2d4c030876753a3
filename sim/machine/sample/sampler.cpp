#include "sim/machine/sample/sampler.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "sim/machine/sample/sampled_port.h"

namespace ptosim {
namespace {

constexpr Milli kFirstBudget = 2;  // times the measured time
constexpr Milli kEqual = 200,
                kSimilar = 50;  // values within one part of this count as equal, as similar
constexpr Milli kAlike = 3;
constexpr Milli kOften = 20;  // traffic after L2 may change by this part of a stretch

bool within(Milli a, Milli b, Milli part) {
    return (std::max(a, b) - std::min(a, b)) * part <= std::max(a, b);
}

}  // namespace

void Sampler::leave(SampledPort& port) {
    std::erase(ports_, &port);
    if (stage_ == Stage::kRunningAhead) ran_ahead();
    if (stage_ == Stage::kSkipping) skipped();
}

// ---- measuring ----------------------------------------------------------------------------

bool Sampler::all_measured() {
    if (unmeasured_ < ports_.size() && !ports_[unmeasured_]->measured()) return false;
    for (unmeasured_ = 0; unmeasured_ < ports_.size(); ++unmeasured_)
        if (!ports_[unmeasured_]->measured()) return false;
    return true;
}

void Sampler::period_began() {
    if (stage_ != Stage::kMeasuring) return;
    if (!all_begun_) {
        all_begun_ = std::all_of(ports_.begin(), ports_.end(),
                                 [](const SampledPort* port) { return port->has_begun(); });
        measured_from_ = machine_.now();
        behind_l2_from_ = machine_.behind_l2();
    }
    if (!all_measured()) return;
    set_budget();
    stage_ = Stage::kRunningAhead;
    constexpr uint64_t kBefore = 3;  // periods until all cores can skip
    for (SampledPort* port : ports_) port->run_ahead(budget_ / port->period() + kBefore);
    ran_ahead();
}

// As long as the pace of the cores does not change, each stretch is twice as long as the last one.
// If it has changed, the time that was skipped with the old pace is corrected to the mean of both.
void Sampler::set_budget() {
    Milli measured = 0;
    uint64_t pace = 0;
    for (const SampledPort* port : ports_) {
        measured = std::max(measured, port->measured_time());
        pace += port->period() * 1000 / port->length();
    }
    pace /= ports_.size();
    const Milli least = kFirstBudget * measured;
    if (last_pace_ == 0) {
        budget_ = least;
    } else {
        __extension__ typedef __int128 Wide;
        const Wide difference = static_cast<Wide>(pace) - static_cast<Wide>(last_pace_);
        const auto change = static_cast<int64_t>(static_cast<Wide>(last_skipped_) * difference /
                                                 (2 * static_cast<Wide>(last_pace_)));
        time_ += change;
        deviation_ += static_cast<Milli>(std::abs(change)) / 2;
        budget_ = within(pace, last_pace_, kEqual)     ? std::max(least, 2 * budget_)
                  : within(pace, last_pace_, kSimilar) ? std::max(least, budget_)
                                                       : least;
    }
    last_pace_ = pace;
    last_skipped_ = 0;
}

Sampler::Result Sampler::result() const {
    Result result = result_;
    result.skipped = static_cast<Cycle>(std::max<int64_t>(time_, 0)) / 1000;
    result.deviation = deviation_ / 1000;
    return result;
}

void Sampler::begin_measuring() {
    stage_ = Stage::kMeasuring;
    all_begun_ = false;
    for (SampledPort* port : ports_) port->measure_again();
}

// ---- skipping -----------------------------------------------------------------------------

void Sampler::ran_ahead() {
    if (stage_ != Stage::kRunningAhead) return;
    for (const SampledPort* port : ports_)
        if (port->runs_ahead()) return;
    if (ports_.empty() || !all_measured() || !decide()) return begin_measuring();
    stage_ = Stage::kSkipping;
}

void Sampler::skipped() {
    const auto skips = [](const SampledPort* port) { return port->skips(); };
    if (std::none_of(ports_.begin(), ports_.end(), skips)) begin_measuring();
}

std::vector<Sampler::Group> Sampler::groups() const {
    SignalReach reach = SignalReach::kNone;
    for (const SampledPort* port : ports_) reach = std::max(reach, port->reach());
    std::map<unsigned, Group> by_number;
    for (size_t i = 0; i < ports_.size(); ++i) {
        const unsigned number = reach == SignalReach::kChip      ? 0
                                : reach == SignalReach::kCluster ? ports_[i]->cluster()
                                                                 : static_cast<unsigned>(i);
        by_number[number].ports.push_back(ports_[i]);
    }
    std::vector<Group> result;
    for (auto& [number, group] : by_number) result.push_back(std::move(group));
    return result;
}

// True if the common stretch has as many sets as waits: after it, flags are as before. A set of an
// AIC is for all AIVs of its cluster, and its wait for sets of all of them. Each core takes part in
// what concerns all.
bool Sampler::balanced(const Group& group) {
    std::array<SignalCounts, 2> sums;  // by core type
    uint64_t vectors = 0, for_all = 0;
    for (size_t i = 0; i < group.ports.size(); ++i) {
        const SampledPort& port = *group.ports[i];
        const bool vector = port.id().type == CoreType::kAIV;
        const SignalCounts counts = port.signals();
        const uint64_t n = group.periods[i];
        SignalCounts& sum = sums[vector];
        sum.sets_for_one += n * counts.sets_for_one;
        sum.waits_for_one += n * counts.waits_for_one;
        sum.sets_in_cluster += n * counts.sets_in_cluster;
        sum.waits_in_cluster += n * counts.waits_in_cluster;
        if (counts.sets_for_all != counts.waits_for_all) return false;
        if (i > 0 && n * counts.sets_for_all != for_all) return false;
        for_all = n * counts.sets_for_all;
        vectors += vector;
    }
    const auto& [cube, vector] = sums;
    const uint64_t cubes = group.ports.size() - vectors;
    const uint64_t each = cubes == 0 ? 0 : vectors / cubes;
    return cube.sets_for_one == vector.waits_for_one && vector.sets_for_one == cube.waits_for_one &&
           cube.sets_in_cluster * each == vector.waits_in_cluster &&
           vector.sets_in_cluster == cube.waits_in_cluster * each;
}

// Finds how many periods of each port take the same time. Returns false if there are no such
// numbers.
bool Sampler::find_stretch(Group& group, Cycle near) {
    for (const SampledPort* port : group.ports)
        group.length = std::max(group.length, port->period());
    group.available = UINT64_MAX;
    for (const SampledPort* port : group.ports) {
        const Milli period = port->period();
        if (period == 0) return false;
        const uint64_t periods = (group.length + period / 2) / period;
        constexpr Milli kSame = 50;
        if (!within(periods * period, group.length, kSame)) return false;
        group.periods.push_back(periods);
        group.available = std::min(group.available, port->available(near) / periods);
    }
    return group.available > 0 && balanced(group);
}

// Chooses how often each group skips its stretch, and the time that all skip. Returns false if
// nothing can be skipped.
bool Sampler::choose_counts(std::vector<Group>& all, Milli& time) {
    Milli least = UINT64_MAX, shortest = UINT64_MAX, longest = 0, sum = 0;
    uint64_t stretches = UINT64_MAX;
    for (const Group& group : all) {
        least = std::min(least, group.available * group.length);
        shortest = std::min(shortest, group.length);
        longest = std::max(longest, group.length);
        stretches = std::min(stretches, group.available);
        sum += group.length;
    }
    // Cores with equal work skip equally often, and keep their places relative to each other.
    const bool alike = within(shortest, longest, kAlike) &&
                       std::all_of(ports_.begin(), ports_.end(), [this](const SampledPort* port) {
                           return port->length() == ports_.front()->length();
                       });
    const Milli mean = sum / all.size();
    if (alike) {
        for (Group& group : all) group.count = std::clamp<uint64_t>(budget_ / mean, 1, stretches);
        stretches = alike_stretches(all, all.front().count, mean);
        for (Group& group : all) group.count = stretches;
        time = stretches * mean;
        deviation_ += (longest - mean) * stretches;
        return stretches > 0;
    }
    time = std::min(least, std::max(budget_, longest));
    uint64_t most = 0;
    for (Group& group : all) {
        const int64_t wanted = static_cast<int64_t>(time) - group.ports.front()->lead();
        group.count = std::min<uint64_t>(
            group.available, static_cast<uint64_t>(std::max<int64_t>(wanted, 0)) / group.length);
        most = std::max(most, group.count);
    }
    const uint64_t stretches_alike = alike_stretches(all, most, mean);
    if (stretches_alike == 0) return false;
    time = time * stretches_alike / most;
    for (Group& group : all) {
        group.count = group.count * stretches_alike / most;
        for (SampledPort* port : group.ports)
            port->change_lead(static_cast<int64_t>(group.count * group.length) -
                              static_cast<int64_t>(time));
    }
    return true;
}

// Passes the listed transfers up to the end of this number of stretches. The cores take turns, as
// their transfers would. Returns the bytes that L2 lacked, and that it wrote back.
uint64_t Sampler::pass(const std::vector<Group>& all, uint64_t stretches) {
    uint64_t behind = 0;
    for (bool any = true; any;) {
        any = false;
        for (const Group& group : all) {
            for (size_t i = 0; i < group.ports.size(); ++i) {
                SampledPort& port = *group.ports[i];
                const Instruction* const transfer =
                    port.next_transfer(std::min(stretches, group.count) * group.periods[i]);
                if (transfer == nullptr) continue;
                any = true;
                behind += machine_.pass(port.id(), *transfer);
            }
        }
    }
    return behind;
}

// The number of stretches, at most `most`, in which the memory after L2 has about as much to do
// as while periods were measured.
uint64_t Sampler::alike_stretches(const std::vector<Group>& all, uint64_t most, Milli length) {
    const Milli measured = (machine_.now() - measured_from_) * 1000;
    const Milli usual = machine_.time_behind_l2(machine_.behind_l2() - behind_l2_from_) * length /
                        std::max<Milli>(1, measured);
    machine_.keep_l2();
    for (const Group& group : all)
        for (SampledPort* port : group.ports) port->list_transfers(near_, SampledPort::From::kNow);
    pass(all, 0);
    uint64_t alike = 0;
    for (; alike < most; ++alike) {
        const Milli behind = machine_.time_behind_l2(pass(all, alike + 1));
        if ((std::max(behind, usual) - std::min(behind, usual)) * kOften > length) break;
    }
    machine_.restore_l2();
    return alike;
}

void Sampler::skips_now() {
    for (const Group& group : skipping_)
        for (SampledPort* port : group.ports)
            if (port->skips()) port->list_transfers(near_, SampledPort::From::kBegin);
    uint64_t most = 0;
    for (const Group& group : skipping_) most = std::max(most, group.count);
    pass(std::exchange(skipping_, {}), most);
}

// Chooses what each port skips. Returns false if there is nothing.
bool Sampler::decide() {
    // Cores that work in step skip at the same begin of a period, and stay in step.
    const SampledPort& first = *ports_.front();
    near_ = first.last_begin();
    while (near_ * 1000 < machine_.now() * 1000 + first.period() / 4)
        near_ += (first.period() + 500) / 1000;
    std::vector<Group> all = groups();
    for (Group& group : all)
        if (!find_stretch(group, near_)) return false;
    Milli time = 0;
    if (!choose_counts(all, time)) return false;
    Milli spread = 0;
    for (Group& group : all) {
        for (size_t i = 0; i < group.ports.size(); ++i) {
            SampledPort& port = *group.ports[i];
            port.skip_at(near_, group.count * group.periods[i]);
            result_.instructions += group.count * group.periods[i] * port.length();
            spread = std::max(spread, port.spread() * time / (2 * port.period()));
        }
    }
    skipping_ = std::move(all);
    time_ += static_cast<int64_t>(time);
    deviation_ += spread;
    last_skipped_ += time;
    ++result_.times;
    return true;
}

}  // namespace ptosim
