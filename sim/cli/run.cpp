// ptosim run KERNEL
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/chip/chip.h"
#include "sim/cli/commands.h"
#include "sim/cli/kernel_file.h"
#include "sim/cli/progress.h"
#include "sim/runtime/arguments.h"
#include "sim/runtime/files.h"
#include "sim/runtime/golden.h"
#include "traces/traces.h"

namespace ptosim::cli {
namespace {

struct Options {
    std::string kernel;
    std::string chip = "ascend910b1";
    std::vector<std::string> overrides;
    std::string entry;
    uint32_t blocks = 0;
    std::vector<std::string> arguments;
    std::vector<std::string> goldens;
    std::string sync;
    std::string numerics = "ieee";
    std::string mode = "full";
    std::string trace;
    uint64_t seed = 0;
    unsigned threads = 1;
    std::string json;
    bool dry_run = false;
    std::string format = "text";
};

using Json = nlohmann::ordered_json;

Json as_json(const Diagnostic& d) {
    Json json{{"code", d.code}, {"category", name(d.category)}, {"message", d.message}};
    if (!d.file.empty())
        json["location"] = {{"file", d.file}, {"line", d.location.line}, {"column", d.location.column}};
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty()) json[key] = value;
    };
    add("core", d.core);
    add("pipe", d.pipe);
    add("instruction", d.instruction);
    add("operand", d.operand);
    if (d.has_cycle) json["cycle"] = d.cycle;
    if (d.byte_end != 0) json["bytes"] = {d.byte_begin, d.byte_end};
    json["count"] = d.count;
    if (!d.notes.empty()) json["notes"] = d.notes;
    add("hint", d.hint);
    return json;
}

void report_findings(const std::vector<Diagnostic>& diagnostics, const std::string& format) {
    if (diagnostics.empty()) return;
    if (format == "json") {
        Json list = Json::array();
        for (const Diagnostic& d : diagnostics) list.push_back(as_json(d));
        std::cerr << list.dump(2) << "\n";
        return;
    }
    for (const Diagnostic& d : diagnostics) std::cerr << to_text(d);
}

// An instruction that the chip or this simulator does not have: the kernel never was one for it.
bool cannot_be_used(const Diagnostic& d) {
    return d.category == Category::kIllegal || d.category == Category::kUnsupported ||
           d.category == Category::kInput;
}

SyncMode sync_mode(const Options& options, const Kernel& kernel) {
    if (options.sync == "explicit") return SyncMode::kExplicit;
    if (options.sync == "auto") return SyncMode::kAuto;
    return kernel.has_explicit_sync() ? SyncMode::kExplicit : SyncMode::kAuto;
}

void check_blocks(const Options& options) {
    constexpr uint32_t kMost = 1u << 20;
    if (options.blocks > kMost)
        fail_input("I14", "--blocks " + std::to_string(options.blocks) + " is too many",
                   "at most " + std::to_string(kMost));
}

void describe(const Kernel& kernel, const Chip& chip, SyncMode sync) {
    std::cout << "kernel " << kernel.name() << "\n  cores ";
    if (kernel.runs_on(CoreType::kAIC)) std::cout << " AIC";
    if (kernel.runs_on(CoreType::kAIV)) std::cout << " AIV";
    std::cout << ", at most " << chip.capacity(kernel) << " blocks at once on "
              << chip.model().name << "\n  sync   "
              << (sync == SyncMode::kAuto ? "auto" : "explicit") << "\n";
    for (const Parameter& parameter : kernel.parameters()) {
        std::cout << "  %" << parameter.name << ": "
                  << (parameter.kind == Parameter::Kind::kPointer ? "pointer to " : "")
                  << name(parameter.dtype);
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
        outputs.push_back({{"parameter", i},
                           {"file", argument.output_file},
                           {"sha256", sha256(array.data)}});
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

std::vector<std::pair<GoldenSpec, Array>> load_goldens(const Options& options,
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

int run(const Options& options) {
    check_blocks(options);
    ChipModel model = load_chip(options.chip, options.overrides);
    const std::unique_ptr<Kernel> kernel = load_kernel(options.kernel, options.entry, model);
    Chip chip("chip", std::move(model));
    const SyncMode sync = sync_mode(options, *kernel);
    if (options.dry_run) {
        describe(*kernel, chip, sync);
        return kOk;
    }
    const std::vector<Argument> arguments =
        make_arguments(*kernel, options.arguments, options.seed, chip.global());
    const auto goldens = load_goldens(options, arguments);
    if (!options.json.empty() && options.json != "-") check_writable(options.json);
    if (!options.trace.empty()) make_folder(options.trace);

    const bool json_to_stdout = options.json == "-";
    std::ostream& text = json_to_stdout ? std::cerr : std::cout;

    Summary summary;
    Recorder recorder;
    if (options.trace.empty())
        chip.attach(&summary);
    else
        chip.attach(&recorder);
    Progress progress;
    if (isatty(STDERR_FILENO)) chip.attach(&progress);

    LaunchOptions launch;
    launch.blocks = options.blocks;
    launch.sync = sync;
    launch.mode = options.mode == "timing"       ? RunMode::kTiming
                  : options.mode == "functional" ? RunMode::kFunctional
                                                 : RunMode::kFull;
    launch.numerics = options.numerics == "a2a3" ? Numerics::kA2A3
                      : options.numerics == "a5" ? Numerics::kA5
                                                 : Numerics::kIEEE;
    launch.print = [&text](CoreId core, std::string_view line) {
        text << "[" << name(core) << "] " << line << "\n";
    };
    const auto values = argument_values(arguments);
    const auto begin = std::chrono::steady_clock::now();
    const LaunchResult result = chip.launch(*kernel, values, launch);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress.clear();

    const Accounting accounting =
        options.trace.empty() ? summary.accounting() : account(recorder.recording());
    const bool unusable = std::any_of(result.diagnostics.begin(), result.diagnostics.end(), cannot_be_used);
    if (sync == SyncMode::kAuto && options.sync.empty() && !unusable)
        text << "the kernel has no flags: pipes were ordered by a scoreboard (--sync auto), its "
                "time is a lower bound\n";
    if (!unusable) text << summary_text(accounting);
    if (!options.trace.empty()) {
        write_traces(recorder.recording(), options.trace);
        text << "trace: " << options.trace
             << "/trace.json (open it in https://ui.perfetto.dev or chrome://tracing)\n";
    }
    report_findings(result.diagnostics, options.format);

    Json outputs = Json::array();
    bool equal = true;
    if (result.finished) equal = finish_outputs(arguments, goldens, outputs, text);
    if (!options.json.empty()) {
        Json json;
        json["chip"] = chip.model().name;
        json["kernel"] = kernel->name();
        json["cycles"] = result.cycles;
        json["time_us"] = static_cast<double>(result.cycles) * 1e6 /
                          static_cast<double>(chip.model().clock_hz);
        json["instructions"] = result.instructions;
        json["cores"] = cores_json(accounting);
        json["diagnostics"] = Json::array();
        for (const Diagnostic& d : result.diagnostics) json["diagnostics"].push_back(as_json(d));
        json["outputs"] = outputs;
        json["host"] = {{"seconds", seconds},
                        {"instructions_per_second",
                         seconds > 0 ? static_cast<double>(result.instructions) / seconds : 0.0}};
        write_result(options.json, json.dump(2) + "\n");
    }
    if (unusable) return kInputUnusable;
    return result.finished && result.diagnostics.empty() && equal ? kOk : kKernelWrong;
}

}  // namespace

void write_result(const std::string& path, const std::string& text) {
    if (path == "-")
        std::cout << text;
    else
        write_file(path, text);
}

void add_run(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("run", "Run a kernel: results, cycles, trace");
    command->add_option("KERNEL", options->kernel, "A .pto file")->required();
    command->add_option("--chip", options->chip, "A chip's name, or a chip file")
        ->capture_default_str();
    command->add_option("--set", options->overrides, "Override one chip parameter")
        ->type_name("PATH=VALUE")->allow_extra_args(false);
    command->add_option("--entry", options->entry, "Which function of the file")->type_name("NAME");
    command->add_option("--blocks", options->blocks,
                        "Number of blocks; default: as many as run at once")
        ->check(CLI::PositiveNumber);
    command->add_option("--arg", options->arguments,
                        "One per parameter, in order: in=x.npy, out=128x256xf32[:y.npy], "
                        "inout=x.npy[:y.npy], rand=128x256xf16[:SEED], zeros=128x256xf32, i32=5, "
                        "f32=0.5")
        ->type_name("SPEC")->allow_extra_args(false);
    command->add_option("--golden", options->goldens,
                        "Compare parameter N with a file, bit for bit or within tolerances")
        ->type_name("N=FILE.npy[:RTOL,ATOL]")->allow_extra_args(false);
    command->add_option("--sync", options->sync,
                        "Obey the kernel's flags, or order pipes by a scoreboard; default: "
                        "explicit if the kernel has flags")
        ->check(CLI::IsMember({"explicit", "auto"}));
    command->add_option("--numerics", options->numerics, "Numeric profile")
        ->check(CLI::IsMember({"ieee", "a2a3", "a5"}))->capture_default_str();
    command->add_option("--mode", options->mode, "Data and time, time only, or data only")
        ->check(CLI::IsMember({"full", "timing", "functional"}))->capture_default_str();
    command->add_option("--trace", options->trace, "Record the run into a folder")->type_name("DIR");
    command->add_option("--threads", options->threads, "Worker threads; results do not depend on it")
        ->check(CLI::Range(1, 1024));
    command->add_option("--seed", options->seed, "Seed of everything random");
    command->add_option("--json", options->json,
                        "Write the result as JSON to a file, or - for standard output");
    command->add_flag("--dry-run", options->dry_run, "Read, bind, plan and verify; run nothing");
    command->add_option("--format", options->format, "Of diagnostics")
        ->check(CLI::IsMember({"text", "json"}))->capture_default_str();
    command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace ptosim::cli
