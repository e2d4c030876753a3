#include "sim/machine/core/core_threads.h"

#include <algorithm>

namespace ptosim {

CoreThreads::CoreThreads(CoreContext& core, ScalarUnit& scalar, const ThreadLaunch& launch)
    : core_{core},
      scalar_{scalar},
      begin_{core.now()},
      tally_{core.observers.nobody_needs(Observer::kThreadReports) ? nullptr
                                    : std::make_unique<ThreadTally>(
                                          (launch.threads + kWarpLanes - 1) / kWarpLanes, begin_)},
      time_{core.model, *this, launch, begin_, tally_.get()},
      alternatives_{tally_ == nullptr
                        ? nullptr
                        : std::make_unique<Alternatives>(core.model, launch, begin_)} {}

CoreThreads::Alternatives::Alternatives(const ChipModel& chip, const ThreadLaunch& launch,
                                        Cycle begin)
    : times{ThreadTime(chip, *this, launch, begin, nullptr, ThreadTime::Assumed::kNothing),
            ThreadTime(chip, *this, launch, begin, nullptr, ThreadTime::Assumed::kCoalesced),
            ThreadTime(chip, *this, launch, begin, nullptr, ThreadTime::Assumed::kNoConflicts)} {}

uint64_t CoreThreads::Alternatives::cycles(ThreadTime::Assumed assumed) const {
    return whole(times[static_cast<size_t>(assumed)].elapsed());
}

void CoreThreads::execute(const WarpInstruction& instruction) {
    time_.execute(instruction);
    if (alternatives_ != nullptr)
        for (ThreadTime& time : alternatives_->times) time.execute(instruction);
}

void CoreThreads::advance() {
    time_.advance();
    if (alternatives_ != nullptr)
        for (ThreadTime& time : alternatives_->times) time.advance();
}

void CoreThreads::release_barrier() {
    time_.release_barrier();
    if (alternatives_ != nullptr)
        for (ThreadTime& time : alternatives_->times) time.release_barrier();
}

// The alternatives have another L2, so their differences count.
std::optional<ThreadReport> CoreThreads::report() const {
    if (tally_ == nullptr) return std::nullopt;
    using Assumed = ThreadTime::Assumed;
    ThreadReport report = tally_->report();
    report.blocks = 1;
    report.warps = time_.warps();
    report.cycles = whole(time_.elapsed());
    const auto with = [&](Assumed assumed) {
        const uint64_t now = alternatives_->cycles(Assumed::kNothing),
                       then = alternatives_->cycles(assumed);
        return report.cycles - std::min(report.cycles, now - std::min(now, then));
    };
    report.coalesced = with(Assumed::kCoalesced);
    report.without_conflicts = with(Assumed::kNoConflicts);
    report.hidden = std::min(report.cycles, whole(time_.least()));
    return report;
}

// Other cores, and transfers, go on up to the present state of the threads.
void CoreThreads::wait() {
    scalar_.spend();
    const Cycle until = begin_ + whole(time_.elapsed());
    if (until > core_.now()) scalar_.wait_for(until - core_.now());
    scalar_.charge_operations(KernelPort::kOperationsBetweenLooks);
    scalar_.spend();
}

ThreadWork CoreThreads::work() const {
    const ThreadTime::Traffic& traffic = time_.traffic();
    const Cycle end = begin_ + whole(time_.elapsed());
    return {.cycles = std::max<Cycle>(1, end - std::min(end, core_.now())),
            .read = traffic.read,
            .written = traffic.written,
            .behind_l2 = traffic.behind_l2};
}

uint64_t CoreThreads::touch_line(uint64_t address, bool writes) {
    return core_.environment.touch_line(core_.id, address, writes);
}

Milli CoreThreads::hold_sector(uint64_t sector, Milli from, Milli time, Milli handover) {
    return core_.environment.hold_sector(core_.id, sector, from, time, handover);
}

}  // namespace ptosim
