#include "sim/session/result.h"

#include <algorithm>
#include <numeric>

#include "sim/check/findings_output.h"
#include "sim/files/json.h"
#include "traces/write/advice_json.h"

namespace ptosim {
namespace {

// The cube computes other types than those of 16 bits at a rate, and at an energy, by the square of their bits.
uint64_t multiply_adds_of_16_bits(const Work& work) {
    uint64_t sum = 0;
    for (size_t type = 0; type < work.products.size(); ++type) {
        const uint64_t width = bits(static_cast<DType>(type));
        sum += work.products[type] * width * width / 256;
    }
    return sum;
}

Json buffers_json(const WorkSummary& summary) {
    Json json = Json::object();
    for (size_t space = 0; space < kSpaceCount; ++space)
        if (summary.work.used_bytes[space] > 0)
            json[std::string(name(static_cast<Space>(space)))] = {{"used", summary.work.used_bytes[space]},
                                                                  {"bytes", summary.buffer_bytes[space]},
                                                                  {"moved", summary.work.moved_bytes[space]}};
    return json;
}

Json memory_json(const WorkSummary& work) {
    const MemoryCounts& counts = work.memory;
    return {{"hbm_bytes", counts.behind_l2},
            {"hbm_cycles", work.hbm_cycles},
            {"l2_read_cycles", work.l2_read_cycles},
            {"l2_write_cycles", work.l2_write_cycles},
            {"reads", counts.reads},
            {"met_reads", counts.met},
            {"met_cycles", counts.met_cycles},
            {"shared_cycles", counts.shared_cycles}};
}

Json work_json(const WorkSummary& work) {
    Json json{{"flops", work.flops},
            {"global_read_bytes", work.global_read_bytes},
            {"global_write_bytes", work.global_write_bytes},
            {"compute_cycles", work.compute_cycles},
            {"bandwidth_cycles", work.bandwidth_cycles},
            {"occupancy_cycles", work.occupancy_cycles},
            {"multiply_adds_of_16_bits", multiply_adds_of_16_bits(work.work)},
            {"vector_bytes", work.work.vector_bytes},
            {"buffers", buffers_json(work)},
            {"memory", memory_json(work)}};
    if (work.links.sent_bytes > 0)
        json["links"] = Json{{"sent_bytes", work.links.sent_bytes}, {"busiest_cycles", work.links.busiest()}};
    return json;
}

Json launches_json(const Result& result) {
    Json list = Json::array();
    for (const LaunchSummary& launch : result.launches)
        list.push_back({{"kernel", launch.kernel},
                        {"blocks", launch.blocks},
                        {"begin", launch.begin},
                        {"cycles", launch.cycles},
                        {"time_us", microseconds(launch.cycles, result.clock_hz)},
                        {"instructions", launch.instructions}});
    return list;
}

Json paths_json(const PathSummary& paths) {
    Json reached = Json::array();
    for (const PathSummary::Reached& one : paths.reached)
        reached.push_back({{"file", one.file},
                           {"line", one.line},
                           {"what", one.what},
                           {"run", one.with},
                           {"forced", one.forced}});
    return {{"runs", paths.runs},
            {"most_runs", paths.budget.runs},
            {"instructions", paths.instructions},
            {"most_instructions", paths.budget.instructions},
            {"used_up", paths.used_up},
            {"reached", std::move(reached)}};
}

Json outputs_json(const Result& result) {
    Json list = Json::array();
    for (const OutputSummary& output : result.outputs)
        list.push_back(
            {{"parameter", output.parameter}, {"file", output.file}, {"sha256", output.sha256}});
    return list;
}

}  // namespace

double microseconds(Cycle cycles, uint64_t clock_hz) {
    return static_cast<double>(cycles) * 1e6 / static_cast<double>(clock_hz);
}

void Result::add_note(std::string text) {
    if (std::find(notes.begin(), notes.end(), text) == notes.end())
        notes.push_back(std::move(text));
}

uint64_t Result::instructions() const {
    return std::accumulate(
        launches.begin(), launches.end(), uint64_t{0},
        [](uint64_t sum, const LaunchSummary& launch) { return sum + launch.instructions; });
}

bool Result::finished() const {
    return std::all_of(launches.begin(), launches.end(),
                       [](const LaunchSummary& launch) { return launch.finished; });
}

bool Result::unusable() const {
    return std::any_of(findings.begin(), findings.end(), [](const Diagnostic& d) {
        return d.category == Category::kIllegal || d.category == Category::kUnsupported ||
               d.category == Category::kInput;
    });
}

bool Result::goldens_equal() const {
    return std::all_of(goldens.begin(), goldens.end(),
                       [](const GoldenResult& golden) { return golden.comparison.equal; });
}

Json as_json(const Result& result) {
    Json json;
    json["chip"] = result.chip;
    json["kernel"] = result.launches.empty() ? "" : result.launches.front().kernel;
    json["cycles"] = result.cycles;
    json["time_us"] = microseconds(result.cycles, result.clock_hz);
    json["task_us"] = microseconds(result.task_cycles, result.clock_hz);
    if (result.basis.all() != 0) json["time_basis"] = basis_json(result.basis);
    if (result.task_basis.all() != 0) json["task_basis"] = basis_json(result.task_basis);
    if (const std::optional<Skipped>& skipped = result.accounting.skipped)
        json["sampled"] = {{"simulated_cycles", result.cycles - skipped->cycles},
                           {"skipped_cycles", skipped->cycles},
                           {"deviation_cycles", skipped->deviation},
                           {"stretches", skipped->stretches},
                           {"skipped_instructions", skipped->instructions}};
    json["assumed"] = result.assumed;
    json["instructions"] = result.instructions();
    if (result.program) json["launches"] = launches_json(result);
    json["work"] = work_json(result.work);
    json["cores"] = cores_json(result.accounting);
    if (result.advice) json["advice"] = advice_json(*result.advice, result.accounting.duration());
    json["diagnostics"] = Json::array();
    for (const Diagnostic& d : result.findings)
        json["diagnostics"].push_back(check::as_json(d, result.explanations));
    for (const Diagnostic& d : result.warnings) json["warnings"].push_back(check::as_json(d));
    if (!result.unrecorded.empty()) json["unrecorded"] = result.unrecorded;
    if (result.scope.runs > 0) json["scope"] = result.scope.summary();
    if (result.schedules.schedules > 0)
        json["schedules"] = {{"run", result.schedules.schedules},
                             {"differ", result.schedules.differ}};
    if (result.paths.budget.runs > 0) json["paths"] = paths_json(result.paths);
    json["outputs"] = outputs_json(result);
    json["host"] = {
        {"seconds", result.seconds},
        {"processor_seconds", result.processor_seconds},  // of all threads
        {"instructions_per_second",
         result.seconds > 0 ? static_cast<double>(result.instructions()) / result.seconds : 0.0}};
    return json;
}

std::string to_json(const Result& result) { return dump_json(as_json(result), 2) + "\n"; }

ExitCode exit_code(const Result& result) {
    if (result.unusable()) return kInputUnusable;
    return result.finished() && result.findings.empty() && result.goldens_equal() ? kOk
                                                                                  : kKernelWrong;
}

}  // namespace ptosim
