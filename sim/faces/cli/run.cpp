// ptosim run KERNEL, and the run of ptosim check: options, a session, and the output of its result.
#include <unistd.h>
#include <algorithm>

#include <filesystem>
#include <iostream>
#include <memory>

#include "sim/check/findings_output.h"
#include "sim/check/registry.h"
#include "sim/faces/cli/commands.h"
#include "sim/faces/cli/dry_run.h"
#include "sim/faces/cli/interrupt.h"
#include "sim/faces/cli/progress.h"
#include "sim/faces/cli/run_options.h"
#include "sim/session/arguments.h"
#include "sim/session/golden.h"
#include "sim/session/kernel_file.h"
#include "sim/session/output_paths.h"
#include "sim/session/result_text.h"
#include "sim/session/session.h"
#include "sim/session/task_kernel.h"

namespace ptosim::cli {
namespace {

std::string inserted_text(const InsertedFlags& inserted) {
    if (inserted.had_flags)
        return "the kernel already contains flags, so --sync insert inserted none\n";
    return "inserted: " + std::to_string(inserted.sets) + " set_flag, " +
           std::to_string(inserted.waits) + " wait_flag, " + std::to_string(inserted.barriers) +
           " barriers\n";
}

void describe(const Kernel& kernel, Session& session) {
    std::cout << "kernel " << kernel.name() << "\n  cores ";
    if (kernel.runs_on(CoreType::kAIC)) std::cout << " AIC";
    if (kernel.runs_on(CoreType::kAIV)) std::cout << " AIV";
    std::cout << ", at most " << session.chip().capacity(kernel) << " blocks at once on "
              << session.model().name << "\n  sync   "
              << (session.sync_of(kernel) == SyncMode::kAuto ? "auto" : "explicit") << "\n";
    for (const Parameter& parameter : kernel.parameters()) {
        std::cout << "  %" << parameter.name << ": " << type_text(parameter);
        if (parameter.elements > 0) std::cout << ", " << parameter.elements << " elements";
        std::cout << "\n";
    }
}

}  // namespace

KernelChoice kernel_choice(const RunOptions& options) {
    check::CheckOptions checks;
    checks.choose(options.check);  // the session reports errors in it
    return {.path = options.kernel,
            .entry = options.entry,
            .parameters = options.parameters,
            .defines = options.defines,
            .includes = options.includes,
            .report_accesses = checks.follows_pointers(),
            .report_branches = checks.any() && options.paths > 0,
            .cores = options.cores,
            .insert_flags = options.sync == "insert",
            .emit = options.emit,
            .plan = plan_policy(options.plan),
            .saturation = assembler_saturation(options.assembler)};
}

std::vector<Argument> arguments_of(const LoadedKernel& loaded, const RunOptions& options, GlobalMemory& memory) {
    if (loaded.task) return restore_arguments(loaded, options.arguments, memory);
    return make_arguments(*loaded.kernel, options.arguments, options.seed, memory);
}

void pass_l2(const RunOptions& options, const std::vector<Argument>& arguments, Chip& chip) {
    for (const uint32_t parameter : options.bypass_l2) {
        if (parameter >= arguments.size() || arguments[parameter].scalar)
            fail_input("I13",
                       "--bypass-l2 " + std::to_string(parameter) + ": parameter " +
                           std::to_string(parameter) + " is not an array of this kernel",
                       "parameters are counted from 0: 'ptosim run --dry-run' lists them");
        const GlobalMemory::Allocation* array = chip.global().find(arguments[parameter].value);
        chip.bypass_l2(array->address, array->size);
    }
}

namespace {

// Paths that are known before the kernel is read, because --emit may write at once.
OutputPaths places_of(const RunOptions& options) {
    OutputPaths places;
    places.add_input(options.kernel, "the kernel");
    places.add_input(options.chip, "--chip");
    places.add_input(options.suppress, "--suppress");
    for (const std::string& golden : options.goldens)
        places.add_input(parse_golden(golden).file, "--golden " + golden);
    places.add_kernel_output(options.emit, "--emit");
    if (options.json == "-") places.add_standard_output("--json -");
    if (options.format != "text" && options.report.empty())
        places.add_standard_output("--format " + options.format);
    return places;
}

void add_outputs(const RunOptions& options, const std::vector<Argument>& arguments,
                 OutputPaths& places) {
    for (const Argument& argument : arguments)
        places.add_input(argument.input_file, "--arg " + argument.spec);
    for (const Argument& argument : arguments)
        places.add_output(argument.output_file, "--arg " + argument.spec, argument.input_file);
    places.add_output(options.json, "--json");
    places.add_output(options.report, "--report");
    places.add_output(options.scope_file, "--scope");
}

// Runs the launches of --warm. If one did not end, writes its findings and returns false.
bool warm_up(const RunOptions& options, const LoadedKernel& loaded,
             const std::vector<uint64_t>& values, Session& session) {
    for (uint32_t i = 0; i < options.warm; ++i) {
        const LaunchResult result = session.rehearse(*loaded.kernel, values,
                                                     {.blocks = options.blocks,
                                                      .asks_for_block = loaded.asks_for_block,
                                                      .interrupted = &Interrupt::received()});
        if (result.interrupted) {
            std::cerr << to_text(Interrupt::diagnostic(session.chip().now(), false));
            Interrupt::end_process();
        }
        if (result.finished && result.diagnostics.empty()) continue;
        check::write_findings(result.diagnostics, options.format, options.report, std::cout,
                              options.kernel);
        std::cerr << "the kernel failed in launch " << i + 1 << " of --warm " << options.warm
                  << "\n";
        return false;
    }
    return true;
}

// Reports the partial results of a launch that a signal has ended.
[[noreturn]] void end_interrupted(const RunOptions& options, Session& session, std::ostream& text) {
    const Diagnostic why = Interrupt::diagnostic(session.chip().now(), !options.trace.empty());
    std::cerr << to_text(why);
    session.note_interrupt(why);
    const Result result = session.finish();
    text << "up to cycle " << why.cycle << ", where the run was interrupted:\n"
         << summary_text(result);
    write_findings(result, options, options.json == "-" ? std::cerr : std::cout, options.kernel);
    Interrupt::end_process();
}

// Launches once, with the signal handling and progress line of a command.
bool launch(const RunOptions& options, const LoadedKernel& loaded,
            const std::vector<uint64_t>& values, Session& session, std::ostream& text) {
    Progress progress;
    if (isatty(STDERR_FILENO)) session.attach(&progress);
    const auto print = [&text](CoreId core, std::string_view line) {
        text << "[" << name(core) << "] " << line << "\n";
    };
    const LaunchResult result = session.launch(*loaded.kernel, values,
                                               {.blocks = options.blocks,
                                                .asks_for_block = loaded.asks_for_block,
                                                .can_insert = loaded.can_insert,
                                                .print = print,
                                                .remake = loaded.remake,
                                                .interrupted = &Interrupt::received()});
    progress.clear();
    if (result.interrupted) end_interrupted(options, session, text);
    return result.finished;
}

void print_result(Result& result, const RunOptions& options, Session& session, std::ostream& text) {
    std::cerr << warnings_text(result) << goldens_text(result, false);
    text << (options.verbose ? summary_text(result) : brief_text(result));
    session.write_files(result);
    text << files_text(result, options) << wasted_text(result);
    write_findings(result, options, options.json == "-" ? std::cerr : std::cout, options.kernel);
    text << count_text(result) << goldens_text(result, true);
    write_json(result, options);
}

int dry_run_built(const RunOptions& options, KernelSource& source) {
    Session session(options, OptionSource::kCommandLine);
    if (options.entry.empty() && source.kind() != KernelSource::Kind::kTask && !is_assembly(options.kernel)) {
        for (const auto& kernel : load_native_kernels(source.choice(), session.model()))
            describe(*kernel, session);
        return kOk;
    }
    const LoadedKernel loaded = load_kernel(source, session.model());
    describe(*loaded.kernel, session);
    if (options.sync == "insert") std::cout << "  " << inserted_text(loaded.inserted);
    return kOk;
}

}  // namespace

std::pair<RunOptions, std::optional<ChipModel>> with_chip(const RunOptions& options,
                                                          KernelSource& source) {
    ChipChoice choice = chip_for(source, options.chip, options.overrides);
    if (choice.warning) std::cerr << to_text(*choice.warning, "warning");
    RunOptions result = options;
    result.chip = choice.chip;
    if (source.kind() == KernelSource::Kind::kTask) {  // it runs as in its program
        const KeptTask task = read_task(options.kernel);
        if (options.blocks > 1) fail_input("I50", options.kernel + " is a kept task, which is one block", "remove --blocks");
        result.blocks = 1;
        if (options.chip.empty()) result.overrides.insert(result.overrides.begin(), task.overrides.begin(), task.overrides.end());
        if (options.numerics == RunOptions().numerics) result.numerics = task.numerics;
    }
    return {std::move(result), std::move(choice.model)};
}

namespace {

// True if the run has found the same error, possibly where a tile is used rather than where it is
// made.
bool is_among(const Diagnostic& refused, const std::vector<Diagnostic>& found) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Diagnostic& d) { return d.code == refused.code; });
}

constexpr const char* kRefused =
    "the assembler rejects this, but ptosim runs it (an error with --strict)";

// If the run has a warning about the same error, adds a note to it and returns true.
bool note_refused(const Diagnostic& refused, std::vector<Diagnostic>& warnings) {
    for (Diagnostic& d : warnings)
        if (d.code == refused.code && d.location == refused.location) {
            d.notes.push_back(kRefused);
            return true;
        }
    return false;
}

// Warns of errors of the assembler for a program that runs here, unless the run itself has `found`
// them or warns of them.
void warn_of_refused(std::vector<Diagnostic> refused, const std::vector<Diagnostic>& found,
                     std::vector<Diagnostic>& warnings) {
    std::erase_if(refused, [&](const Diagnostic& d) {
        return is_among(d, found) || note_refused(d, warnings);
    });
    for (Diagnostic& d : refused) {
        d.notes.push_back(kRefused);
        std::cerr << to_text(d, "warning");
    }
}

// --strict: errors of the assembler end the run.
void check_refused(std::vector<Diagnostic> refused) {
    if (refused.empty()) return;
    for (Diagnostic& d : refused) d.notes.push_back("the assembler rejects this");
    throw DiagnosticError(std::move(refused));
}

int run(const RunOptions& given) {
    check_blocks(given.blocks, OptionSource::kCommandLine);
    if (given.dry_run) {
        const bool rewrites = given.sync == "insert" || !given.emit.empty();
        const bool text = std::filesystem::is_directory(given.kernel) ? !is_kept_task(given.kernel) : is_assembly(given.kernel);
        if (text && !rewrites) return dry_run(given);
        KernelSource source(kernel_choice(given));
        return dry_run_built(with_chip(given, source).first, source);
    }
    KernelSource source(kernel_choice(given));
    auto [options, model] = with_chip(given, source);
    Session session(options, OptionSource::kCommandLine, make_chip(options, std::move(model)));
    OutputPaths places = places_of(options);
    const LoadedKernel loaded = load_kernel(source, session.model());
    if (options.strict) check_refused(loaded.refused);
    if (options.mode == "timing" && !options.goldens.empty())
        fail_input("I13", "--golden needs data, but --mode timing computes none",
                   "compare in --mode full or functional");
    const std::vector<Argument> arguments = arguments_of(loaded, options, session.memory());
    add_outputs(options, arguments, places);
    const Goldens goldens = load_goldens(options.goldens, arguments);
    pass_l2(options, arguments, session.chip());
    session.prepare_files();

    const bool stdout_taken =
        options.json == "-" || (options.format != "text" && options.report.empty());
    std::ostream& text = stdout_taken ? std::cerr : std::cout;
    if (options.sync == "insert") text << inserted_text(loaded.inserted);
    for (const Diagnostic& note : loaded.inserted.notes) std::cerr << to_text(note, "warning");
    const auto values = argument_values(arguments);
    const Interrupt interrupt;
    bool finished = false;
    try {
        if (!warm_up(options, loaded, values, session)) return kKernelWrong;
        finished = launch(options, loaded, values, session, text);
    } catch (const DiagnosticError& error) {
        std::vector<Diagnostic> none;
        warn_of_refused(loaded.refused, error.diagnostics(), none);
        throw;
    }
    std::vector<OutputSummary> outputs;
    std::vector<GoldenResult> compared;
    if (finished && options.mode != "timing") {
        outputs = save_outputs(arguments);
        compared = compare(goldens, arguments);
    }
    Result result = session.finish(std::move(outputs), std::move(compared));
    warn_of_refused(loaded.refused, result.findings, result.warnings);
    print_result(result, options, session, text);
    if (!result.unusable()) session.require_memory(result);
    if (options.repair && !result.findings.empty()) options.repair(result.explanations);
    return exit_code(result);
}

}  // namespace

// A program that requested a document also gets one for unusable input.
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

void add_run(const Command& app, Action& action) {
    auto options = std::make_shared<RunOptions>();
    const Command command = app.add_subcommand("run", "Run a kernel: results, cycles, trace");
    command.add_options_later([command, options] {
        add_run_options(command, *options);
        command.add_flag("--no-advice", options->no_advice, "Do not compute advice, to save time");
    });
    command.callback([options, &action] {
        options->advice = options->rerun = options->mode != "functional" && !options->no_advice;
        action = [options] { return run_kernel(*options); };
    });
}

}  // namespace ptosim::cli
