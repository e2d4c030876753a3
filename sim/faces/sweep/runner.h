// Runs points as child processes of this program, several at a time.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "sim/faces/sweep/plan.h"
#include "sim/faces/sweep/store.h"

namespace ptosim::sweep {

// The program that runs points, and its fingerprint, which is part of every key.
struct Program {
    std::string path;
    std::string fingerprint;
};
Program this_program();

struct Job {
    std::string key;
    std::vector<std::string> words;  // "run", the kernel, options; or a program
    // Variables of a program; empty for a kernel, which this program runs.
    std::vector<std::pair<std::string, std::string>> environment;
};
std::string command_text(const Job& job);
Job job_of(const Plan& plan, const Point& point);

// Runs one job and waits for it. A crash, a time-out or an error of its input is a failed result.
Result run_job(const Program& program, const Job& job, const std::string& folder, double timeout,
               const std::atomic<bool>& stop);

// Runs jobs on `width` threads. `done` is called for each finished job, by one thread at a time. Jobs that `stop` cuts
// off are not reported.
void run_jobs(const Program& program, const std::vector<Job>& jobs, const std::string& folder,
              double timeout, unsigned width, const std::atomic<bool>& stop,
              const std::function<void(const Job&, const Result&)>& done);

}  // namespace ptosim::sweep
