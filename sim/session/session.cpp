#include "sim/session/session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>

#include "isa/core/arch.h"
#include "sim/check/findings_output.h"
#include "sim/files/files.h"
#include "sim/machine/timing/chip_facts.h"
#include "sim/session/mend_text.h"
#include "sim/session/sampled_kernel.h"

namespace ptosim {
namespace {

std::atomic<bool> process_has_one = false;

bool of_both_cores(const Kernel& kernel) {
    return kernel.runs_on(CoreType::kAIC) && kernel.runs_on(CoreType::kAIV);
}

// Duration of the tasks for a profiler, which includes their launches.
Cycle task_cycles(const ChipModel& chip, Cycle cycles, size_t launches, bool warm) {
    if (launches == 0) return cycles;
    return cycles + (launches * chip.launch.overhead + (warm ? 0 : chip.launch.cold) + 999) / 1000;
}

std::array<uint64_t, kSpaceCount> sizes_of_buffers(const ChipModel& chip) {
    std::array<uint64_t, kSpaceCount> sizes{};
    for (size_t space = 0; space < kSpaceCount; ++space) sizes[space] = chip.buffer_bytes[space].value();
    return sizes;
}

// Basis of a task: the time's, to which the launches add their cycles. The work of all pipes is more than the time.
TimeBasis with_launches(const Result& result, const TimeGrades& grades) {
    TimeBasis basis = result.basis;
    if (basis.all() == 0 || result.task_cycles <= result.cycles || result.cycles == 0) return basis;
    basis.add(grades.launch, (result.task_cycles - result.cycles) * (basis.all() / 1000) / result.cycles);
    basis.range = 0;
    basis.set_range(grades);
    return basis;
}

}  // namespace

// Adds the host time of its lifetime to a result.
class Session::Stopwatch {
 public:
    explicit Stopwatch(Result& result) : result_{result} {}
    ~Stopwatch() {
        result_.processor_seconds +=
            static_cast<double>(std::clock() - processor_) / CLOCKS_PER_SEC;
        result_.seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

 private:
    Result& result_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::clock_t processor_ = std::clock();
};

namespace {

void require_first_chip() {
    if (process_has_one.exchange(true))
        fail_input("I60", "this process already has a simulated chip",
                   "a process simulates one chip once: start another process");
}

}  // namespace

std::unique_ptr<Chip> make_chip(const SessionOptions& options, std::optional<ChipModel> model) {
    if (!model) model = load_chip(options.chip, options.overrides);
    require_first_chip();
    return std::make_unique<Chip>("chip", std::move(*model));
}

std::vector<std::unique_ptr<Chip>> make_chips(const SessionOptions& options, unsigned count,
                                              EventQueue& event_queue) {
    const ChipModel model = load_chip(options.chip, options.overrides);
    require_first_chip();
    std::vector<std::unique_ptr<Chip>> chips;
    for (unsigned number = 0; number < count; ++number)
        chips.push_back(std::make_unique<Chip>(("chip" + std::to_string(number)).c_str(), model,
                                               one_domain, ChipPlace{&event_queue, number}));
    return chips;
}

Session::Session(SessionOptions options, OptionSource source) : Session(options, source, nullptr) {}

Session::Session(SessionOptions options, OptionSource source, std::unique_ptr<Chip> chip)
    : options_{std::move(options)},
      source_{source},
      settings_{run_settings(options_, source)},
      suppressions_{options_.suppress},
      chip_{chip ? std::move(chip) : make_chip(options_)} {
    if (options_.numerics == kNumericsOfChip)
        settings_.numerics = traits_of(model().arch).vector_operands == VectorOperands::kRegisters
                                 ? Numerics::kA5
                                 : Numerics::kA2A3;
    result_.chip = model().name;
    result_.clock_hz = model().clock;
    result_.program = program();
    result_.timed = settings_.mode != RunMode::kFunctional;
    if (settings_.memory == MemoryEnds::kPages) memory().use_pages(model().memory.page);
}

Session::~Session() = default;

// ---- launches -----------------------------------------------------------------------------

SyncMode Session::sync_of(const Kernel& kernel) const {
    if (settings_.sync) return *settings_.sync;
    return kernel.has_explicit_sync() ? SyncMode::kExplicit : SyncMode::kAuto;
}

LaunchOptions Session::launch_options(const Kernel& kernel, const LaunchChoice& choice) const {
    check_blocks(choice.blocks, source_);
    LaunchOptions launch;
    launch.blocks = choice.blocks == 0 && !choice.asks_for_block ? 1 : choice.blocks;
    launch.print = choice.print;
    launch.explain = choice.explain;
    launch.sync = sync_of(kernel);
    launch.mode = settings_.mode;
    launch.numerics = settings_.numerics;
    launch.choices = settings_.checks.has("choices");
    launch.limits = {options_.max_instructions, options_.max_cycles, choice.interrupted};
    launch.threads = settings_.threads;
    return launch;
}

LaunchResult Session::rehearse(const Kernel& kernel, KernelArguments arguments,
                               LaunchChoice choice) {
    prepare_files();
    warm_ = true;
    choice.print = {};
    LaunchOptions launch = launch_options(kernel, choice);
    launch.mode = RunMode::kTiming;
    return chip_->launch(kernel, arguments, launch);
}

LaunchResult Session::launch(const Kernel& kernel, KernelArguments arguments,
                             const LaunchChoice& choice) {
    const LaunchOptions launch = launch_options(kernel, choice);
    trials_.reset();
    LaunchRepeats repeats(
        {options_, settings_, *chip_, checkers_, issues_, causes_, scope_, result_},
        {kernel, arguments, launch, choice.blocks != 0 || !choice.asks_for_block, choice.remake});
    observe(&kernel);
    note_defaults(kernel, choice);
    LaunchResult done;
    const double before = result_.seconds;
    {
        const Stopwatch stopwatch(result_);
        done = options_.sample ? launch_sampled(kernel, arguments, launch) : chip_->launch(kernel, arguments, launch);
    }
    trials_ = repeats.end(done, result_.seconds - before);
    const LaunchPart part{&kernel, arguments};
    take_result(std::span(&part, 1), done);
    return done;
}

LaunchResult Session::launch_sampled(const Kernel& kernel, KernelArguments arguments, const LaunchOptions& launch) {
    Sampler sampler(*chip_);
    const SampledKernel sampled(kernel, sampler);
    LaunchResult done = chip_->launch(sampled, arguments, launch);
    const Sampler::Result skipped = sampler.result();
    if (!skipped_) skipped_.emplace();
    Skipped& sum = *skipped_;
    sum.cycles += skipped.skipped;
    sum.deviation += skipped.deviation;
    sum.stretches += skipped.times;
    sum.instructions += skipped.instructions;
    done.cycles += skipped.skipped;
    done.instructions += skipped.instructions;
    done.parts.front().end += skipped.skipped;
    done.parts.front().instructions += skipped.instructions;
    return done;
}

LaunchOptions Session::prepare(std::span<const LaunchPart> parts, const LaunchChoice& choice) {
    for (const LaunchPart& part : parts) check_blocks(part.blocks, source_);
    const Kernel& first = *parts.front().kernel;
    LaunchOptions launch = launch_options(first, choice);
    observe(&first);
    note_defaults(first, choice);
    if (options_.sample) result_.add_note("kernels that run concurrently are simulated whole, without sampling");
    if (LaunchRepeats::runs_others(settings_, *chip_, first) || options_.scope)
        result_.add_note(
            "kernels that run concurrently are checked with one timing and one path, and their "
            "lines are not "
            "counted");
    return launch;
}

LaunchResult Session::launch(std::span<const LaunchPart> parts, const LaunchChoice& choice) {
    const LaunchOptions launch = prepare(parts, choice);
    LaunchResult done;
    {
        const Stopwatch stopwatch(result_);
        done = chip_->launch(parts, launch);
    }
    take_result(parts, done);
    return done;
}

void Session::begin(std::span<const LaunchPart> parts, const LaunchChoice& choice) {
    const LaunchOptions launch = prepare(parts, choice);
    stopwatch_ = std::make_unique<Stopwatch>(result_);
    chip_->begin(parts, launch);
}

LaunchResult Session::end(std::span<const LaunchPart> parts) {
    LaunchResult done = chip_->end();
    stopwatch_.reset();
    take_result(parts, done);
    return done;
}

void Session::take_result(std::span<const LaunchPart> parts, LaunchResult& done) {
    for (size_t i = 0; i < parts.size(); ++i) {
        const PartResult& part = done.parts[i];
        const bool alone = parts.size() == 1;
        result_.launches.push_back({std::string(parts[i].kernel->name()), part.blocks,
                                    alone ? done.cycles : part.end - part.begin, part.instructions,
                                    alone ? done.finished : part.finished, part.begin});
        std::string source(parts[i].kernel->unrecorded_source());
        if (settings_.checks.follows_pointers() && !source.empty() &&
            std::ranges::find(result_.unrecorded, source) == result_.unrecorded.end())
            result_.unrecorded.push_back(std::move(source));
    }
    machine_.insert(machine_.end(), done.diagnostics.begin(), done.diagnostics.end());
    std::erase_if(done.warnings, [this](const Diagnostic& d) { return known_warning(d); });
    if (done.flags_held > 0)
        result_.add_note("a launch started with flags that earlier launches had left set (" +
                         option_text(source_, "check") + " sync names them)");
}

// True if an earlier launch has reported it; otherwise records it as reported.
bool Session::known_warning(const Diagnostic& warning) {
    for (Diagnostic& earlier : warnings_)
        if (earlier.code == warning.code && earlier.file == warning.file &&
            earlier.location == warning.location && earlier.operand == warning.operand) {
            earlier.count += warning.count;
            return true;
        }
    warnings_.push_back(warning);
    return false;
}

// Notes defaults that the user did not choose and may not expect.
void Session::note_defaults(const Kernel& kernel, const LaunchChoice& choice) {
    const auto note = [this](std::string text) { result_.add_note(std::move(text)); };
    const bool scoreboard = sync_of(kernel) == SyncMode::kAuto;
    if (scoreboard && !settings_.checks.has("race") && of_both_cores(kernel))
        note(
            "races between the cores of a cluster were not checked, because a scoreboard orders "
            "the pipes of one core "
            "(" +
            option_text(source_, "check") + " race)");
    if (scoreboard && !settings_.sync)
        note("the kernel has no flags between its pipes: a scoreboard ordered them (" +
             option_text(source_, "sync") + " auto), its time is a lower bound" +
             (!settings_.checks.has("race") ? ""
              : choice.can_insert ? ", and races inside a core were not checked (--sync insert "
                                    "inserts the flags that an assembler "
                                    "would)"
                                  : ", and races inside a core were not checked"));
    if (scoreboard && settings_.sync && settings_.checks.has("race"))
        note("races inside a core were not checked: with " + option_text(source_, "sync") +
             " auto a scoreboard orders its pipes");
    if (choice.blocks == 0 && !choice.asks_for_block)
        note("1 block: the kernel does not ask for its block index");
}

// ---- observers ----------------------------------------------------------------------------

void Session::prepare_files() {
    if (std::exchange(prepared_, true)) return;
    if (!options_.json.empty() && options_.json != "-") check_writable(options_.json);
    if (!options_.report.empty()) check_writable(options_.report);
    if (!options_.scope_file.empty()) check_scope_file(options_.scope_file);
    if (options_.trace.empty()) return;
    makes_files_ = !parse_formats(options_.trace_formats).empty();
    trace_folder_.emplace(options_.trace);
    writer_.emplace(
        std::filesystem::path(options_.trace) / kRecordingName,
        program() ? RecordingWriter::Failure::kAtClose : RecordingWriter::Failure::kAtOnce);
}

void Session::start_recording() {
    // Without files made from it, and without advice, the recording is not read. Keeping a longer
    // run for advice would cost speed, so it is kept only with --trace.
    kept_.emplace(writer_ ? &*writer_ : nullptr,
                  makes_files_ || options_.advice ? RecordingCache::kMaxRecords : 0);
    const uint64_t most = writer_ ? UINT64_MAX : kMostInstructionsForAdvice;
    kept_->facts(chip_facts(model()));
    // A separate thread pays off if records go to disk. A program may fork or end at any time, so
    // no thread of the simulator runs between its launches.
    if (program() || !writer_)
        recorder_.emplace(*kept_, most);
    else
        recorder_.emplace(sink_thread_.emplace(*kept_), most);
    if (grades_) recorder_->basis_from([this](const Instruction& i) { return grades_->of(i); });
    chip_->attach(&*recorder_);
    if (options_.keep_data == 0) return;
    keeper_.emplace(sink(), options_.keep_data << 20);
    chip_->attach(&*keeper_);
}

void Session::observe(const Kernel* first) {
    if (std::exchange(observing_, true)) return;
    prepare_files();
    // The scoreboard orders the pipes of a core, not the cores of a cluster. Data passed between
    // cores without a signal would be wrong without a finding.
    if (first != nullptr && sync_of(*first) == SyncMode::kAuto && of_both_cores(*first))
        settings_.checks.choose("race");
    if (!makes_files_) chip_->attach(&summary_);
    const bool wants_json = !options_.json.empty() || source_ == OptionSource::kProgram;
    if (settings_.mode != RunMode::kFunctional && (writer_ || options_.advice || wants_json))
        chip_->attach(&grades_.emplace(*chip_));
    if (writer_ || options_.advice) start_recording();
    if (wants_json) chip_->attach(&meter_);
    for (Observer* observer : others_) chip_->attach(observer);
    // The interpreter counts its own steps.
    const bool counts = options_.scope || settings_.paths.runs > 0;
    if (counts && first != nullptr && first->form() == KernelForm::kCode) chip_->attach(&scope_);
    if (seeks_causes() && (first == nullptr || sync_of(*first) == SyncMode::kExplicit))
        chip_->attach(&issues_);
    if (!settings_.checks.any()) return;
    chip_->attach(&checkers_.emplace(settings_.checks, memory(), [this](const Diagnostic& d) {
        // If others may change the findings, the final ones are known only at the end.
        if (!extend_findings_ && !suppressions_.match(d)) chip_->announce(d);
    }));
    if (peers_ != nullptr) checkers_->join(peers_);
}

// ---- the end ------------------------------------------------------------------------------

void Session::note_interrupt(const Diagnostic& why) {
    if (recorder_) recorder_->on_diagnostic(why);
    if (!makes_files_) summary_.on_diagnostic(why);
}

RecordSink& Session::sink() {
    return sink_thread_ ? static_cast<RecordSink&>(*sink_thread_) : *kept_;
}

void Session::close_recording(const std::vector<OutputSummary>& outputs,
                              const std::vector<GoldenResult>& goldens) {
    for (const OutputSummary& output : outputs)
        sink().output({static_cast<uint32_t>(output.parameter), output.file, output.sha256});
    for (const GoldenResult& golden : goldens) {
        const Comparison& c = golden.comparison;
        if (c.equal) continue;
        MismatchRecord record;
        record.parameter = static_cast<uint32_t>(golden.spec.parameter);
        record.file = golden.spec.file;
        record.elements = c.elements;
        record.differ = c.mismatches;
        record.index = index_text(c.first);
        record.found = c.first_found;
        record.expected = c.first_expected;
        if (keeper_) keeper_->find_writer(golden.address, record);
        sink().mismatch(record);
    }
    for (const std::string& path : result_.assumed) sink().assumption(path);
    if (keeper_) note_kept_data();
    recorder_->finish();
    if (sink_thread_) sink_thread_->finish();
    if (writer_) writer_->close();
}

void Session::note_kept_data() {
    const std::string option = option_text(source_, "keep_data");
    if (keeper_->without_values() > 0)
        result_.add_note("values of " + std::to_string(keeper_->without_values()) +
                         " tiles had no room in the " + std::to_string(options_.keep_data) +
                         " MiB of " + option);
    if (keeper_->full()) result_.add_note(option + " was full before the run ended");
}

Session::Found Session::found() const {
    Found found{machine_, {}};
    std::ranges::copy_if(warnings_, std::back_inserter(found.all),
                         [this](const Diagnostic& d) { return settings_.checks.finds(d.code); });
    if (!checkers_) return found;
    found.of_checkers = new_among(checkers_->findings(), machine_);
    check::explain_by_overlaps(found.of_checkers);
    if (extend_findings_) extend_findings_(found.of_checkers);
    found.all.insert(found.all.end(), found.of_checkers.begin(), found.of_checkers.end());
    return found;
}

void Session::collect_findings() {
    if (checkers_) checkers_->host_ends();
    Found found = this->found();
    std::ranges::copy_if(warnings_, std::back_inserter(result_.warnings),
                         [this](const Diagnostic& d) { return !settings_.checks.finds(d.code); });
    if (checkers_) {
        result_.of_checkers = std::move(found.of_checkers);
        std::erase_if(result_.of_checkers,
                      [this](const Diagnostic& d) { return suppressions_.match(d); });
        check::sort_by_importance(result_.of_checkers);
        if (extend_findings_)
            for (const Diagnostic& d : result_.of_checkers) chip_->announce(d);
        result_.wasted = checkers_->wasted();
        result_.memory_exceeded = checkers_->out_of_memory();
    }
    if (checkers_ || program()) check::sort_by_importance(found.all);
    result_.suppressed = suppressions_.apply(found.all);
    result_.explanations = check::fold(found.all, causes_, sentence_of);
    suppressions_.apply(result_.warnings);
    result_.unused_suppressions = suppressions_.unused();
    result_.findings = std::move(found.all);
    result_.checked = !options_.check.empty() && options_.check != "none";
}

std::vector<Diagnostic> Session::findings_so_far() const {
    std::vector<Diagnostic> findings = found().all;
    check::sort_by_importance(findings);
    check::Suppressions suppressions = suppressions_;  // finish() reports the unused ones
    suppressions.apply(findings);
    return findings;
}

WorkSummary Session::work() const {
    const Work work = meter_.work();
    const Bounds least = bounds(model(), work);
    Cycle busiest = 0;
    for (const CoreAccount& core : result_.accounting.cores)
        for (size_t pipe = 0; pipe < kPipeCount; ++pipe)
            if (static_cast<Pipe>(pipe) != Pipe::kS)
                busiest = std::max(busiest, core.pipes[pipe].busy);
    const MemoryCounts counts = chip_->memory().counts();
    const MemoryDomain& memory = model().memory;
    const auto at_rate = [&](uint64_t bytes, const ChipParameter& rate) {
        return bytes * 1000 / std::max<Milli>(1, model().per_cycle(rate.value()));
    };
    return {2 * work.all_products(),
            work.read_bytes,
            work.written_bytes,
            least.compute,
            least.bandwidth,
            busiest,
            work,
            counts,
            at_rate(counts.l2_read_use, memory.l2.read),
            at_rate(counts.l2_write_use, memory.l2.write),
            at_rate(counts.hbm_use, memory.hbm.rate),
            sizes_of_buffers(model()),
            chip_->link_counts()};
}

Result Session::finish(std::vector<OutputSummary> outputs, std::vector<GoldenResult> goldens) {
    if (settings_.mode != RunMode::kFunctional) result_.assumed = chip_->assumed();
    collect_findings();
    if (options_.scope) result_.scope = scope_.scope();
    if (result_.scope.runs > 0 && !options_.scope_file.empty())
        result_.scope = add_to_file(options_.scope_file, result_.scope);
    if (recorder_) {
        try {
            close_recording(outputs, goldens);
            if (makes_files_)
                recording_ = kept_->take(options_.trace);
            else if (options_.advice && recorder_->complete())
                recording_ = kept_->take();
        } catch (const DiagnosticError&) {
            if (!program()) throw;
            recording_error_ = std::current_exception();
        }
    }
    account_and_advise();
    result_.cycles = result_.launches.size() == 1 ? result_.launches.front().cycles
                                                  : result_.accounting.duration() +
                                                        (skipped_ ? skipped_->cycles : Cycle{0});
    result_.accounting.skipped = skipped_;
    result_.task_cycles = task_cycles(model(), result_.cycles, result_.launches.size(), warm_);
    result_.accounting.task = result_.task_cycles;
    result_.task_basis = with_launches(result_, chip_facts(model()).grades);
    for (TimeBasis* basis : {&result_.basis, &result_.task_basis})
        if (skipped_ && basis->range != 0)  // in tenths of a per cent
            basis->range += skipped_->deviation * 1000 / std::max<Cycle>(1, result_.cycles);
    result_.accounting.task_range = range_text(result_.task_basis);
    result_.work = work();
    result_.outputs = std::move(outputs);
    result_.goldens = std::move(goldens);
    return result_;
}

void Session::account_and_advise() {
    if (!makes_files_) result_.accounting = summary_.accounting();
    TryChange attempt;
    if (trials_ && result_.findings.empty())
        attempt = [this](const Trial& trial) {
            constexpr uint64_t kTimesMore = 4;
            constexpr unsigned kSeconds = 5;
            const auto cycles =
                trials_->time_with(trial, kTimesMore * kMostInstructionsForAdvice, kSeconds);
            trial_results_.add(trial, cycles);
            return cycles;
        };
    if (!recording_) {
        if (grades_) result_.basis = grades_->basis();
        return;
    }
    if (makes_files_) {
        analysis_ = analyse(*recording_, 8, attempt);
        result_.accounting = analysis_->accounting;
        result_.advice = analysis_->advice;
        result_.basis = analysis_->basis;
    } else {
        Advised advised = advise(*recording_, result_.accounting, attempt);
        result_.advice = std::move(advised.advice);
        result_.basis = advised.basis;
    }
    trials_.reset();
}

void Session::write_files(Result& result) {
    if (recording_error_) std::rethrow_exception(recording_error_);
    if (!recording_ || !makes_files_) return;
    trial_results_.write(options_.trace);
    result.files = write_traces(*recording_, options_.trace, options_.trace_formats, kMostSlices,
                                &*analysis_, &result.file_notes);
}

void Session::require_memory(const Result& result) const {
    if (!result.memory_exceeded) return;
    fail_input("I31",
               "the checkers needed more than " + std::to_string(options_.check_memory) +
                   " MiB of shadow memory: races may have been missed",
               "raise it with " + option_text(source_, "check_memory") +
                   (source_ == OptionSource::kEnvironment ? "=" : " ") +
                   std::to_string(2 * options_.check_memory));
}

}  // namespace ptosim
