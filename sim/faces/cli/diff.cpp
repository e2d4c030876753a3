// ptosim diff A B
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "sim/faces/cli/commands.h"
#include "sim/files/json.h"
#include "sim/machine/model/assumed.h"
#include "sim/session/output_paths.h"
#include "traces/analyse/difference.h"
#include "traces/record/recording_file.h"
#include "traces/write/difference_report.h"
#include "traces/write/html.h"
#include "traces/write/picture.h"

namespace ptosim::cli {
namespace {

struct DiffOptions {
    std::string a, b;
    double tolerance = 0;  // percent
    bool allow_faster = false;
    std::string json;
    std::string svg;
    std::string html;
};

// The assumed figures that affect the time of either run.
std::vector<std::string> assumed_by(const Recording& a, const Recording& b) {
    std::vector<std::string> paths = a.assumed;
    paths.insert(paths.end(), b.assumed.begin(), b.assumed.end());
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
}

std::string verdict(const std::vector<std::string>& beyond) {
    if (beyond.empty()) return "\nwithin the tolerance\n";
    std::string text = "\nbeyond the tolerance: ";
    for (const std::string& reason : beyond) text += (&reason == &beyond[0] ? "" : ", ") + reason;
    return text + "\n";
}

int diff(const DiffOptions& options) {
    OutputPaths places;
    places.add_input(recording_path(options.a).string(), "the recording A");
    places.add_input(recording_path(options.b).string(), "the recording B");
    places.add_output(options.json, "--json");
    places.add_output(options.svg, "--svg");
    places.add_output(options.html, "--html");
    const Recording a = read_reportable(options.a);
    const Recording b = read_reportable(options.b);
    // The page shows B's report, too.
    const Analysis of_b = options.html.empty() ? analyse(b, 0) : analyse(b);
    const Difference difference = compare(a, analyse(a, 0), b, of_b);
    const auto millionths = static_cast<uint64_t>(std::llround(options.tolerance * 10'000));
    const std::vector<std::string> beyond = difference.beyond(millionths, options.allow_faster);
    if (!options.svg.empty()) write_pair_svg(a, options.a, b, options.b, options.svg);
    if (!options.html.empty()) {
        const Before before{
            a, dump_json(difference_json(difference, millionths, options.allow_faster))};
        write_html(b, of_b, options.html, &before);
    }
    const std::vector<std::string> assumed = assumed_by(a, b);
    if (!options.json.empty()) {
        auto json = difference_json(difference, millionths, options.allow_faster);
        json["assumed"] = assumed;
        write_result(options.json, dump_json(json, 1) + "\n");
    }
    if (options.json != "-")
        std::cout << difference_text(difference) << assumed_text(assumed) << verdict(beyond);
    return beyond.empty() ? kOk : kKernelWrong;
}

}  // namespace

void add_diff(const Command& app, Action& action) {
    auto options = std::make_shared<DiffOptions>();
    const Command command = app.add_subcommand(
        "diff", "Compare two recorded runs: cycles, pipes, lines, outputs, findings");
    command.add_option("A", options->a, "Folder of the first recording (before)").required();
    command.add_option("B", options->b, "Folder of the second recording (after)").required();
    command
        .add_option("--tolerance", options->tolerance,
                    "Percentage by which the cycles may differ, up or down, with up to four decimal places")
        .range(0.0, 1e6)
        .capture_default_str();
    command.add_flag("--allow-faster", options->allow_faster,
                     "Accept any decrease in cycles");
    command.add_option("--json", options->json,
                       "Write the comparison as JSON to a file, or - for standard output");
    command.add_option("--svg", options->svg, "Draw both swimlanes, one below the other")
        .type_name("FILE");
    command
        .add_option("--html", options->html,
                    "Write a page with B's report, the lanes of both, and the changes")
        .type_name("FILE");
    command.callback([options, &action] { action = [options] { return diff(*options); }; });
}

}  // namespace ptosim::cli
