// ptosim report DIR
#include <filesystem>
#include <iostream>
#include <memory>

#include "sim/cli/commands.h"
#include "sim/model/assumed.h"
#include "traces/analyse/analysis.h"
#include "traces/traces.h"
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
};

// Where a recording is incomplete, on the error stream: the report says so, too.
void tell_gaps(const Recording& recording) {
    for (const std::string& gap : recording.gaps) std::cerr << "note: " << gap << "\n";
}

void print(const Recording& recording, const std::string& format) {
    const Analysis analysis = analyse(recording);
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
    const Recording recording = read_recording(options.folder);
    tell_gaps(recording);
    bool wrote = false;
    if (!options.html.empty() || !options.png.empty() || !options.svg.empty()) {
        const Analysis analysis = analyse(recording);
        if (!options.html.empty()) write_html(recording, analysis, options.html);
        if (!options.png.empty()) write_png(recording, analysis, options.png);
        if (!options.svg.empty()) write_svg(recording, analysis, options.svg);
        for (const std::string& path : {options.html, options.png, options.svg})
            if (!path.empty()) std::cout << "wrote " << path << "\n";
        wrote = true;
    }
    if (!formats.empty()) {
        const std::filesystem::path given = options.folder;
        const std::filesystem::path beside =
            std::filesystem::is_directory(given) ? given : given.parent_path();
        const std::filesystem::path into =
            options.into.empty() ? beside : std::filesystem::path(options.into);
        std::vector<std::string> notes;
        const auto written =
            write_traces(recording, into, formats, options.most_slices, nullptr, &notes);
        std::cout << "wrote " << into.string() << " (" << files_text(into, written) << ")\n";
        for (const std::string& note : notes) std::cout << "note: " << note << "\n";
        wrote = true;
    }
    if (!wrote || !options.format.empty()) print(recording, options.format);
    return kOk;
}

}  // namespace

void add_recorded_report(const Command& app, Action& action) {
    auto options = std::make_shared<ReportOptions>();
    const Command command =
        app.add_subcommand("report", "Turn a recorded run into text, HTML, pictures or traces");
    command.add_option("DIR", options->folder, "What 'ptosim run --trace DIR' wrote").required();
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
                    "In trace.json; where there are more, short neighbours are drawn together (0: "
                    "never)")
        .capture_default_str();
    command.add_option("--html", options->html, "Write the page to look at").type_name("FILE");
    command.add_option("--png", options->png, "Write a picture of the swimlane").type_name("FILE");
    command.add_option("--svg", options->svg, "Write it as SVG").type_name("FILE");
    command.callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace ptosim::cli
