#include "sim/session/result_text.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "sim/check/findings_output.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/machine/model/assumed.h"
#include "traces/write/brief_summary.h"

namespace ptosim {

std::string summary_text(const Result& result) {
    if (result.unusable()) return {};
    std::string text;
    for (const std::string& note : result.notes) text += note + "\n";
    if (!result.timed) return text + untimed_summary_text(result.accounting);
    const std::span<const Advice> advice =
        result.advice ? std::span(*result.advice) : std::span<const Advice>();
    return text + summary_text(result.accounting, advice, result.basis) +
           assumed_text(result.assumed);
}

std::string brief_text(const Result& result) {
    if (!result.timed || result.unusable()) return summary_text(result);
    std::string text;
    for (const std::string& note : result.notes) text += note + "\n";
    const std::span<const Advice> advice =
        result.advice ? std::span(*result.advice) : std::span<const Advice>();
    return text + brief_text(result.accounting, advice, result.basis);
}

std::string files_text(const std::filesystem::path& folder,
                       const std::vector<std::filesystem::path>& files) {
    std::vector<std::pair<std::string, size_t>> names;  // and the number of their files
    for (const std::filesystem::path& file : files) {
        const std::filesystem::path inside = file.lexically_relative(folder);
        const bool deeper = std::next(inside.begin()) != inside.end();
        const std::string name = inside.begin()->string() + (deeper ? "/" : "");
        if (names.empty() || names.back().first != name) names.emplace_back(name, 0);
        ++names.back().second;
    }
    std::string text;
    for (const auto& [name, count] : names) {
        text += (text.empty() ? "" : ", ") + name;
        if (name.ends_with('/')) text += " (" + std::to_string(count) + " files)";
    }
    return text;
}

std::string files_text(const Result& result, const SessionOptions& options) {
    if (options.trace.empty()) return {};
    std::string text = "trace: " + options.trace + " (" + std::string(kRecordingName) +
                       (result.files.empty() ? "" : ", ") +
                       files_text(options.trace, result.files) + ")\n";
    const auto made = [&result](std::string_view name) {
        return std::any_of(result.files.begin(), result.files.end(),
                           [name](const auto& file) { return file.filename() == name; });
    };
    if (made("report.html"))
        text += "open " + options.trace + "/report.html in a browser" +
                (made("agent.json") ? "; programs read " + options.trace + "/agent.json" : "") +
                "\n";
    for (const std::string& note : result.file_notes) text += "note: " + note + "\n";
    return text;
}

std::string warnings_text(const Result& result) {
    std::string text;
    for (const Diagnostic& d : result.warnings) text += to_text(d, "warning");
    return text;
}

std::string wasted_text(const Result& result) {
    std::string text;
    for (const std::string& line : result.wasted) text += "wasted: " + line + "\n";
    return text;
}

std::string schedules_text(const ScheduleSummary& schedules) {
    if (schedules.schedules == 0) return {};
    const std::string several = std::to_string(schedules.schedules) + " other schedule" +
                                (schedules.schedules == 1 ? "" : "s");
    if (schedules.differ == 0) return several + ": the same bits and findings\n";
    return several + ": " + std::to_string(schedules.differ) + " with other bits or findings\n";
}

// Text such as "k.pto:41 (else)", "k.cpp:12"; for a run that has reached no further line "other
// branches".
std::string reached_text(const PathSummary::Reached& one) {
    if (one.file.empty()) return "other branches";
    return one.file + ":" + std::to_string(one.line) +
           (one.what.empty() ? "" : " (" + one.what + ")");
}

// Text such as "paths: 2 further runs (budget: 32, and 60000 instructions, of which they issued
// 84): k.pto:41 (else), k.pto:48 (no iteration) with %n = 0".
std::string paths_text(const PathSummary& paths) {
    if (paths.budget.runs == 0 || (paths.runs == 0 && !paths.used_up)) return {};
    const std::string used =
        paths.used_up ? "used up" : std::to_string(paths.instructions) + " issued";
    std::string text = "paths: " + std::to_string(paths.runs) + " further run" +
                       (paths.runs == 1 ? "" : "s") +
                       " (budget: " + std::to_string(paths.budget.runs) + " runs of together " +
                       std::to_string(paths.budget.instructions) + " instructions, " + used + ")";
    const PathSummary::Reached* last = nullptr;
    for (const PathSummary::Reached& one : paths.reached) {
        const bool same = last != nullptr && last->with == one.with;
        if (last != nullptr && !same) text += " " + last->with + (last->forced ? " (forced)" : "");
        text += (last == nullptr ? ": " : same ? ", " : "; ") + reached_text(one);
        last = &one;
    }
    if (last != nullptr) text += " " + last->with + (last->forced ? " (forced)" : "");
    return text + "\n";
}

std::string count_text(const Result& result) {
    std::string text = schedules_text(result.schedules);
    if (result.checked)
        text += check::count_text(result.findings, result.suppressed, result.explanations) + "\n";
    for (const std::string& source : result.unrecorded)
        text += "note: scalar accesses of " + source +
                " were not recorded, so races and caches were checked without them: build it with "
                "--report-accesses\n";
    text += paths_text(result.paths) + result.scope.text();
    for (const std::string& line : result.unused_suppressions)
        text += "note: nothing was suppressed by: " + line + "\n";
    return text;
}

std::string goldens_text(const Result& result, bool equal) {
    std::string text;
    for (const GoldenResult& golden : result.goldens)
        if (golden.comparison.equal == equal)
            text += (equal ? "" : "error: ") + to_text(golden.spec, golden.comparison) +
                    (equal ? "" : " [R01]") + "\n";
    return text;
}

void write_findings(const Result& result, const SessionOptions& options, std::ostream& documents,
                    const std::string& kernel) {
    Json properties;
    if (result.scope.runs > 0) properties["scope"] = result.scope.summary();
    if (!result.notes.empty()) properties["notes"] = result.notes;
    if (!result.unrecorded.empty()) properties["unrecorded"] = result.unrecorded;
    std::vector<Diagnostic> listed = result.findings;
    // In text they are separate lines after the findings.
    if (options.format != "text" || !options.report.empty())
        for (const GoldenResult& golden : result.goldens) {
            if (golden.comparison.equal) continue;
            Diagnostic d;
            d.code = "R01";
            d.category = Category::kInput;
            d.message = to_text(golden.spec, golden.comparison);
            listed.push_back(std::move(d));
        }
    check::write_findings(listed, options.format, options.report, documents, kernel,
                          properties.empty() ? nullptr : &properties, result.explanations);
}

void write_json(const Result& result, const SessionOptions& options) {
    if (!options.json.empty()) write_result(options.json, to_json(result));
}

void write_result(const std::string& path, const std::string& text) {
    if (path == "-")
        std::cout << text;
    else
        write_file(path, text);
}

}  // namespace ptosim
