#include "sim/mpmd/job_process.h"

#include <unistd.h>

#include <cstdlib>

#include "sim/model/chip_model.h"
#include "sim/model/system_model.h"
#include "sim/mpmd/problem.h"
#include "sim/session/options.h"

namespace ptosim::mpmd {
namespace {

Cycle cycles(uint64_t picoseconds, uint64_t clock_hz) {
    constexpr uint64_t kPerKilohertz = 1'000'000'000;  // ps of a period of 1 kHz
    return (picoseconds * (clock_hz / 1000) + kPerKilohertz - 1) / kPerKilohertz;
}

}  // namespace

JobProcess& JobProcess::get() {
    static JobProcess& process = *new JobProcess;
    return process;
}

bool JobProcess::begin(unsigned chips) {
    job_.reset();
    const char* const name = std::getenv("PTOSIM_SYSTEM");
    if (name == nullptr || *name == 0) return false;
    const SessionOptions options = options_from_environment();
    const SystemModel system = load_system(name, options.overrides);
    if (chips > system.devices() || chips > JobPages::kMostChips)
        throw DiagnosticError(problem("H30",
                                      "a program of " + std::to_string(chips) + " chips, and " + system.name + " has " +
                                          std::to_string(system.devices()) + " devices",
                                      "choose another system, or set system.chips"));
    const uint64_t clock = load_chip(options.chip.empty() ? system.chip : options.chip, options.overrides).clock;
    pages_ = SharedPages::make(Links::bytes_of_pages(chips) + sizeof(JobPages));
    if (pages_.data() == nullptr)
        throw DiagnosticError(problem("H30", "the system has no memory that processes share",
                                      "free some, or run without PTOSIM_SYSTEM"));
    auto& pages = *reinterpret_cast<JobPages*>(pages_.data() + Links::bytes_of_pages(chips));
    pages.process = getpid();
    job_.emplace(pages, chips,
                 HostCosts{cycles(system.host_run, clock), cycles(system.host_task, clock),
                           cycles(system.host_wake, clock)});
    links_.clear();
    for (unsigned chip = 0; chip < chips; ++chip) links_.push_back(link_times(system, clock, chip, chips));
    return true;
}

}  // namespace ptosim::mpmd
