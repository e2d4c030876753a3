#include "sim/faces/mpmd/platform.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>
#include <utility>

#include "isa/core/arch.h"
#include "sim/faces/mpmd/problem.h"
#include "sim/faces/mpmd/run_failure.h"
#include "sim/machine/model/system_model.h"
#include "sim/session/variables.h"
#include "sim/session/chip_messages.h"
#include "sim/session/findings_folder.h"
#include "sim/session/result_text.h"
#include "traces/traces.h"

namespace ptosim::mpmd {
namespace {

namespace fs = std::filesystem;

void print(const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& d : diagnostics) std::cerr << to_text(d);
}

// The checks across tasks that a list of checkers includes.
TaskChecks task_checks(const std::string& list) {
    check::CheckOptions chosen;
    if (!chosen.choose(list).empty()) return {};  // the session reports the error
    // An access beyond a tensor would count as a race unless it is recognised as beyond the tensor.
    return {chosen.has("race"), chosen.has("init"), chosen.has("bounds") || chosen.has("race")};
}

// Two racing tasks are found by their dependencies, and also by the checkers of a launch if they ran at the same time.
// The former finding is more detailed.
bool same_accesses(const Diagnostic& a, const Diagnostic& b) {
    const auto is = [](const Site& x, const Site& y) {
        return x.file == y.file && x.location.line == y.location.line;
    };
    if (a.related.empty() || b.related.empty()) return false;
    const Site &first = a.related.front(), &other = b.related.front();
    return (is(a, b) && is(first, other)) || (is(a, other) && is(first, b));
}

void add_findings(std::vector<Diagnostic>& findings, std::vector<Diagnostic> across_tasks) {
    std::erase_if(findings, [&](const Diagnostic& finding) {
        return finding.code == "G04" &&
               std::any_of(across_tasks.begin(), across_tasks.end(), [&](const Diagnostic& d) {
                   return d.code == "G05" && same_accesses(finding, d);
               });
    });
    std::move(across_tasks.begin(), across_tasks.end(), std::back_inserter(findings));
}

// A program's run is one launch of many kernels here. Unless the user has set them, its limits are wider than a
// kernel's.
void allow_long_programs(SessionOptions& options) {
    constexpr uint64_t kKernels = 100;
    if (std::getenv("PTOSIM_MAX_CYCLES") == nullptr) options.max_cycles *= kKernels;
    if (std::getenv("PTOSIM_MAX_INSTRUCTIONS") == nullptr) options.max_instructions *= kKernels;
}

}  // namespace

// The kernel of a run's launch: runs its executor on each core.
class Platform::ExecutorKernel : public Kernel {
 public:
    explicit ExecutorKernel(Platform& platform) : platform_{platform} {}

    std::string_view name() const override { return "program"; }
    const SourceMap& sources() const override { return *platform_.kernels_.sources(); }
    std::span<const Parameter> parameters() const override { return {}; }
    bool runs_on(CoreType) const override { return true; }
    bool has_explicit_sync() const override { return true; }
    bool follows_pointers() const override { return true; }
    void run(KernelPort& port, KernelArguments) const override {
        const CoreId core{port.identity().core, static_cast<uint16_t>(port.core_index())};
        platform_.executor(core).run(port);
    }

 private:
    Platform& platform_;
};

// ---- life ---------------------------------------------------------------------------------

// Lives until the process ends, because its thread may still run during the destruction of other objects.
Platform& Platform::get() {
    static Platform* const platform = new Platform;
    return *platform;
}

void Platform::open(const char* arch) {
    const std::lock_guard lock(calls_);
    if (!arch_.empty() && arch_ != arch) {
        print({problem(
            "H30",
            "this process has run programs for " + arch_ + ", and is to run some for " + arch,
            "a process simulates one chip: run them separately (pytest: --forked, or one run each)")});
        broken_ = true;
    }
    arch_ = arch;
}

Session& Platform::session() {
    if (session_) return *session_;
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    std::cerr << unknown_variables();
    try {
        SessionOptions options = options_from_environment();
        const TaskChecks checks = task_checks(options.check);
        allow_long_programs(options);
        const std::optional<Arch> arch = parse_arch(arch_);
        if (const char* const system = std::getenv("PTOSIM_SYSTEM"); system != nullptr && *system != 0)
            if (options.chip.empty()) options.chip = load_system(system, options.overrides).chip;
        if (options.chip.empty()) options.chip = traits_of(arch.value_or(Arch::kA2A3)).default_chip;
        session_ = std::make_unique<Session>(std::move(options), OptionSource::kEnvironment);
        if (arch && session_->model().arch != *arch)
            throw DiagnosticError(problem("H30",
                                          "chip " + session_->model().name +
                                              " is not of the architecture of platform " + arch_ +
                                              "sim",
                                          "choose another with --chip"));
        if (session_->settings().mode == RunMode::kFunctional)
            throw DiagnosticError(
                problem("H30", "--mode functional has no time, but schedulers need it",
                        "--mode full computes and counts, --mode timing counts"));
        keeper_ = TaskKeeper::from_environment(*session_);
        recorder_ = std::make_unique<ProgramRecorder>(session_->options().trace, checks, keeper_ != nullptr);
        session_->attach(recorder_.get());
        session_->extend_findings([this](std::vector<Diagnostic>& findings) {
            add_findings(findings, findings_of_program());
        });
        if (session_->settings().checks.has("cache")) {
            core_stores_ = std::make_unique<CoreStores>(session_->memory(), kernels_.sources());
            session_->attach(core_stores_.get());
        }
        session_->observe();
        watchdog_.emplace(session_->chip(), *recorder_);
    } catch (const DiagnosticError& failure) {
        print(failure.diagnostics());
        std::_Exit(kInputUnusable);
    }
    if (session_->settings().checks.has("cache")) {
        processor_cache_ =
            std::make_unique<ProcessorCache>(session_->memory(), kernels_.sources());
        listen_to_accesses([](const PlainAccess& access) {
            if (const Processor* processor = Processor::current())
                get().note_access(*processor, access);
        });
    }
    memory_.emplace(*session_, queue_, processor_cache_.get());
    signal_waits_.emplace(memory_->windows(), signals_);
    kernel_ = std::make_unique<ExecutorKernel>(*this);
    if (JobProcess& process = JobProcess::get(); process.has_chip()) {
        watchdog_->watch_only();
        clock_ = std::make_unique<SharedClock>(*session_, process, *watchdog_, !session_->options().trace.empty());
        recorder_->have_clock();
    }
    owner_ = getpid();
    on_exit(
        [](int status, void*) {
            const int wanted = Platform::get().finish(status);
            if (wanted == status) return;
            std::cout.flush();
            std::cerr.flush();
            std::fflush(nullptr);
            _exit(wanted);
        },
        nullptr);
    return *session_;
}

// Findings across tasks and of processors.
std::vector<Diagnostic> Platform::findings_of_program() {
    std::vector<Diagnostic> found = recorder_->findings(*kernels_.sources());
    if (processor_cache_) std::ranges::copy(processor_cache_->findings(), std::back_inserter(found));
    if (core_stores_) std::ranges::copy(core_stores_->findings(), std::back_inserter(found));
    return found;
}

const char* Platform::take_findings(const std::string& test) {
    const std::lock_guard lock(calls_);
    const auto held = queue_.hold();
    if (queue_.running() || owner_ != getpid()) return nullptr;
    const std::string& checks = session_->options().check;
    if (checks.empty() || checks == "none") return nullptr;
    try {
        recorder_->read(*kernels_.sources(), model().clock.value(), ProgramRecorder::Until::kWritten);
        const std::vector<Diagnostic> fresh = of_session_.take(session_->findings_so_far());
        if (fresh.empty()) return nullptr;
        document_ = findings_document(fresh, test);
        add_to_findings_folder(document_);
    } catch (const DiagnosticError& failure) {
        print(failure.diagnostics());
        return nullptr;
    }
    return document_.c_str();
}

int Platform::finish(int status) {
    {
        const auto held = queue_.hold();
        // A thread may be executing a run, so no state is complete.
        if (queue_.running() || std::exchange(owner_, 0) != getpid()) return status;
    }
    if (clock_) clock_->end();
    ExitCode code = kOk;
    try {
        const SessionOptions& options = session_->options();
        recorder_->read(*kernels_.sources(), model().clock.value(), ProgramRecorder::Until::kEnd);
        session_->record(recorder_->limits(*kernels_.sources(), model().clock.value()));
        Result result = session_->finish();
        const std::vector<Diagnostic> fresh = of_session_.take(result.findings);
        result.checked = result.checked || !fresh.empty();
        session_->write_files(result);
        write_json(result, options);
        std::cerr << warnings_text(result) << files_text(result, options);
        recorder_->write(model().clock.value(), parse_formats(options.trace_formats));
        if (keeper_) keeper_->finish(recorder_->program(), *kernels_.sources());
        if (clock_) write_messages(clock_->traffic(), clock_->chip(), result, options.trace);
        for (const std::string& note : recorder_->not_looked_at()) {
            print({problem("I01", note, "the tasks of this run are not checked against each other")});
            code = kInputUnusable;
        }
        // Whoever took the other findings fails because of them.
        if (result.checked && !fresh.empty()) {
            print(printed_.take(fresh));
            code = kKernelWrong;
            add_to_findings_folder(findings_document(fresh, current_test()));
        }
    } catch (const DiagnosticError& failure) {
        print(failure.diagnostics());
        code = kInputUnusable;
    }
    return status == 0 ? code : status;
}

// ---- memory -------------------------------------------------------------------------------

namespace {

// Returns the result of `call`, or null after printing its diagnostics.
template <class F>
void* or_null(F&& call) {
    try {
        return call();
    } catch (const DiagnosticError& failure) {
        print(failure.diagnostics());
        return nullptr;
    }
}

}  // namespace

void* Platform::allocate(uint64_t size) {
    const std::lock_guard lock(calls_);
    session();
    return or_null([&] { return memory_->allocate(size); });
}

void Platform::release(void* memory) {
    const std::lock_guard lock(calls_);
    session();
    memory_->release(memory);
}

void* Platform::map(uint64_t size, int file) {
    const std::lock_guard lock(calls_);
    session();
    return or_null([&] { return memory_->map(size, file); });
}

void Platform::unmap(void* window) {
    const std::lock_guard lock(calls_);
    session();
    if (const auto range = memory_->windows().range(window); clock_ && range) clock_->leave_windows(*range);
    memory_->unmap(window);
}

// `join` takes the number of the windows' file.
template <class Join>
bool Platform::share_window(uint64_t begin, uint64_t bytes, const Join& join) {
    if (!clock_) return true;
    const uint64_t file = [&] {
        const std::lock_guard lock(calls_);
        return memory_->keep_window(begin, bytes);
    }();
    std::optional<Diagnostic> problem;
    if (file == 0)
        problem = mpmd::problem("H30", "windows of chips with one clock cannot be mapped",
                                "windows are ranges of one mapping, which begin at a page");
    else
        problem = join(file);
    if (problem) print({*problem});
    return !problem;
}

bool Platform::join_windows(const std::vector<std::pair<unsigned, uint64_t>>& windows, uint64_t bytes) {
    return share_window(windows.front().second, windows.size() * bytes,
                        [&](uint64_t file) { return clock_->join_windows(windows, bytes, file); });
}

bool Platform::offer_window(uint64_t window, uint64_t bytes) {
    return share_window(window, bytes, [&](uint64_t file) { return clock_->offer_window(window, bytes, file); });
}

bool Platform::import_window(uint64_t window, uint64_t bytes) {
    return share_window(window, bytes, [&](uint64_t file) { return clock_->import_window(window, bytes, file); });
}

// ---- runs ---------------------------------------------------------------------------------

const char* Platform::record_run(const std::string& folder_of_user) {
    HostClock::begin();
    const std::lock_guard lock(calls_);
    session();
    try {
        return recorder_->folder_of_next_run(folder_of_user);
    } catch (const DiagnosticError& failure) {
        print(failure.diagnostics());
        broken_ = true;
        return nullptr;
    }
}

void Platform::run(const Participants& participants) {
    if (broken_) {
        print({problem("H21", "a run on a chip that has failed before",
                      "the first error of this process describes the cause")});
        if (clock_) clock_->skip_run();
        return;
    }
    try {
        if (fits(participants) && launch_at_its_time(participants)) return;
    } catch (const DiagnosticError& failure) {
        print(failure.diagnostics());
    }
    broken_ = true;
    for (Participant* participant : participants) participant->result = -1;
}

// True if the run has the cores of whole clusters of the chip.
bool Platform::fits(const Participants& participants) {
    const auto aivs = static_cast<size_t>(model().cluster.aivs.value());
    std::set<std::pair<CoreType, unsigned>> cores;
    for (const Participant* p : participants)
        if (p->is_core) cores.insert({p->core.type, p->core.index});
    const size_t clusters = cores.size() / (1 + aivs);
    bool whole = clusters * (1 + aivs) == cores.size() && clusters <= model().clusters.value();
    for (const auto& [type, index] : cores)
        whole = whole && index < (type == CoreType::kAIC ? clusters : clusters * aivs);
    if (whole && clusters > 0) return true;
    print({problem("H30",
                  "a run on " + std::to_string(cores.size()) + " cores, which differ from those of " +
                      "whole clusters of " + model().name,
                  "the chip has " + std::to_string(model().clusters.value()) +
                      " clusters; --set clusters=N")});
    return false;
}

Executor& Platform::executor(CoreId core) {
    std::unique_ptr<Executor>& made = executors_[{core.type, core.index}];
    if (!made)
        made = std::make_unique<Executor>(session_->chip().event_queue(), model(),
                                          session_->chip().parameters_read());
    return *made;
}

void Platform::start_processor(Participant& participant, unsigned index) {
    if (index == processors_.size()) {
        processors_.push_back(std::make_unique<Processor>(
            session_->chip().event_queue(), model(), session_->chip().parameters_read(), index));
        words_.push_back(-1);
    }
    Processor& processor = *processors_[index];
    words_[index] = -1;
    processor.start([this, &participant, &processor] {
        processor.wait(recorder_->run_begin() - session_->chip().now());
        const Processor::Counts before = processor.counts();
        const Cycle begin = session_->chip().now();
        try {
            participant.result = participant.work(participant.argument);
        } catch (const std::exception& thrown) {
            thrown_.push_back(thrown_by_processor(thrown.what()));
        }
        processor.spend();
        const Processor::Counts& after = processor.counts();
        recorder_->add({processor.index(), begin, session_->chip().now(),
                        after.blocks - before.blocks, after.loads - before.loads,
                        after.stores - before.stores, after.spins - before.spins});
        if (--processors_at_work_ > 0) return;
        watchdog_->end_run();
        run_nanoseconds_ += mpmd::nanoseconds(session_->chip().now() - recorder_->run_begin(),
                                              model().clock.value());
    });
}

// Chips with one clock: when the host and the runs before it let it begin.
bool Platform::launch_at_its_time(const Participants& participants) {
    if (!clock_) return launch(participants);
    const SharedClock::Turn turn(*clock_);
    if (const std::optional<Diagnostic> failure = clock_->begin_run()) {
        print({*failure});
        return false;
    }
    struct End {
        SharedClock& clock;
        ~End() { clock.end_run(); }
    } end{*clock_};
    return launch(participants);
}

bool Platform::launch(const Participants& participants) {
    unsigned processors = 0;
    uint32_t cores = 0;
    for (Participant* p : participants) {
        if (p->is_core) {
            ++cores;
            executor(p->core).prepare(p->work_of_core, p->argument);
        } else {
            start_processor(*p, processors++);
        }
    }
    processors_at_work_ = processors;
    watchdog_->begin_run();
    Session::LaunchChoice choice;
    choice.blocks = cores / (1 + static_cast<uint32_t>(model().cluster.aivs.value()));
    choice.print = [](CoreId core, std::string_view line) {
        std::cout << ptosim::name(core) << ": " << line << "\n";
    };
    const auto aics = static_cast<unsigned>(choice.blocks);
    recorder_->begin_run(aics, cores - aics);
    if (processor_cache_) processor_cache_->begin_run();
    choice.explain = [this](Diagnostic& deadlock) {
        signal_waits_->explain(deadlock, *kernels_.sources());
    };
    signals_.begin_run();
    LaunchResult result = session_->launch(*kernel_, {}, choice);
    if (processor_cache_) processor_cache_->end_run();
    recorder_->end_run(session_->chip().now());
    if (!result.diagnostics.empty())
        for (const std::string& task : recorder_->under_way(model().clock.value()))
            result.diagnostics.front().notes.push_back(task);
    bool worked = result.finished;
    for (const auto& processor : processors_) worked = worked && !processor->working();
    RunFailure failure = failure_of(participants);
    if (!result.diagnostics.empty())
        failure = {result.diagnostics.front().message, result.diagnostics.front().hint};
    print(printed_.take(std::move(result.diagnostics)));
    // If a runtime has given the reason for its end, later exceptions of its code are irrelevant.
    if (failure.hint.empty()) print(thrown_);
    if (failure.what.empty() && !thrown_.empty()) failure.what = thrown_.front().message;
    thrown_.clear();
    recorder_->fail_run(std::move(failure), model().clock.value());
    signals_.end_run(worked);
    if (!memory_->windows().empty()) signals_.write();
    return worked;
}

// ---- kernels ------------------------------------------------------------------------------

void Platform::add_kernel(const char* name, const void* begin, const void* end) {
    const std::lock_guard lock(calls_);
    session();
    try {
        kernels_.add(name, begin, end);
    } catch (const DiagnosticError& failure) {
        print(failure.diagnostics());
        broken_ = true;
    }
}

void Platform::run_task(Executor& executor, const void* begin, int64_t* arguments) {
    const CoreId core{executor.port().identity().core,
                      static_cast<uint16_t>(executor.port().core_index())};
    const KernelStore::Stored& stored = kernels_.find(begin, core);
    Task task;
    task.core = core;
    task.kernel = stored.name;
    task.begin = executor.cycle();
    const uint64_t words[] = {reinterpret_cast<uint64_t>(arguments)};
    if (keeper_)
        keeper_->begin_task(recorder_->program().runs.size() - 1, core, task.begin, stored, arguments, executor.task());
    recorder_->begin_task(core, task.kernel, task.begin);
    check::Checkers* const checkers = session_->checkers();
    if (checkers != nullptr) checkers->task_begins(core);
    watchdog_->begin_task();
    {
        TaskPort port(executor.port(), memory_->windows(), session_->chip(), *watchdog_, *signal_waits_, *recorder_, stored.name,
                      *kernels_.sources());
        executor.call([&] { stored.kernel->run(port, words); });
    }
    // A processor that sees the end of the task may read its results.
    session_->chip().wait_for_data(core);
    if (core_stores_) core_stores_->end_task(core, stored.kernel->form() == KernelForm::kSteps);
    watchdog_->end_task();
    task.end = executor.cycle();
    if (checkers != nullptr) checkers->task_ends(core);
    recorder_->end_task(std::move(task));
}

// ---- for processors -----------------------------------------------------------------------

// Finds the executor whose register block contains the address: the nearest one below.
void Platform::store(Processor& processor, volatile uint32_t* address, uint32_t value) {
    processor.store_register(address, value);
    Executor* owner = nullptr;
    for (const auto& [core, executor] : executors_) {
        if (executor->registers() == nullptr || executor->registers() > address) continue;
        if (owner == nullptr || executor->registers() > owner->registers()) owner = executor.get();
    }
    if (owner == nullptr) return;
    const Milli delay = session_->chip().parameters_read()(model().aicpu.register_delay);
    owner->notice_store((delay + 999) / 1000);
}

// Others than processors write before a run, or while it waits for them.
void Platform::note_store(const void* address, uint64_t size) {
    const Processor* const processor = Processor::current();
    if (processor == nullptr || size == 0) return;
    const auto begin = reinterpret_cast<uint64_t>(address);
    if (memory_->holds(begin))
        recorder_->add(ProcessorStore{processor->time() / 1000, begin, begin + size});
}

void Platform::note_access(const Processor& processor, const PlainAccess& access) {
    const auto begin = reinterpret_cast<uint64_t>(access.address);
    if (!processor_cache_ || access.size == 0 || !memory_->holds(begin)) return;
    if (access.writes) return processor_cache_->store(begin, access.size);
    if (core_stores_->load(processor.index(), begin, access.size, access.code))
        processor_cache_->load(processor.index(), begin, access.size, access.code);
}

void Platform::invalidate(const void* address, uint64_t size) {
    if (processor_cache_) processor_cache_->invalidate(reinterpret_cast<uint64_t>(address), size);
}

uint64_t Platform::nanoseconds() const {
    if (!session_) return 0;
    Cycle time = session_->chip().now();
    if (Executor::current() != nullptr) time = Executor::current()->cycle();
    return mpmd::nanoseconds(time, session_->model().clock.value());
}

}  // namespace ptosim::mpmd
