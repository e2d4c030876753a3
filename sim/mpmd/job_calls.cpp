// The simulator's side of include/ptosim/mpmd.h for jobs of several chips.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

#include "ptosim/mpmd.h"
#include "sim/mpmd/job_process.h"
#include "sim/mpmd/platform.h"

using ptosim::Job;
using ptosim::mpmd::JobProcess;
using ptosim::mpmd::Platform;

namespace {

Job& job() { return *JobProcess::get().job(); }

Job::Counts counts_of(const uint32_t* counts) {
    Job::Counts copied{};
    std::copy_n(counts, job().chips(), copied.begin());
    return copied;
}

void rest() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

}  // namespace

int ptosim_mpmd_job_begin(uint32_t chips) {
    try {
        return JobProcess::get().begin(chips) ? 1 : 0;
    } catch (const ptosim::DiagnosticError& failure) {
        for (const ptosim::Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
        return -1;
    }
}

void ptosim_mpmd_job_become(uint32_t chip) { JobProcess::get().become(chip); }

void ptosim_mpmd_job_orchestrate() { job().begin_orchestration(); }

void ptosim_mpmd_job_submit(const uint32_t* chips, uint32_t count, const uint32_t* after, uint32_t hops) {
    const std::vector<unsigned> all(chips, chips + count);
    const Job::Counts counts = counts_of(after);
    while (!job().submit(all, counts, hops)) rest();
}

void ptosim_mpmd_job_begin_wait(const uint32_t* until) { job().begin_wait(counts_of(until)); }

// The runtime calls this after the runs have ended or failed. Failed runs may never end, so the wait has a limit.
void ptosim_mpmd_job_end_wait() {
    constexpr std::chrono::seconds kMost{2};
    const auto begin = std::chrono::steady_clock::now();
    while (!job().wait_is_over() && std::chrono::steady_clock::now() - begin < kMost) rest();
    job().end_wait();
}

int ptosim_mpmd_windows(const uint64_t* windows, const uint32_t* chips, uint32_t count, uint64_t bytes) {
    std::vector<std::pair<unsigned, uint64_t>> all;
    for (uint32_t i = 0; i < count; ++i) all.emplace_back(chips[i], windows[i]);
    return Platform::get().join_windows(all, bytes) ? 0 : -1;
}

int ptosim_mpmd_chips_live() { return Platform::get().chips_live() ? 1 : 0; }
