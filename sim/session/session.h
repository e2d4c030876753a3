// A chip, its observers, and the result: the one place where the
// command line, host programs and the embedding API run kernels.
//
//   Session session(options, OptionSource::kCommandLine);
//   auto kernel = session.load(choice);
//   session.launch(*kernel, values, {.blocks = 16});    // and more of them, on the same device
//   Result result = session.finish();
//   session.write_files(result);                        // what is made from the recording
//   write_json(result, options);
//
// SystemC knows one elaboration, so a process has one Session.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/check/checkers.h"
#include "sim/check/suppressions.h"
#include "sim/chip/chip.h"
#include "sim/session/grade_meter.h"
#include "sim/session/options.h"
#include "sim/session/output_paths.h"
#include "sim/session/result.h"
#include "traces/analyse/work_meter.h"
#include "traces/record/data_keeper.h"
#include "traces/record/recording_cache.h"
#include "traces/record/sink_thread.h"

namespace ptosim {

class OtherSchedules;
class ForkedRuns;

class Session {
 public:
    // Throws DiagnosticError for options that mean nothing, a chip that cannot be used, and a
    // second session (I60).
    Session(SessionOptions options, OptionSource source);
    // With a chip that has been made before, as these options describe it, by make_chip().
    Session(SessionOptions options, OptionSource source, std::unique_ptr<Chip> chip);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const SessionOptions& options() const { return options_; }
    const RunSettings& settings() const { return settings_; }
    const ChipModel& model() const { return chip_->model(); }
    Chip& chip() { return *chip_; }
    GlobalMemory& memory() { return chip_->global(); }
    // Null unless checkers were chosen, and before observe().
    check::Checkers* checkers() { return checkers_ ? &*checkers_ : nullptr; }

    // How the pipes of this kernel are ordered.
    SyncMode sync_of(const Kernel& kernel) const;

    // Opens the files that the options name. Throws DiagnosticError where one cannot be written.
    // The first launch does it if nobody has.
    void prepare_files();
    // Another observer, before observe().
    void attach(Observer* observer) { others_.push_back(observer); }
    // What limits the program of many kernels that has run, before finish().
    void record(const ProgramRecord& program) {
        if (recorder_) sink().program(program);
    }
    // From now on the machine is recorded, measured and checked. The first launch does it, with its
    // kernel; programs whose memory is to be watched from its allocation do it before.
    void observe(const Kernel* first = nullptr);

    struct LaunchChoice {
        uint32_t blocks = 0;         // 0: as many as fit at once; 1 for a kernel that does not ask
        bool asks_for_block = true;  // LoadedKernel::asks_for_block
        bool can_insert = false;     // likewise
        // Gets what the kernel prints, line by line.
        std::function<void(CoreId, std::string_view)> print{};
        std::function<void(Diagnostic&)> explain{};  // of LaunchOptions
        // Ends the launch at its next instruction when it becomes another than 0; may be null.
        const std::atomic<int>* interrupted = nullptr;
    };
    // A launch before the first one that counts: its time passes, L2
    // keeps its contents, and everything else about it is dropped.
    LaunchResult rehearse(const Kernel& kernel, KernelArguments arguments, LaunchChoice choice);
    // Runs a kernel to its end, one argument per parameter. What it finds is in the session's
    // result, too.
    LaunchResult launch(const Kernel& kernel, KernelArguments arguments,
                        const LaunchChoice& choice);
    // Several kernels that may run at once, of one SourceMap. Nothing is launched again under other timings or by other
    // paths.
    LaunchResult launch(std::span<const LaunchPart> parts, const LaunchChoice& choice);
    // What a host has done wrong.
    void add_finding(Diagnostic diagnostic) { machine_.push_back(std::move(diagnostic)); }

    // Adds to what checkers have found, or takes from it, each time that findings are asked for.
    using ExtendFindings = std::function<void(std::vector<Diagnostic>&)>;
    void extend_findings(ExtendFindings extend) { extend_findings_ = std::move(extend); }

    // The findings of finish(), of the launches so far.
    std::vector<Diagnostic> findings_so_far() const;

    // Why a launch was interrupted, for the recording.
    void note_interrupt(const Diagnostic& why);
    // The last call of a session but for write_files(). `outputs` and `goldens` are part of the
    // result, and of the recording. A recording that could not be written to its end is an error
    // here for a command, and of write_files() for a program, whose own work goes on.
    Result finish(std::vector<OutputSummary> outputs = {}, std::vector<GoldenResult> goldens = {});
    // Makes the files of options().trace_formats, and adds them to the result.
    void write_files(Result& result);
    // Throws DiagnosticError (I31) if the checkers were short of memory.
    void require_memory(const Result& result) const;

 private:
    bool program() const { return source_ != OptionSource::kCommandLine; }
    void start_recording();
    RecordSink& sink();
    LaunchOptions launch_options(const Kernel& kernel, const LaunchChoice& choice) const;
    void take_result(std::span<const LaunchPart> parts, LaunchResult& done);
    bool known_warning(const Diagnostic& warning);
    void add_note(std::string text);
    bool explores(const Kernel& kernel) const;
    void explore_paths(const Kernel& kernel, KernelArguments arguments, const LaunchChoice& choice,
                       ForkedRuns& replays, LaunchResult& done);
    void judge_flags(const Kernel& kernel, LaunchResult& done);
    bool runs_other_schedules() const;
    void compare_schedules(OtherSchedules others, LaunchResult& done, double seconds);
    bool may_rerun(const Kernel& kernel, const LaunchChoice& choice) const;
    void rerun(const Kernel& kernel, ForkedRuns& replays, const LaunchResult& done);
    void note_defaults(const Kernel& kernel, const LaunchChoice& choice);
    void close_recording(const std::vector<OutputSummary>& outputs,
                         const std::vector<GoldenResult>& goldens);
    void note_kept_data();
    void collect_findings();
    void account_and_advise();
    WorkSummary work() const;

    const SessionOptions options_;
    const OptionSource source_;
    RunSettings settings_;
    check::Suppressions suppressions_;
    std::unique_ptr<Chip> chip_;
    std::vector<Observer*> others_;

    bool prepared_ = false;
    bool observing_ = false;
    bool warm_ = false;
    bool makes_files_ = false;  // from the recording
    Summary summary_;           // counts if they are not
    std::optional<TraceFolder> trace_folder_;
    std::optional<RecordingWriter> writer_;
    std::optional<RecordingCache> kept_;
    std::optional<SinkThread> sink_thread_;
    std::optional<Recorder> recorder_;
    std::optional<DataKeeper> keeper_;
    std::optional<Recording> recording_;
    std::optional<Analysis> analysis_;  // of it, if files are made
    std::exception_ptr recording_error_;
    WorkMeter meter_;
    std::optional<GradeMeter> grades_;
    std::optional<check::Checkers> checkers_;

    ScopeMeter scope_;
    ExtendFindings extend_findings_;
    std::vector<Diagnostic> machine_;   // found by the machine or the host, in their order
    std::vector<Diagnostic> warnings_;  // likewise: what goes unnoticed on a device, once a site
    Result result_;
};

// The chip that options describe, the only one of this process. Throws DiagnosticError for one that
// cannot be used, and for a second one (I60). `model`: what they describe, if it has been read.
std::unique_ptr<Chip> make_chip(const SessionOptions& options,
                                std::optional<ChipModel> model = std::nullopt);

}  // namespace ptosim
