#include "sim/machine/core/core_threads.h"

#include <algorithm>

namespace ptosim {

CoreThreads::CoreThreads(CoreContext& core, ScalarUnit& scalar, const ThreadLaunch& launch)
    : core_{core},
      scalar_{scalar},
      begin_{core.now()},
      time_{core.model, *this, launch, begin_} {}

void CoreThreads::advance() { time_.advance(); }

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

Milli CoreThreads::hold_sector(uint64_t sector, Milli from, Milli time) {
    return core_.environment.hold_sector(sector, from, time);
}

}  // namespace ptosim
