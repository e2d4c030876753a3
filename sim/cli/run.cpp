// ptosim run KERNEL, and the run of ptosim check
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

#include "sim/check/findings_output.h"
#include "sim/check/suppressions.h"
#include "sim/chip/chip.h"
#include "sim/cli/commands.h"
#include "sim/cli/dry_run.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/kernel_file.h"
#include "sim/cli/progress.h"
#include "sim/cli/run_options.h"
#include "sim/files/files.h"
#include "sim/files/sha256.h"
#include "sim/session/arguments.h"
#include "sim/session/golden.h"
#include "sim/timing/chip_facts.h"
#include "traces/analyse/work_meter.h"
#include "traces/record/recording_cache.h"
#include "traces/record/sink_thread.h"
#include "traces/traces.h"

namespace ptosim::cli {
namespace {

using Json = nlohmann::ordered_json;

// An instruction that the chip or this simulator does not have: the kernel never was one for it.
bool cannot_be_used(const Diagnostic& d) {
    return d.category == Category::kIllegal || d.category == Category::kUnsupported ||
           d.category == Category::kInput;
}

SyncMode sync_mode(const RunOptions& options, const Kernel& kernel) {
    if (options.sync == "explicit" || options.sync == "insert") return SyncMode::kExplicit;
    if (options.sync == "auto") return SyncMode::kAuto;
    return kernel.has_explicit_sync() ? SyncMode::kExplicit : SyncMode::kAuto;
}

std::string inserted_text(const InsertedFlags& inserted) {
    if (inserted.had_flags)
        return "the kernel has flags of its own: --sync insert has left them as they are\n";
    return "inserted: " + std::to_string(inserted.sets) + " set_flag, " +
           std::to_string(inserted.waits) + " wait_flag, " + std::to_string(inserted.barriers) +
           " barriers\n";
}

void check_blocks(const RunOptions& options) {
    constexpr uint32_t kMost = 1u << 20;
    if (options.blocks > kMost)
        fail_input("I14", "--blocks " + std::to_string(options.blocks) + " is too many",
                   "at most " + std::to_string(kMost));
}

void describe(const Kernel& kernel, const Chip& chip, SyncMode sync) {
    std::cout << "kernel " << kernel.name() << "\n  cores ";
    if (kernel.runs_on(CoreType::kAIC)) std::cout << " AIC";
    if (kernel.runs_on(CoreType::kAIV)) std::cout << " AIV";
    std::cout << ", at most " << chip.capacity(kernel) << " blocks at once on " << chip.model().name
              << "\n  sync   " << (sync == SyncMode::kAuto ? "auto" : "explicit") << "\n";
    for (const Parameter& parameter : kernel.parameters()) {
        std::cout << "  %" << parameter.name << ": " << type_text(parameter);
        if (parameter.elements > 0) std::cout << ", " << parameter.elements << " elements";
        std::cout << "\n";
    }
}

// Compares and saves what the kernel wrote; returns whether all goldens hold.
bool finish_outputs(const std::vector<Argument>& arguments,
                    const std::vector<std::pair<GoldenSpec, Array>>& goldens, Json& outputs,
                    std::ostream& text) {
    bool equal = true;
    outputs = Json::array();
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        if (!argument.output) continue;
        const Array array = array_of(argument);
        if (!argument.output_file.empty()) write_npy(argument.output_file, array);
        outputs.push_back(
            {{"parameter", i}, {"file", argument.output_file}, {"sha256", sha256(array.data)}});
    }
    for (const auto& [spec, golden] : goldens) {
        const Comparison comparison = compare(spec, golden, arguments[spec.parameter]);
        (comparison.equal ? text : std::cerr)
            << (comparison.equal ? "" : "error: ") << to_text(spec, comparison)
            << (comparison.equal ? "" : " [R01]") << "\n";
        equal = equal && comparison.equal;
    }
    return equal;
}

void record_outputs(RecordSink& sink, const Json& outputs) {
    for (const Json& output : outputs)
        sink.output({output["parameter"], output["file"], output["sha256"]});
}

std::vector<std::pair<GoldenSpec, Array>> load_goldens(const RunOptions& options,
                                                       const std::vector<Argument>& arguments) {
    std::vector<std::pair<GoldenSpec, Array>> goldens;
    for (const std::string& word : options.goldens) {
        GoldenSpec spec = parse_golden(word);
        if (spec.parameter >= arguments.size() || arguments[spec.parameter].scalar)
            fail_input("I13", "--golden " + word + ": parameter " + std::to_string(spec.parameter) +
                                  " is not an array of this kernel");
        Array golden = read_npy(spec.file);
        compare(spec, golden, arguments[spec.parameter]);  // shapes and types, before the run
        goldens.emplace_back(std::move(spec), std::move(golden));
    }
    return goldens;
}

// Everything found, the most important first: by the machine, then by the checkers.
std::vector<Diagnostic> merge(const std::vector<Diagnostic>& machine,
                              const std::vector<Diagnostic>& checkers) {
    std::vector<Diagnostic> all = machine;
    for (const Diagnostic& d : checkers) {
        const bool known = std::any_of(machine.begin(), machine.end(), [&d](const Diagnostic& m) {
            return m.code == d.code && m.file == d.file && m.location == d.location &&
                   m.operand == d.operand && d.category == Category::kSync;
        });
        if (!known) all.push_back(d);
    }
    check::sort_by_importance(all);
    return all;
}

LaunchOptions launch_options(const RunOptions& options, SyncMode sync, std::ostream& text) {
    LaunchOptions launch;
    launch.blocks = options.blocks;
    launch.sync = sync;
    launch.mode = options.mode == "timing"       ? RunMode::kTiming
                  : options.mode == "functional" ? RunMode::kFunctional
                                                 : RunMode::kFull;
    launch.numerics = options.numerics == "a2a3"           ? Numerics::kA2A3
                      : options.numerics == "a5"           ? Numerics::kA5
                      : options.numerics == "a5-templates" ? Numerics::kA5Templates
                                                           : Numerics::kIEEE;
    launch.choices = check_options(options).choices;
    launch.threads =
        options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    launch.print = [&text](CoreId core, std::string_view line) {
        text << "[" << name(core) << "] " << line << "\n";
    };
    return launch;
}

void pass_l2(const RunOptions& options, const std::vector<Argument>& arguments, Chip& chip) {
    for (const uint32_t parameter : options.past_l2) {
        if (parameter >= arguments.size() || arguments[parameter].scalar)
            fail_input("I13", "--past-l2 " + std::to_string(parameter) + ": parameter " +
                                  std::to_string(parameter) + " is not an array of this kernel");
        const GlobalMemory::Allocation* array = chip.global().find(arguments[parameter].value);
        chip.pass_l2(array->address, array->size);
    }
}

// The launches of --warm; false if one of them did not end, and then its findings are written.
bool warm_up(const RunOptions& options, const Kernel& kernel, Chip& chip,
             const std::vector<uint64_t>& values, LaunchOptions launch) {
    launch.mode = RunMode::kTiming;
    launch.print = {};
    for (uint32_t i = 0; i < options.warm; ++i) {
        const LaunchResult result = chip.launch(kernel, values, launch);
        if (result.finished && result.diagnostics.empty()) continue;
        check::write_findings(result.diagnostics, options.format, options.report, std::cout,
                              options.kernel);
        std::cerr << "the kernel did not get beyond launch " << i + 1 << " of --warm "
                  << options.warm << "\n";
        return false;
    }
    return true;
}

// What a profiler takes for the duration of the task: the launch, too.
Cycle task_cycles(const ChipModel& chip, Cycle cycles, bool warm) {
    return cycles + (chip.launch_overhead + (warm ? 0 : chip.launch_cold) + 999) / 1000;
}

double microseconds(const ChipModel& chip, Cycle cycles) {
    return static_cast<double>(cycles) * 1e6 / static_cast<double>(chip.clock_hz);
}

// What was done, and the least cycles that the chip needs for it.
Json work_json(const ChipModel& chip, const Work& work, const Accounting& accounting) {
    const Bounds least = bounds(chip, work);
    Cycle busiest = 0;
    for (const CoreAccount& core : accounting.cores)
        for (size_t pipe = 0; pipe < kPipeCount; ++pipe)
            if (static_cast<Pipe>(pipe) != Pipe::kS)
                busiest = std::max(busiest, core.pipes[pipe].busy);
    return {{"flops", 2 * work.all_products()},         {"global_read_bytes", work.read_bytes},
            {"global_write_bytes", work.written_bytes}, {"compute_cycles", least.compute},
            {"bandwidth_cycles", least.bandwidth},      {"occupancy_cycles", busiest}};
}

int run(const RunOptions& options) {
    check_blocks(options);
    const bool rewrites = options.sync == "insert" || !options.emit.empty();
    if (options.dry_run && !rewrites &&
        (std::filesystem::is_directory(options.kernel) || is_assembly(options.kernel)))
        return dry_run(options);
    check::CheckOptions checks = check_options(options);
    check::Suppressions suppressions(options.suppress);
    ChipModel model = load_chip(options.chip, options.overrides);
    const KernelChoice choice{.path = options.kernel,
                              .entry = options.entry,
                              .parameters = options.parameters,
                              .defines = options.defines,
                              .includes = options.includes,
                              .cores = options.cores,
                              .insert_flags = options.sync == "insert",
                              .emit = options.emit,
                              .plan = plan_policy(options.plan)};
    if (options.dry_run && options.entry.empty() && !is_assembly(options.kernel)) {
        const auto kernels = load_native_kernels(choice, model);
        const Chip chip("chip", std::move(model));
        for (const auto& kernel : kernels) describe(*kernel, chip, sync_mode(options, *kernel));
        return kOk;
    }
    InsertedFlags inserted;
    const std::unique_ptr<Kernel> kernel = load_kernel(choice, model, &inserted);
    Chip chip("chip", std::move(model));
    const SyncMode sync = sync_mode(options, *kernel);
    if (options.dry_run) {
        describe(*kernel, chip, sync);
        if (options.sync == "insert") std::cout << "  " << inserted_text(inserted);
        return kOk;
    }
    // The scoreboard orders the pipes of a core, not the cores of a cluster: what they hand over
    // without a signal would be wrong in silence.
    if (sync == SyncMode::kAuto && kernel->runs_on(CoreType::kAIC) &&
        kernel->runs_on(CoreType::kAIV))
        checks.race = true;
    if (options.mode == "timing" && !options.goldens.empty())
        fail_input("I13", "--golden needs data, and --mode timing has none",
                   "compare in --mode full or functional");
    const std::vector<Argument> arguments =
        make_arguments(*kernel, options.arguments, options.seed, chip.global());
    const auto goldens = load_goldens(options, arguments);
    pass_l2(options, arguments, chip);
    if (!options.json.empty() && options.json != "-") check_writable(options.json);
    if (!options.report.empty()) check_writable(options.report);
    std::optional<RecordingWriter> writer;
    if (!options.trace.empty()) {
        parse_formats(options.trace_formats);
        make_folder(options.trace);
        writer.emplace(std::filesystem::path(options.trace) / kRecordingName);
    }

    const bool stdout_taken =
        options.json == "-" || (options.format != "text" && options.report.empty());
    std::ostream& text = stdout_taken ? std::cerr : std::cout;
    if (options.sync == "insert") text << inserted_text(inserted);

    const auto values = argument_values(arguments);
    if (!warm_up(options, *kernel, chip, values, launch_options(options, sync, text)))
        return kKernelWrong;

    Summary summary;
    std::optional<RecordingCache> kept;
    std::optional<SinkThread> recorded;
    std::optional<Recorder> recorder;
    // Files beside the recording are made from it; without them nobody looks into it.
    const bool used = writer && !parse_formats(options.trace_formats).empty();
    if (!used) chip.attach(&summary);
    if (writer) {
        kept.emplace(*writer, used ? RecordingCache::kMostKept : 0);
        kept->facts(chip_facts(chip.model()));
        chip.attach(&recorder.emplace(recorded.emplace(*kept)));
    }
    WorkMeter meter;
    if (!options.json.empty()) chip.attach(&meter);
    std::optional<Interrupt> interrupt;
    if (writer) chip.attach(&interrupt.emplace());
    Progress progress;
    if (isatty(STDERR_FILENO)) chip.attach(&progress);
    std::optional<check::Checkers> checkers;
    if (checks.any())
        chip.attach(&checkers.emplace(checks, chip.global(), [&](const Diagnostic& finding) {
            if (!suppressions.match(finding)) chip.announce(finding);
        }));

    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t processor_begin = std::clock();
    LaunchResult result;
    try {
        result = chip.launch(*kernel, values, launch_options(options, sync, text));
    } catch (const Interrupt::Happened&) {
        progress.clear();
        std::cerr << to_text(interrupt->diagnostic());
        recorder->on_diagnostic(interrupt->diagnostic());
        recorder->finish();
        recorded->finish();
        writer->close();
        interrupt->end_process();
    }
    interrupt.reset();
    const double processor_seconds =
        static_cast<double>(std::clock() - processor_begin) / CLOCKS_PER_SEC;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress.clear();

    Json outputs = Json::array();
    bool equal = true;
    std::ostringstream compared;
    if (result.finished && options.mode != "timing")
        equal = finish_outputs(arguments, goldens, outputs, compared);
    Recording recording;
    if (writer) {
        record_outputs(*recorded, outputs);
        for (const std::string& path : chip.assumed()) recorded->assumption(path);
        recorder->finish();
        recorded->finish();
        writer->close();
        if (used) recording = kept->take(options.trace);
    }
    const Accounting accounting = used ? account(recording) : summary.accounting();
    std::vector<Diagnostic> findings = result.diagnostics;
    if (checkers) findings = merge(findings, checkers->findings());
    const size_t suppressed = suppressions.apply(findings);
    const bool unusable = std::any_of(findings.begin(), findings.end(), cannot_be_used);
    if (sync == SyncMode::kAuto && options.sync.empty() && !unusable)
        text << "the kernel has no flags between its pipes: a scoreboard ordered them (--sync "
                "auto), its "
                "time is a lower bound"
             << (checks.race ? ", and races inside a core were not looked for" : "") << "\n";
    if (!unusable) text << summary_text(accounting) << assumed_text(chip.assumed());
    if (!options.trace.empty()) {
        std::vector<std::string> notes;
        const auto written = write_traces(recording, options.trace, options.trace_formats,
                                          kMostSlices, &accounting, &notes);
        text << "trace: " << options.trace << " (" << kRecordingName
             << (written.empty() ? "" : ", ") << files_text(options.trace, written) << ")\n";
        for (const std::string& note : notes) text << "note: " << note << "\n";
    }
    if (checkers)
        for (const std::string& line : checkers->wasted()) text << "wasted: " << line << "\n";
    check::write_findings(findings, options.format, options.report,
                          options.json == "-" ? std::cerr : std::cout, options.kernel);
    if (options.check != "none") text << check::count_text(findings, suppressed) << "\n";
    for (const std::string& line : suppressions.unused())
        text << "note: nothing was suppressed by: " << line << "\n";

    text << compared.str();
    if (!options.json.empty()) {
        Json json;
        json["chip"] = chip.model().name;
        json["kernel"] = kernel->name();
        json["cycles"] = result.cycles;
        json["time_us"] = microseconds(chip.model(), result.cycles);
        json["task_us"] =
            microseconds(chip.model(), task_cycles(chip.model(), result.cycles, options.warm > 0));
        json["assumed"] = chip.assumed();
        json["instructions"] = result.instructions;
        json["work"] = work_json(chip.model(), meter.work(), accounting);
        json["cores"] = cores_json(accounting);
        json["diagnostics"] = Json::array();
        for (const Diagnostic& d : findings) json["diagnostics"].push_back(check::as_json(d));
        json["outputs"] = outputs;
        json["host"] = {{"seconds", seconds},
                        {"processor_seconds", processor_seconds},  // of all threads
                        {"instructions_per_second",
                         seconds > 0 ? static_cast<double>(result.instructions) / seconds : 0.0}};
        write_result(options.json, json.dump(2) + "\n");
    }
    if (unusable) return kInputUnusable;
    if (checkers && checkers->out_of_memory())
        fail_input("I31",
                   "the checkers needed more than " + std::to_string(options.check_memory) +
                       " MiB of shadow memory: races may have been missed",
                   "raise it with --check-memory " + std::to_string(2 * options.check_memory));
    return result.finished && findings.empty() && equal ? kOk : kKernelWrong;
}

}  // namespace

// Programs that asked for a document get one for input that cannot be used, too.
int run_kernel(const RunOptions& options) {
    try {
        return run(options);
    } catch (const DiagnosticError& error) {
        const bool input_error_only = error.diagnostics().front().code != "I31";
        if (options.format != "text" && input_error_only)
            check::write_findings(error.diagnostics(), options.format, options.report, std::cout,
                                  options.kernel);
        throw;
    }
}

void write_result(const std::string& path, const std::string& text) {
    if (path == "-")
        std::cout << text;
    else
        write_file(path, text);
}

void add_run(const Command& app, Action& action) {
    auto options = std::make_shared<RunOptions>();
    const Command command = app.add_subcommand("run", "Run a kernel: results, cycles, trace");
    add_run_options(command, *options);
    command.callback([options, &action] { action = [options] { return run_kernel(*options); }; });
}

}  // namespace ptosim::cli
