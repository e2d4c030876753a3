#include "sim/mpmd/platform.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>
#include <utility>

#include "isa/core/arch.h"
#include "isa/core/relayed_port.h"
#include "sim/files/files.h"
#include "sim/model/variables.h"
#include "sim/session/result_text.h"
#include "traces/traces.h"

namespace ptosim::mpmd {
namespace {

Diagnostic problem(const char* code, std::string what, std::string hint) {
    Diagnostic d;
    d.code = code;
    d.category = Category::kInput;
    d.message = std::move(what);
    d.hint = std::move(hint);
    return d;
}

// What is looked for across tasks, of a list of checkers.
TaskChecks task_checks(const std::string& list) {
    check::CheckOptions chosen;
    if (!chosen.choose(list).empty()) return {};  // the session says what is wrong with it
    return {chosen.has("race"), chosen.has("init")};
}

// Two tasks that race are found by their dependencies, and by the checkers of a launch if they ran
// at the same time: what is known of their tasks says more.
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

// What memory holds that a host has allocated, where reads of what nobody has written are looked
// for: by it, stores that no checker sees are known. Larger allocations are heaps of a runtime.
constexpr std::byte kPoison{0xA5};
constexpr uint64_t kMostPoisoned = uint64_t{64} << 20;

// A run of a program is one launch here, of many kernels: unless somebody has set them, the limits
// are wider than a kernel's.
void allow_long_programs(SessionOptions& options) {
    constexpr uint64_t kKernels = 100;
    if (std::getenv("PTOSIM_MAX_CYCLES") == nullptr) options.max_cycles *= kKernels;
    if (std::getenv("PTOSIM_MAX_INSTRUCTIONS") == nullptr) options.max_instructions *= kKernels;
}

// The watcher looks a thousand times a second; where no instruction of a task completes for so many
// looks, and none reads the system counter, tasks hang.
constexpr uint64_t kLooks = 1000;
constexpr unsigned kLooksWithoutProgress = 20;

// What a task's kernel reads of itself in the core's registers.
BlockIdentity identity_of_task(const KernelPort& port) {
    BlockIdentity identity = port.identity();
    if (!traits_of(port.arch()).tasks_know_subblock) identity.subblock = 0;
    return identity;
}

// The port of a task. A task that asks for the time waits for it, and not in vain.
class TaskPort : public WindowPort {
 public:
    TaskPort(KernelPort& port, const Windows& windows, Chip& chip, uint64_t& counter_reads)
        : WindowPort(port, identity_of_task(port), windows, chip), counter_reads_{counter_reads} {}

    uint64_t system_counter() override {
        ++counter_reads_;
        return WindowPort::system_counter();
    }

 private:
    uint64_t& counter_reads_;
};

}  // namespace

// What the launch of a run executes: on each core its executor.
class Platform::ExecutorKernel : public Kernel {
 public:
    explicit ExecutorKernel(Platform& platform) : platform_{platform} {}

    std::string_view name() const override { return "program"; }
    const SourceMap& sources() const override { return *platform_.sources_; }
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

// Lives until the process ends: its thread may still run while other objects go.
Platform& Platform::get() {
    static Platform* const platform = new Platform;
    return *platform;
}

void Platform::open(const char* arch) {
    const std::lock_guard lock(memory_);
    if (!arch_.empty() && arch_ != arch) {
        fail({problem(
            "H30",
            "this process has run programs for " + arch_ + ", and is to run some for " + arch,
            "one process is one chip: run them apart (pytest: --forked, or a run each)")});
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
                problem("H30", "--mode functional has no time, and schedulers wait for it",
                        "--mode full computes and counts, --mode timing counts"));
        recorder_ = std::make_unique<ProgramRecorder>(session_->options().trace, checks);
        session_->attach(recorder_.get());
        session_->observe();
        look_ = std::make_unique<Event>(session_->chip().event_queue(), watcher_);
    } catch (const DiagnosticError& failure) {
        for (const Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
        std::_Exit(kInputUnusable);
    }
    sources_ = std::make_shared<SourceMap>();
    if (session_->settings().checks.has("cache")) {
        processor_cache_ = std::make_unique<ProcessorCache>(session_->memory(), sources_);
        listen_to_accesses([](const PlainAccess& access) {
            if (const Processor* processor = Processor::current())
                get().note_access(*processor, access);
        });
    }
    kernel_ = std::make_unique<ExecutorKernel>(*this);
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

void Platform::fail(const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& d : diagnostics) std::cerr << to_text(d);
}

int Platform::finish(int status) {
    {
        const std::lock_guard lock(mutex_);
        // A thread may be in the middle of it: nothing of it is whole.
        if (running_ || std::exchange(owner_, 0) != getpid()) return status;
    }
    ExitCode code = kOk;
    try {
        const SessionOptions& options = session_->options();
        recorder_->read(model().clock.value());
        session_->record(recorder_->limits(*sources_, model().clock.value()));
        Result result = session_->finish();
        std::vector<Diagnostic> across_tasks = recorder_->findings(*sources_);
        if (processor_cache_)
            std::ranges::copy(processor_cache_->findings(), std::back_inserter(across_tasks));
        result.checked = result.checked || !across_tasks.empty();
        add_findings(result.findings, std::move(across_tasks));
        session_->write_files(result);
        write_json(result, options);
        std::cerr << warnings_text(result) << files_text(result, options);
        recorder_->write(model().clock.value(), parse_formats(options.trace_formats));
        for (const std::string& note : recorder_->not_looked_at()) {
            fail({problem("I01", note, "nothing is looked for between the tasks of this run")});
            code = kInputUnusable;
        }
        if (result.checked && !result.findings.empty()) {
            fail(result.findings);
            code = kKernelWrong;
        }
    } catch (const DiagnosticError& failure) {
        fail(failure.diagnostics());
        code = kInputUnusable;
    }
    return status == 0 ? code : status;
}

// ---- memory -------------------------------------------------------------------------------

// While a run is under way its thread reads the table of device memory: what a host allocates then
// (buffers of collectors) is the host's.
void* Platform::allocate(uint64_t size) {
    const std::lock_guard lock(memory_);
    GlobalMemory& memory = session().memory();
    {
        const std::lock_guard run(mutex_);
        if (running_) {
            void* bytes = nullptr;
            if (posix_memalign(&bytes, 512, std::max<uint64_t>(size, 1)) != 0) return nullptr;
            std::memset(bytes, 0, size);
            on_host_[bytes] = true;
            return bytes;
        }
    }
    try {
        const uint64_t address = memory.allocate(std::max<uint64_t>(size, 1), "device memory");
        if (session_->checkers() != nullptr) {
            const bool poisoned = session_->settings().checks.has("init") && size <= kMostPoisoned;
            if (poisoned) std::memset(GlobalMemory::host(address), static_cast<int>(kPoison), size);
            session_->checkers()->host_allocates(address, size, "device memory",
                                                 poisoned ? kPoison : std::byte{});
            if (!poisoned) session_->checkers()->host_writes(GlobalMemory::host(address), size);
        }
        return GlobalMemory::host(address);
    } catch (const DiagnosticError& failure) {
        fail(failure.diagnostics());
        return nullptr;
    }
}

void Platform::release(void* memory) {
    const std::lock_guard lock(memory_);
    const std::lock_guard run(mutex_);
    if (on_host_.erase(memory) != 0)
        std::free(memory);
    else if (!running_) {  // else it stays allocated: addresses are not used again anyhow
        const auto address = reinterpret_cast<uint64_t>(memory);
        if (processor_cache_) processor_cache_->release(address);
        session().memory().release(address);
    }
}

void* Platform::map(uint64_t size, int file) {
    const std::lock_guard lock(memory_);
    GlobalMemory& memory = session().memory();
    const std::lock_guard run(mutex_);
    if (running_) return nullptr;  // its thread reads the table of device memory
    try {
        void* const window = windows_.map(memory, size, file);
        if (window != nullptr && session_->checkers() != nullptr) {
            session_->checkers()->host_allocates(reinterpret_cast<uint64_t>(window), size, "window",
                                                 std::byte{});
            session_->checkers()->host_writes(window, size);
        }
        return window;
    } catch (const DiagnosticError& failure) {
        fail(failure.diagnostics());
        return nullptr;
    }
}

void Platform::unmap(void* window) {
    const std::lock_guard lock(memory_);
    const std::lock_guard run(mutex_);
    if (running_) return;
    if (processor_cache_) processor_cache_->release(reinterpret_cast<uint64_t>(window));
    windows_.unmap(session().memory(), window);
}

// ---- runs ---------------------------------------------------------------------------------

const char* Platform::record_run(const std::string& folder_of_user) {
    HostClock::begin();
    const std::lock_guard lock(memory_);
    session();
    try {
        return recorder_->folder_of_next_run(folder_of_user);
    } catch (const DiagnosticError& failure) {
        fail(failure.diagnostics());
        broken_ = true;
        return nullptr;
    }
}

void Platform::take_part(Participant& participant, ptosim_mpmd_size size) {
    std::unique_lock lock(mutex_);
    if (process_ != getpid()) {  // in a child of fork() the thread that serves is not there
        process_ = getpid();
        serving_ = false;
    }
    arrived_.push_back(&participant);
    if (arrived_.size() == size_t{size.processors} + size.cores) {
        runs_.push_back(std::exchange(arrived_, {}));
        if (!std::exchange(serving_, true)) std::thread([this] { serve(); }).detach();
        changed_.notify_all();
    }
    changed_.wait(lock, [&] { return participant.done; });
}

void Platform::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !runs_.empty(); });
        std::vector<Participant*> participants = std::move(runs_.front());
        runs_.pop_front();
        running_ = true;
        lock.unlock();
        run(participants);
        lock.lock();
        running_ = false;
        for (Participant* participant : participants) participant->done = true;
        changed_.notify_all();
    }
}

void Platform::run(std::vector<Participant*> participants) {
    if (broken_) {
        fail({problem("H21", "a run on a chip that has failed before",
                      "the first error of this process says what was wrong")});
        return;
    }
    try {
        if (fits(participants) && launch(participants)) return;
    } catch (const DiagnosticError& failure) {
        fail(failure.diagnostics());
    }
    broken_ = true;
    for (Participant* participant : participants) participant->result = -1;
}

// Whether the run has the cores of whole clusters that the chip has.
bool Platform::fits(const std::vector<Participant*>& participants) {
    const auto aivs = static_cast<size_t>(model().cluster.aivs.value());
    std::set<std::pair<CoreType, unsigned>> cores;
    for (const Participant* p : participants)
        if (p->is_core) cores.insert({p->core.type, p->core.index});
    const size_t clusters = cores.size() / (1 + aivs);
    bool whole = clusters * (1 + aivs) == cores.size() && clusters <= model().clusters.value();
    for (const auto& [type, index] : cores)
        whole = whole && index < (type == CoreType::kAIC ? clusters : clusters * aivs);
    if (whole && clusters > 0) return true;
    fail({problem("H30",
                  "a run on " + std::to_string(cores.size()) + " cores, which are not those of " +
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
            fail({problem(
                "H31",
                std::string("the code of a processor has thrown an exception: ") + thrown.what(),
                "orchestration functions and schedulers must not")});
        }
        processor.spend();
        const Processor::Counts& after = processor.counts();
        recorder_->add({processor.index(), begin, session_->chip().now(),
                        after.blocks - before.blocks, after.loads - before.loads,
                        after.stores - before.stores, after.spins - before.spins});
        if (--processors_at_work_ > 0) return;
        look_->cancel();
        run_nanoseconds_ += mpmd::nanoseconds(session_->chip().now() - recorder_->run_begin(),
                                              model().clock.value());
    });
}

// Ends the launch if tasks are under way and nothing happens in them any more: what then waits for
// what is reported as the deadlock that it is.
void Platform::watch() {
    const uint64_t events = recorder_->completed() + counter_reads_;
    const bool progress = events != events_seen_ || tasks_under_way_ == 0;
    looks_without_progress_ = progress ? 0 : looks_without_progress_ + 1;
    events_seen_ = events;
    if (looks_without_progress_ == kLooksWithoutProgress)
        return session_->chip().event_queue().stop();
    look_->notify(model().clock.value() / kLooks);
}

bool Platform::launch(std::vector<Participant*>& participants) {
    unsigned processors = 0;
    tasks_under_way_ = looks_without_progress_ = 0;
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
    look_->notify(model().clock.value() / kLooks);
    Session::LaunchChoice choice;
    choice.blocks = cores / (1 + static_cast<uint32_t>(model().cluster.aivs.value()));
    choice.print = [](CoreId core, std::string_view line) {
        std::cout << ptosim::name(core) << ": " << line << "\n";
    };
    const auto aics = static_cast<unsigned>(choice.blocks);
    recorder_->begin_run(aics, cores - aics);
    if (processor_cache_) processor_cache_->begin_run();
    LaunchResult result = session_->launch(*kernel_, {}, choice);
    if (processor_cache_) processor_cache_->end_run();
    recorder_->end_run(session_->chip().now());
    if (!result.diagnostics.empty())
        for (const std::string& task : recorder_->under_way(model().clock.value()))
            result.diagnostics.front().notes.push_back(task);
    fail(result.diagnostics);
    bool worked = result.finished;
    for (const auto& processor : processors_) worked = worked && !processor->working();
    return worked;
}

// ---- kernels ------------------------------------------------------------------------------

void Platform::add_kernel(const char* name, const void* begin, const void* end) {
    const std::lock_guard lock(memory_);
    session();
    LoadedKernel loaded;
    loaded.name = name;
    try {
        const auto* first = static_cast<const std::byte*>(begin);
        loaded.modules = std::make_unique<NativeModules>(
            read_images({first, static_cast<const std::byte*>(end)}, loaded.name), loaded.name);
        loaded.kernel = loaded.modules->only(loaded.name, sources_);
        if (!loaded.kernel)
            throw DiagnosticError(problem("H01", loaded.name + ": not one kernel but several", ""));
    } catch (const DiagnosticError& failure) {
        fail(failure.diagnostics());
        broken_ = true;
        return;
    }
    kernels_[begin] = std::move(loaded);
}

// Its locations may still be asked for: of a recording, of findings. They stay in the sources.
void Platform::remove_kernel(const void* begin) {
    const std::lock_guard lock(memory_);
    kernels_.erase(begin);
}

void Platform::run_task(Executor& executor, const void* begin, int64_t* arguments) {
    const auto found = kernels_.find(begin);
    const CoreId core{executor.port().identity().core,
                      static_cast<uint16_t>(executor.port().core_index())};
    if (found == kernels_.end() || !found->second.kernel->runs_on(core.type))
        throw DiagnosticError(problem(
            "H31",
            (found == kernels_.end() ? std::string("a task") : "kernel " + found->second.name) +
                " has no code for " + ptosim::name(core),
            "compile the kernel for the type of core that its tasks run on"));
    Task task;
    task.core = core;
    task.kernel = found->second.name;
    task.begin = executor.cycle();
    const uint64_t words[] = {reinterpret_cast<uint64_t>(arguments)};
    recorder_->begin_task(core, task.kernel, task.begin);
    check::Checkers* const checkers = session_->checkers();
    if (checkers != nullptr) checkers->task_begins(core);
    ++tasks_under_way_;
    TaskPort port(executor.port(), windows_, session_->chip(), counter_reads_);
    executor.call([&] { found->second.kernel->run(port, words); });
    --tasks_under_way_;
    task.end = executor.cycle();
    if (checkers != nullptr) checkers->task_ends(core);
    recorder_->end_task(std::move(task));
}

// ---- for the host -------------------------------------------------------------------------

// Of several chips each has a folder of its own: .../chip3.
int Platform::host_process() const {
    const char* const folder = std::getenv("PTOSIM_TRACE");
    if (folder == nullptr || *folder == '\0') return getpid();
    const std::string name = std::filesystem::path(folder).filename().string();
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    const bool of_several = name.starts_with("chip") && digits == 4 && name.size() < 4 + 6;
    return 1 + (of_several && name.size() > 4 ? std::stoi(name.substr(4)) : 0);
}

int Platform::host_thread() const {
    const char* const folder = std::getenv("PTOSIM_TRACE");
    if (folder == nullptr || *folder == '\0') return static_cast<int>(syscall(SYS_gettid));
    static std::atomic<int> threads = 0;
    thread_local int number = 0;
    if (number == 0) number = ++threads;
    return number;
}

// ---- for processors -----------------------------------------------------------------------

// The executor whose register block holds the address: the nearest below.
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
    if (session_->memory().reserves(begin))
        recorder_->add(ProcessorStore{processor->time() / 1000, begin, begin + size});
}

void Platform::note_access(const Processor& processor, const PlainAccess& access) {
    const auto begin = reinterpret_cast<uint64_t>(access.address);
    if (access.size == 0 || !session_->memory().reserves(begin)) return;
    if (access.writes)
        processor_cache_->store(begin, access.size);
    else
        processor_cache_->load(processor.index(), begin, access.size, access.code);
}

void Platform::invalidate(const void* address, uint64_t size) {
    if (processor_cache_) processor_cache_->invalidate(reinterpret_cast<uint64_t>(address), size);
}

uint64_t Platform::nanoseconds() const {
    if (!session_) return 0;
    Cycle time = session_->chip().now();
    if (Processor::current() != nullptr) time = Processor::current()->time() / 1000;
    if (Executor::current() != nullptr) time = Executor::current()->cycle();
    return mpmd::nanoseconds(time, session_->model().clock.value());
}

}  // namespace ptosim::mpmd
