// ptosim report DIR
#include <charconv>
#include <filesystem>
#include <iostream>
#include <memory>

#include "sim/faces/cli/commands.h"
#include "sim/files/files.h"
#include "sim/machine/model/assumed.h"
#include "sim/session/changed_kernel.h"
#include "sim/session/output_paths.h"
#include "traces/analyse/analysis.h"
#include "traces/record/recording_file.h"
#include "traces/traces.h"
#include "traces/write/data_text.h"
#include "traces/write/html.h"
#include "traces/write/picture.h"
#include "traces/write/report.h"

namespace ptosim::cli {
namespace {

struct ReportOptions {
    std::string folder;
    std::string format;
    std::string write;
    std::string into;
    size_t most_slices = kMostSlices;
    std::string html, png, svg;
    std::string data, data_from;
    std::string sources;
};

// Finds source files that a recording names but does not contain: by their paths in the folder, or
// by the last part of their names.
void find_sources(Recording& recording, const std::filesystem::path& folder) {
    if (!std::filesystem::is_directory(folder))
        fail_input("I01", "--sources " + folder.string() + " is not a folder",
                   "name the folder of the program that the kernel was generated from");
    for (size_t i = 0; i < recording.sources.size(); ++i) {
        const Sources::File file = recording.sources.file(i);
        if (!file.text.empty()) continue;
        const std::filesystem::path name = file.name;
        std::error_code ignored;
        for (const std::filesystem::path& path :
             {folder / name.relative_path(), folder / name.filename()}) {
            const auto below =
                std::filesystem::weakly_canonical(path, ignored)
                    .lexically_relative(std::filesystem::weakly_canonical(folder, ignored));
            if (below.empty() || *below.begin() == ".." ||
                !std::filesystem::is_regular_file(path, ignored))
                continue;
            recording.sources.set_text(i, read_file(path.string()));
            break;
        }
    }
}

// Parses ROW,COL.
DataQuery query_of(const ReportOptions& options) {
    DataQuery query{options.data};
    if (options.data_from.empty()) return query;
    const char* const end = options.data_from.data() + options.data_from.size();
    const auto row = std::from_chars(options.data_from.data(), end, query.row);
    const bool more = row.ec == std::errc{} && row.ptr != end && *row.ptr == ',';
    const auto column = std::from_chars(more ? row.ptr + 1 : end, end, query.column);
    if (!more || column.ec != std::errc{} || column.ptr != end)
        fail_input("I00", "--data-from " + options.data_from + " is not ROW,COL",
                   "for example --data-from 16,0");
    if (options.data.empty())
        fail_input("I00", "--data-from needs --data, whose first element it selects",
                   "for example --data kernel.pto:150 --data-from 16,0");
    return query;
}

// Prints the gaps of a recording to standard error; the report has them, too.
void tell_gaps(const Recording& recording) {
    for (const std::string& gap : recording.gaps) std::cerr << "note: " << gap << "\n";
}

void print(const Recording& recording, const TrialResults& trials, const std::string& format) {
    const Analysis analysis = analyse(recording, 8, trials.attempt());
    if (format == "summary") {
        std::cout << summary_text(analysis.accounting, analysis.advice, analysis.basis)
                  << assumed_text(recording.assumed);
        return;
    }
    if (format == "json")
        std::cout << report_json(recording, analysis) << "\n";
    else
        std::cout << report_markdown(recording, analysis);
}

int report(const ReportOptions& options) {
    const std::string formats = options.write;
    parse_formats(formats);
    OutputPaths places;
    places.add_input(recording_path(options.folder).string(), "the recording");
    places.add_output(options.html, "--html");
    places.add_output(options.png, "--png");
    places.add_output(options.svg, "--svg");
    const DataQuery query = query_of(options);
    Recording recording = read_reportable(options.folder);
    if (!options.sources.empty()) find_sources(recording, options.sources);
    tell_gaps(recording);
    const std::filesystem::path given = options.folder;
    const std::filesystem::path beside =
        std::filesystem::is_directory(given) ? given : given.parent_path();
    const TrialResults trials = TrialResults::read(beside);
    bool wrote = false;
    if (!query.what.empty()) {
        std::cout << data_text(recording, query);
        wrote = true;
    }
    if (!options.html.empty() || !options.png.empty() || !options.svg.empty()) {
        const Analysis analysis = analyse(recording, 8, trials.attempt());
        if (!options.html.empty()) write_html(recording, analysis, options.html);
        if (!options.png.empty()) write_png(recording, analysis, options.png);
        if (!options.svg.empty()) write_svg(recording, analysis, options.svg);
        for (const std::string& path : {options.html, options.png, options.svg})
            if (!path.empty()) std::cout << "wrote " << path << "\n";
        wrote = true;
    }
    if (!formats.empty()) {
        const std::filesystem::path into =
            options.into.empty() ? beside : std::filesystem::path(options.into);
        std::vector<std::string> notes;
        const Analysis analysis = analyse(recording, 8, trials.attempt());
        const auto written =
            write_traces(recording, into, formats, options.most_slices, &analysis, &notes);
        std::cout << "wrote " << into.string() << " (" << files_text(into, written) << ")\n";
        for (const std::string& note : notes) std::cout << "note: " << note << "\n";
        wrote = true;
    }
    if (!wrote || !options.format.empty()) print(recording, trials, options.format);
    return kOk;
}

}  // namespace

void add_recorded_report(const Command& app, Action& action) {
    auto options = std::make_shared<ReportOptions>();
    const Command command =
        app.add_subcommand("report", "Turn a recorded run into text, HTML, pictures or traces");
    command.add_option("DIR", options->folder, "The folder that 'ptosim run --trace DIR' wrote")
        .required();
    command
        .add_option("--format", options->format,
                    "Print the report as Markdown (the default), JSON, or the summary")
        .one_of({"md", "json", "summary"});
    command
        .add_option("--write", options->write,
                    "Write files into the folder instead: chrome, lanes, summary, report, ... or "
                    "all")
        .type_name("LIST");
    command.add_option("--into", options->into, "Write them into another folder").type_name("DIR");
    command
        .add_option("--most-slices", options->most_slices,
                    "Maximum number of slices in trace.json; above it, short neighbours are merged "
                    "(0: never)")
        .capture_default_str();
    command.add_option("--html", options->html, "Write the HTML page").type_name("FILE");
    command.add_option("--png", options->png, "Write a picture of the swimlane").type_name("FILE");
    command
        .add_option(
            "--data", options->data,
            "Print the operands of instructions, recorded with --keep-data: those of a line (150, "
            "kernel.pto:150), or one by core and number (AIC03:57)")
        .type_name("WHAT");
    command
        .add_option("--sources", options->sources,
                    "Folder of the program that the kernel was generated from "
                    "(loc(\"net.py\":12:3) in its text), to "
                    "show its lines")
        .type_name("DIR");
    command.add_option("--data-from", options->data_from, "With --data: the first element to print")
        .type_name("ROW,COL");
    command.add_option("--svg", options->svg, "Write the data as SVG").type_name("FILE");
    command.callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace ptosim::cli
