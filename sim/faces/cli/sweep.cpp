// ptosim sweep PLAN.json, and ptosim sweep report FILE
#include <filesystem>
#include <iostream>
#include <memory>

#include "sim/faces/cli/commands.h"
#include "sim/faces/sweep/report.h"
#include "sim/faces/sweep/sweep.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/session/output_paths.h"

namespace ptosim::cli {
namespace {

// The page of the results, and the tables of changes.
void report_results(const std::string& out, const std::string& html, std::ostream& text) {
    const sweep::Store store(out, sweep::Store::Access::kRead);
    const sweep::Analysis analysis(store.rows());
    text << sweep::changes_text(analysis);
    if (html.empty()) return;
    write_file(html, sweep::report_html(store.title(), analysis, sweep::Trend(store.runs())));
    text << "page: " << html << "\n";
}

struct QuestionOptions {
    std::vector<std::string> chips, changes, parameters, arguments;
    std::string blocks;
    bool no_search = false, sample = false;

    bool given() const {
        return !chips.empty() || !changes.empty() || !parameters.empty() || !arguments.empty() || !blocks.empty() || no_search || sample;
    }
};

// A kernel in place of a plan.
void add_question(sweep::SweepOptions& options, const QuestionOptions& given) {
    const bool plan = options.plan.ends_with(".json");
    if (plan && given.given())
        fail_input("I51", "a plan states its chips, changes and parameters",
                   "give a kernel instead of the plan, or write them into " + options.plan);
    if (plan) return;
    if (given.changes.empty())
        fail_input("I51", "'" + options.plan + "' is not a plan, which is a .json file, and no --change is given for a kernel",
                   "for example: ptosim sweep " + options.plan + " --chip ascend910b1 --change memory.hbm.rate=x1.5");
    if (options.launcher != "local" || !options.shard.empty())
        fail_input("I51", "other machines need a plan file", "write the question as a plan (docs/running.md)");
    options.question = sweep::Plan::Question{options.plan, given.chips, given.changes, given.parameters, given.arguments,
                                             given.blocks, !given.no_search, given.sample};
    if (options.question->chips.empty()) options.question->chips = {"ascend910b1"};
    // Next to the user, not next to a kernel of the library.
    if (options.out.empty()) options.out = sweep::default_output(std::filesystem::path(options.plan).filename().string());
}

int sweep_plan(sweep::SweepOptions options, const QuestionOptions& question, const std::string& json, const std::string& html) {
    add_question(options, question);
    OutputPaths places;
    places.add_input(options.plan, options.question ? "the kernel" : "the plan");
    places.add_output(options.out.empty() ? sweep::default_output(options.plan) : options.out,
                      "the results");
    places.add_output(json, "--json");
    places.add_output(html, "--html");
    const sweep::SweepCount count = sweep::run_sweep(options);
    const std::string out = options.out.empty() ? sweep::default_output(options.plan) : options.out;
    std::ostream& text = json == "-" ? std::cerr : std::cout;
    if (options.shard.empty() && !options.dry_run) {
        text << count.points << " points: " << count.done << " done (" << count.ran << " now), "
             << count.failed << " failed, " << count.skipped << " skipped";
        if (count.missing > 0) text << ", " << count.missing << " missing";
        text << "; in " << out << "\n";
        if (!count.first_failure.empty())
            text << "the first that failed: " << count.first_failure << "\n"
                 << "'ptosim sweep report " << out << "' lists all of them\n";
        if (count.stopped) text << "stopped; run the same command to continue\n";
        report_results(out, html, text);
    }
    if (!json.empty())
        write_result(json, dump_json(Json{{"file", out},
                                          {"points", count.points},
                                          {"done", count.done},
                                          {"ran", count.ran},
                                          {"failed", count.failed},
                                          {"skipped", count.skipped},
                                          {"missing", count.missing}},
                                     2) +
                               "\n");
    return count.failed + count.missing > 0 && !options.dry_run ? kKernelWrong : kOk;
}

struct SweepReportOptions {
    std::string file, csv, json, html, plots;
};

int report_sweep(const SweepReportOptions& options) {
    OutputPaths places;
    places.add_input(options.file, "the results");
    const std::pair<const char*, const std::string&> outputs[] = {
        {"--csv", options.csv}, {"--json", options.json}, {"--html", options.html}};
    for (const auto& [name, path] : outputs) {
        places.add_output(path, name);
        if (path == "-") places.add_standard_output(name + std::string(" -"));
    }
    const sweep::Store store(options.file, sweep::Store::Access::kRead);
    const sweep::Analysis analysis(store.rows());
    const sweep::Trend trend(store.runs());
    const std::string title = store.title();
    const bool to_stdout = options.csv == "-" || options.json == "-";
    if (!options.csv.empty()) write_result(options.csv, sweep::report_csv(analysis));
    if (!options.json.empty())
        write_result(options.json, sweep::report_json(title, analysis, trend));
    if (!options.plots.empty()) {
        for (const std::string& name : sweep::write_plots(analysis, options.plots))
            std::cerr << "plot: " << options.plots << "/" << name << "\n";
    }
    if (!options.html.empty()) write_file(options.html, sweep::report_html(title, analysis, trend));
    if (!to_stdout) std::cout << sweep::report_text(title, analysis, trend);
    return kOk;
}

void add_report(const Command& sweep_command, Action& action) {
    auto options = std::make_shared<SweepReportOptions>();
    const Command command = sweep_command.add_subcommand(
        "report",
        "Tables and plots of a sweep: fastest points, Pareto front, sensitivities, bounds");
    command.add_option("FILE", options->file, "The file that ptosim sweep wrote").required();
    command.add_option("--csv", options->csv, "Write all points as CSV to a file, or - for standard output");
    command.add_option("--json", options->json, "Write all points and the analysis as JSON to a file, or - for "
                                                "standard output");
    command.add_option("--html", options->html, "Write a page with tables and plots").type_name("FILE");
    command.add_option("--png", options->plots, "Write the plots as PNG files into a folder").type_name("DIR");
    command.callback([options, &action] { action = [options] { return report_sweep(*options); }; });
}

}  // namespace

void add_sweep(const Command& app, Action& action) {
    auto options = std::make_shared<sweep::SweepOptions>();
    auto question = std::make_shared<QuestionOptions>();
    auto json = std::make_shared<std::string>(), html = std::make_shared<std::string>();
    const Command command =
        app.add_subcommand("sweep", "Run many chips x kernels x parameters into one file");
    command.add_option("PLAN", options->plan, "The plan, a JSON file, or a kernel with --change (docs/running.md)");
    command
        .add_option("--change", question->changes,
                    "A change of the chip for a kernel: PATH=VALUE, or PATH=xFACTOR; several with commas; repeatable")
        .allow_extra_args(false);
    command.add_option("--chip", question->chips, "Chip of a kernel; repeatable (ascend910b1)").allow_extra_args(false);
    command.add_option("--param", question->parameters, "Parameter of a kernel: NAME=VALUE[,VALUE...]; repeatable")
        .allow_extra_args(false);
    command.add_option("--arg", question->arguments, "Argument of a kernel, with ${EXPRESSION}; default: its lines '//! argument' or '// run:'")
        .allow_extra_args(false);
    command.add_option("--blocks", question->blocks, "Blocks of a kernel, an expression; default: its line '//! blocks' or '// run:'");
    command.add_flag("--no-search", question->no_search, "Run a kernel with its own parameters on each chip");
    command.add_flag("--sample", question->sample, "Skip periods of long regular runs of a kernel");
    command.add_option("--html", *html, "Write a page with tables, reasons and pictures").type_name("FILE");
    command.add_option("--out", options->out, "File for the results; default: PLAN with extension .sweep")
        .type_name("FILE");
    command.add_option("--jobs", options->jobs, "Points to run at a time per machine").range(1, 4096);
    command.add_option("--launcher", options->launcher, "Launcher of the workers")
        .one_of({"local", "slurm", "mpi"})
        .capture_default_str();
    command.add_option("--workers", options->workers, "Number of array tasks (slurm) or processes (mpi)")
        .range(1, 65536)
        .capture_default_str();
    command
        .add_option("--launcher-option", options->launcher_options,
                    "Pass one word to sbatch or mpirun unchanged; repeatable")
        .allow_extra_args(false);
    command.add_option("--shard", options->shard, "Run only part I of N, into a separate file")
        .type_name("I/N");
    command
        .add_option("--label", options->label,
                    "Store this run of the plan under a name (a commit, a date); report shows the trend over all names")
        .type_name("NAME");
    command.add_flag("--retry-failed", options->retry_failed, "Run failed points again");
    command.add_flag("--dry-run", options->dry_run, "Print the commands without running them");
    command.add_option("--json", *json, "Write the counts as JSON to a file, or -");
    command.require_subcommand(0, 1);
    add_report(command, action);
    command.callback([command, options, question, json, html, &action] {
        if (command.has_subcommand()) return;
        if (options->plan.empty()) fail_required("PLAN");
        action = [options, question, json, html] { return sweep_plan(*options, *question, *json, *html); };
    });
}

}  // namespace ptosim::cli
