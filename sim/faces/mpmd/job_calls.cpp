// The simulator's side of include/ptosim/mpmd.h for jobs of several chips.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "ptosim/mpmd.h"
#include "sim/faces/mpmd/job_process.h"
#include "sim/faces/mpmd/platform.h"

using ptosim::Job;
using ptosim::mpmd::JobProcess;
using ptosim::mpmd::Platform;

namespace {

Job& job() { return *JobProcess::get().job(); }

Job::Counts counts_of(const uint32_t* counts) {
    Job::Counts copied{};
    std::copy_n(counts, job().given(), copied.begin());
    return copied;
}

void rest() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

template <class F>
int or_error(F&& call) {
    try {
        return call();
    } catch (const ptosim::DiagnosticError& failure) {
        for (const ptosim::Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
        return -1;
    }
}

}  // namespace

int ptosim_mpmd_job_begin(uint32_t chips) {
    return or_error([&] { return JobProcess::get().begin(chips) ? 1 : 0; });
}

int ptosim_mpmd_job_begin_nodes(const uint32_t* chips, uint32_t nodes) {
    return or_error([&] { return JobProcess::get().begin_nodes({chips, chips + nodes}) ? 1 : 0; });
}

const char* ptosim_mpmd_job_path() {
    static std::string& path = *new std::string;
    path = JobProcess::get().path();
    return path.c_str();
}

int ptosim_mpmd_job_become_node(const char* path, uint32_t chips, uint32_t node) {
    return or_error([&] {
        if (path == nullptr)
            JobProcess::get().become_node(node);
        else
            JobProcess::get().join(path, chips, node);
        return 0;
    });
}

void ptosim_mpmd_job_begin_task() {
    while (!job().begin_task()) rest();
}

void ptosim_mpmd_job_end_task() { job().end_task(); }

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

int ptosim_mpmd_offer_window(uint64_t window, uint64_t bytes) {
    return Platform::get().offer_window(window, bytes) ? 0 : -1;
}

int ptosim_mpmd_import_window(uint64_t window, uint64_t bytes) {
    return Platform::get().import_window(window, bytes) ? 0 : -1;
}

int ptosim_mpmd_chips_live() { return Platform::get().chips_live() ? 1 : 0; }
