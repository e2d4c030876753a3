#include "sim/faces/sweep/sweep.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <thread>

#include "isa/core/diagnostic.h"
#include "sim/faces/sweep/launcher.h"
#include "sim/faces/sweep/plan.h"
#include "sim/faces/sweep/runner.h"
#include "sim/faces/sweep/search.h"
#include "sim/faces/sweep/store.h"

namespace ptosim::sweep {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::atomic<bool> interrupted{false};

// An interrupt ends the sweep between two results; a second one ends it at once.
class InterruptGuard {
 public:
    InterruptGuard() {
        interrupted = false;
        struct sigaction action {};
        action.sa_handler = [](int) { interrupted = true; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGINT, &action, &interrupt_);
        sigaction(SIGTERM, &action, &terminate_);
    }
    ~InterruptGuard() {
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGTERM, &terminate_, nullptr);
    }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
    struct sigaction interrupt_ {
    }, terminate_{};
};

std::string duration_text(double seconds) {
    const auto whole = static_cast<uint64_t>(seconds + 0.5);
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600)
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

// A progress bar with an estimate, on a terminal.
class ProgressBar {
 public:
    explicit ProgressBar(size_t total) : total_{total}, terminal_{isatty(STDERR_FILENO) == 1} {}
    ~ProgressBar() {
        if (drawn_) std::cerr << "\r\033[K" << std::flush;
    }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void count(bool failed) {
        ++done_;
        failed_ += failed ? 1 : 0;
        const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        if (!terminal_ || seconds < 1 || seconds - shown_ < 0.2) return;
        shown_ = seconds;
        drawn_ = true;
        constexpr size_t kWidth = 30;
        const size_t filled = kWidth * done_ / total_;
        const double left =
            seconds / static_cast<double>(done_) * static_cast<double>(total_ - done_);
        std::cerr << "\r\033[K[" << std::string(filled, '=') << std::string(kWidth - filled, ' ')
                  << "] " << done_ << "/" << total_;
        if (failed_ > 0) std::cerr << ", " << failed_ << " failed";
        std::cerr << ", " << duration_text(left) << " left" << std::flush;
    }

 private:
    size_t total_, done_ = 0, failed_ = 0;
    bool terminal_, drawn_ = false;
    double shown_ = 0;
    Clock::time_point begin_ = Clock::now();
};

struct Shard {
    unsigned index = 0, count = 1;
};

Shard parse_shard(const std::string& word) {
    const size_t slash = word.find('/');
    const auto number = [](const std::string& text) -> long {
        char* end = nullptr;
        const long value = std::strtol(text.c_str(), &end, 10);
        return text.empty() || *end != 0 ? -1 : value;
    };
    std::string first = word.substr(0, slash);
    if (first == "mpi") {
        for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
            if (const char* rank = std::getenv(name)) {
                first = rank;
                break;
            }
        if (first == "mpi")
            fail_input("I54", "--shard " + word + ": no rank in the environment",
                       "this command is for processes started by mpirun");
    }
    const long index = number(first);
    const long count = slash == std::string::npos ? -1 : number(word.substr(slash + 1));
    if (index < 0 || count < 1 || index >= count || count > 65536)
        fail_input("I54", "--shard " + word + ": expected I/N with I below N",
                   "for example --shard 0/4");
    return {static_cast<unsigned>(index), static_cast<unsigned>(count)};
}

// The shard of a key: the same for every worker and every run.
unsigned shard_of(const std::string& key, unsigned count) {
    return static_cast<unsigned>(std::stoul(key.substr(0, 8), nullptr, 16) % count);
}

std::string shard_prefix(const std::string& out) {
    return fs::path(out).filename().string() + ".shard-";
}

std::vector<std::string> shard_files(const std::string& out) {
    std::vector<std::string> files;
    const fs::path folder = fs::absolute(out).parent_path();
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(shard_prefix(out)) && !name.ends_with("-journal"))
            files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

// Adds the results that workers have left, however they ended.
void take_over_shards(Store& store, const std::string& out) {
    for (const std::string& file : shard_files(out)) {
        store.merge(file);
        fs::remove(file);
        fs::remove(file + "-journal");
    }
}

// The points of a plan, and the runs that they need next.
class Work {
 public:
    Work(const Plan& plan, const std::string& program) : plan_{plan} {
        plan.for_each(program, [&](const Point& point) {
            if (point.kernel->search.empty())
                points_.push_back(point);
            else
                searches_.push_back(std::make_unique<Search>(plan, point, program));
        });
    }
    // Jobs without a result, one for each key. Searches go on to their next step.
    std::vector<Job> missing_from(const CyclesOf& cycles_of) {
        std::set<std::string> seen;
        std::vector<Job> missing;
        const auto add = [&](const Point& point) {
            if (point.skipped.empty() && !cycles_of(point.key) && seen.insert(point.key).second)
                missing.push_back(job_of(plan_, point));
        };
        for (const Point& point : points_) add(point);
        for (const auto& search : searches_)
            for (const Point& point : search->next(cycles_of)) add(point);
        return missing;
    }
    // In the plan's order. A search that has not ended has no result yet.
    std::vector<Point> points() const {
        std::vector<Point> result = points_;
        for (const auto& search : searches_) {
            result.push_back(search->best());
            if (!search->ended()) result.back().key.clear();
        }
        std::stable_sort(result.begin(), result.end(), [](const Point& a, const Point& b) { return a.index < b.index; });
        return result;
    }
    bool searches() const { return !searches_.empty(); }

 private:
    const Plan& plan_;
    std::vector<Point> points_;
    std::vector<std::unique_ptr<Search>> searches_;
};

CyclesOf results_of(const Store& store) {
    return [&store](const std::string& key) { return store.cycles_of(key); };
}

unsigned width_of(const SweepOptions& options) {
    return options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
}

size_t run_here(const Plan& plan, const Program& program, const std::vector<Job>& jobs,
                unsigned width, Store& store) {
    ProgressBar bar(jobs.size());
    size_t count = 0;
    run_jobs(program, jobs, plan.folder(), plan.settings().timeout, width, interrupted,
             [&](const Job& job, const Result& result) {
                 store.put(job.key, result);
                 bar.count(result.status != "done");
                 ++count;
             });
    return count;
}

// A worker: runs its share of the missing points into a separate file. Of a search it runs the next step.
SweepCount run_shard(const SweepOptions& options, const Plan& plan, const Program& program) {
    const Shard shard = parse_shard(options.shard);
    Work work(plan, program.fingerprint);
    std::unique_ptr<Store> common;
    if (fs::exists(options.out)) common = std::make_unique<Store>(options.out, Store::Access::kRead);
    std::vector<Job> jobs = work.missing_from([&](const std::string& key) {
        return common ? common->cycles_of(key) : std::optional<uint64_t>{};
    });
    common.reset();
    Store store(options.out + ".shard-" + std::to_string(shard.index) + "-of-" +
                    std::to_string(shard.count),
                Store::Access::kWrite);
    std::erase_if(jobs, [&](const Job& job) {
        return shard_of(job.key, shard.count) != shard.index || store.has(job.key);
    });
    SweepCount count;
    count.points = jobs.size();
    count.ran = count.done = run_here(plan, program, jobs, width_of(options), store);
    count.stopped = interrupted;
    count.missing = count.points - count.ran;
    return count;
}

size_t run_elsewhere(const SweepOptions& options, const Program& program, Work& work, Store& store) {
    size_t ran = 0, left = work.missing_from(results_of(store)).size();
    // Workers may be killed. Their results are kept, and the rest is repeated while there is progress. A search has
    // several steps.
    while (left > 0 && !interrupted) {
        const size_t before = store.results();
        const std::string trouble = launch_workers(options, program.path);
        take_over_shards(store, options.out);
        const size_t now = store.results() - before;
        if (!trouble.empty()) std::cerr << "note: " << trouble << "\n";
        if (now == 0)
            fail_input("I54",
                       "the " + options.launcher + " workers did no work" +
                           (trouble.empty() ? "" : ": " + trouble),
                       "see their output in " + options.out + ".workers");
        ran += now;
        left = work.missing_from(results_of(store)).size();
    }
    return ran;
}

void count_rows(const Store& store, SweepCount& count) {
    for (const Row& row : store.rows()) {
        ++count.points;
        count.done += row.status == "done" ? 1 : 0;
        count.failed += row.status == "failed" ? 1 : 0;
        count.skipped += row.status == "skipped" ? 1 : 0;
        count.missing += row.status == "missing" ? 1 : 0;
        if (row.status == "failed" && count.first_failure.empty())
            count.first_failure = row.message;
    }
}

}  // namespace

std::string default_output(const std::string& plan) {
    return fs::path(plan).replace_extension(".sweep").string();
}

SweepCount run_sweep(const SweepOptions& given) {
    SweepOptions options = given;
    if (options.out.empty()) options.out = default_output(options.plan);
    const Plan plan = options.question ? Plan::of(*options.question) : Plan::load(options.plan);
    const Program program = this_program();
    const InterruptGuard guard;
    if (!options.shard.empty()) return run_shard(options, plan, program);
    Work work(plan, program.fingerprint);  // before the file is made: a point may not be evaluable
    Store store(options.out, Store::Access::kWrite);
    store.set_points(plan, work.points());
    take_over_shards(store, options.out);
    if (options.retry_failed) store.forget_failures();
    std::vector<Job> jobs = work.missing_from(results_of(store));
    SweepCount count;
    if (options.dry_run) {
        std::error_code error;
        if (!jobs.empty() && !fs::equivalent(plan.folder(), ".", error))
            std::cout << "cd " << fs::proximate(plan.folder(), error).string() << "\n";
        for (const Job& job : jobs) {
            std::cout << command_text(job) << "\n";
        }
    } else if (options.launcher == "local") {
        while (!jobs.empty() && !interrupted) {
            count.ran += run_here(plan, program, jobs, width_of(options), store);
            jobs = work.missing_from(results_of(store));
        }
    } else {
        count.ran = run_elsewhere(options, program, work, store);
    }
    if (work.searches()) store.set_points(plan, work.points());
    if (!options.label.empty() && !options.dry_run) store.add_run(options.label);
    count_rows(store, count);
    count.stopped = interrupted;
    if (count.points == count.skipped) {
        const auto rows = store.rows();
        fail_input("I51",
                   "plan " + plan.file() + ": every point is skipped: " + rows.front().message,
                   "loosen 'where', or the requirements of the kernels");
    }
    return count;
}

}  // namespace ptosim::sweep
