// A chip, its observers, and the result: the one place where the command line, host programs and
// the embedding API run kernels.
//
//   Session session(options, OptionSource::kCommandLine);
//   auto kernel = session.load(choice);
//   session.launch(*kernel, values, {.blocks = 16});    // any number of launches, on the same
//   device Result result = session.finish(); session.write_files(result);                        //
//   files made from the recording write_json(result, options);
//
// SystemC permits one elaboration, so a process has one Session, or several whose chips were made
// together.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/check/checkers.h"
#include "sim/check/issue_log.h"
#include "sim/check/suppressions.h"
#include "sim/machine/chip/chip.h"
#include "sim/session/changed_kernel.h"
#include "sim/session/grade_meter.h"
#include "sim/session/launch_repeats.h"
#include "sim/session/options.h"
#include "sim/session/output_paths.h"
#include "sim/session/result.h"
#include "traces/analyse/work_meter.h"
#include "traces/record/data_keeper.h"
#include "traces/record/recording_cache.h"
#include "traces/record/sink_thread.h"

namespace ptosim {

class Session {
 public:
    // Throws DiagnosticError for invalid options, an unusable chip, and a second session (I60).
    Session(SessionOptions options, OptionSource source);
    // Uses a chip that make_chip() has made from the same options.
    Session(SessionOptions options, OptionSource source, std::unique_ptr<Chip> chip);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const SessionOptions& options() const { return options_; }
    const RunSettings& settings() const { return settings_; }
    const ChipModel& model() const { return chip_->model(); }
    Chip& chip() { return *chip_; }
    GlobalMemory& memory() { return chip_->global(); }
    // The chip shares its clock and windows with others; null: no longer.
    void join(Peers* peers) {
        peers_ = peers;
        if (checkers_) checkers_->join(peers);
    }
    // Null unless checkers were chosen, and before observe().
    check::Checkers* checkers() { return checkers_ ? &*checkers_ : nullptr; }

    // The order of this kernel's pipes: by flags or by the scoreboard.
    SyncMode sync_of(const Kernel& kernel) const;
    // True if findings of launches are explained by runs with mends, in processes forked from this
    // one.
    bool seeks_causes() const { return LaunchRepeats::seeks_causes(options_, settings_); }

    // Opens the files that the options name; the first launch does so otherwise. Throws
    // DiagnosticError if one cannot be written.
    void prepare_files();
    // Adds an observer. Must be called before observe().
    void attach(Observer* observer) { others_.push_back(observer); }
    // Records the limits of the program of many kernels that has run. Must be called before
    // finish().
    void record(const ProgramRecord& program) {
        if (recorder_) sink().program(program);
    }
    // Starts recording, measuring and checking. The first launch does so otherwise, with its
    // kernel; programs whose memory must be observed from its allocation call it earlier.
    void observe(const Kernel* first = nullptr);

    struct LaunchChoice {
        uint32_t blocks = 0;  // 0: as many as run at once; 1 for a kernel without asks_for_block
        bool asks_for_block = true;  // LoadedKernel::asks_for_block
        bool can_insert = false;     // LoadedKernel::can_insert
        // Receives the kernel's output, line by line.
        std::function<void(CoreId, std::string_view)> print{};
        std::function<void(Diagnostic&)> explain{};  // of LaunchOptions
        // Mends are tried on the kernel's text; null for compiled kernels.
        ForkedRuns::Remake remake{};
        // Ends the launch at its next instruction after it becomes nonzero; may be null.
        const std::atomic<int>* interrupted = nullptr;
    };
    // A launch before the first one that counts: its time passes and L2 keeps its contents, but
    // everything else about it is dropped.
    LaunchResult rehearse(const Kernel& kernel, KernelArguments arguments, LaunchChoice choice);
    // Runs a kernel to its end, one argument for each parameter. Its findings become part of the
    // session's result, too.
    LaunchResult launch(const Kernel& kernel, KernelArguments arguments,
                        const LaunchChoice& choice);
    // Runs several kernels that may run at once, of one SourceMap. They are not repeated under
    // other timings or by other paths.
    LaunchResult launch(std::span<const LaunchPart> parts, const LaunchChoice& choice);
    // The same in steps (Chip::begin), for chips that share an event queue.
    void begin(std::span<const LaunchPart> parts, const LaunchChoice& choice);
    LaunchResult end(std::span<const LaunchPart> parts);
    // Adds an error of a host program.
    void add_finding(Diagnostic diagnostic) { machine_.push_back(std::move(diagnostic)); }

    // Adds to the findings of checkers, or removes some, each time that findings are read.
    using ExtendFindings = std::function<void(std::vector<Diagnostic>&)>;
    void extend_findings(ExtendFindings extend) { extend_findings_ = std::move(extend); }

    // The findings that finish() would return for the launches so far.
    std::vector<Diagnostic> findings_so_far() const;

    // Adds the reason of an interrupted launch to the recording.
    void note_interrupt(const Diagnostic& why);
    // The last call of a session except write_files(). `outputs` and `goldens` become part of the
    // result and of the recording. If a recording could not be written to its end, this throws for
    // a command. For a program write_files() throws instead, so that the program's own work
    // continues.
    Result finish(std::vector<OutputSummary> outputs = {}, std::vector<GoldenResult> goldens = {});
    // Makes the files of options().trace_formats, and adds them to the result.
    void write_files(Result& result);
    // Throws DiagnosticError (I31) if the checkers ran out of memory.
    void require_memory(const Result& result) const;

 private:
    bool program() const { return source_ != OptionSource::kCommandLine; }
    void start_recording();
    RecordSink& sink();
    LaunchOptions launch_options(const Kernel& kernel, const LaunchChoice& choice) const;
    LaunchResult launch_sampled(const Kernel& kernel, KernelArguments arguments, const LaunchOptions& launch);
    LaunchOptions prepare(std::span<const LaunchPart> parts, const LaunchChoice& choice);
    void take_result(std::span<const LaunchPart> parts, LaunchResult& done);
    bool known_warning(const Diagnostic& warning);
    void note_defaults(const Kernel& kernel, const LaunchChoice& choice);
    void close_recording(const std::vector<OutputSummary>& outputs,
                         const std::vector<GoldenResult>& goldens);
    void note_kept_data();
    // Findings of the machine, the checkers and the host so far; the checkers' part of them.
    struct Found {
        std::vector<Diagnostic> all, of_checkers;
    };
    Found found() const;
    void collect_findings();
    void account_and_advise();
    WorkSummary work() const;

    const SessionOptions options_;
    const OptionSource source_;
    RunSettings settings_;
    check::Suppressions suppressions_;
    std::unique_ptr<Chip> chip_;
    std::vector<Observer*> others_;

    class Stopwatch;
    std::unique_ptr<Stopwatch> stopwatch_;  // of a launch in steps
    bool prepared_ = false;
    bool observing_ = false;
    bool warm_ = false;
    bool makes_files_ = false;  // files from the recording
    Summary summary_;           // counts if no files are made
    std::optional<TraceFolder> trace_folder_;
    std::optional<RecordingWriter> writer_;
    std::optional<RecordingCache> kept_;
    std::optional<SinkThread> sink_thread_;
    std::optional<Recorder> recorder_;
    std::optional<DataKeeper> keeper_;
    std::optional<Recording> recording_;
    std::optional<Analysis> analysis_;  // of the recording, if files are made
    std::exception_ptr recording_error_;
    WorkMeter meter_;
    std::optional<GradeMeter> grades_;
    std::optional<check::Checkers> checkers_;
    Peers* peers_ = nullptr;
    check::IssueLog issues_;
    std::unique_ptr<ForkedRuns> trials_;  // of the only launch, for advice
    TrialResults trial_results_;
    std::vector<check::Cause> causes_;

    ScopeMeter scope_;
    ExtendFindings extend_findings_;
    std::vector<Diagnostic> machine_;   // by the machine or the host, in their order
    std::vector<Diagnostic> warnings_;  // errors that a device would not notice, one per location
    Result result_;
    std::optional<Skipped> skipped_;  // with --sample
};

// Makes the chip of these options, the only one of this process. Throws DiagnosticError for an
// unusable chip, and for a second one (I60). `model`: the chip's model, if it has already been
// read.
std::unique_ptr<Chip> make_chip(const SessionOptions& options,
                                std::optional<ChipModel> model = std::nullopt);
// Makes several chips of these options with one event queue, for devices of one process.
std::vector<std::unique_ptr<Chip>> make_chips(const SessionOptions& options, unsigned count,
                                              EventQueue& event_queue);

}  // namespace ptosim
