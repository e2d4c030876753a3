// report.md and report.json: the analysis of a run under fixed headings.
#include <algorithm>

#include "isa/instruction_table.h"
#include "traces/analysis.h"
#include "traces/labels.h"
#include "traces/summary.h"

namespace ptosim {

namespace {

constexpr size_t kLinesShown = 30;
constexpr ptrdiff_t kMostSteps = 2500;  // that report.json tells one by one
constexpr size_t kStepsShown = 40;
constexpr size_t kSitesShown = 20;

using Json = nlohmann::ordered_json;

std::string percent(Cycle part, Cycle whole) { return decimal_text(100 * part, whole, 1) + " %"; }

std::string row(std::initializer_list<std::string> cells) {
    std::string text = "|";
    for (std::string cell : cells) {
        for (size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2)
            cell.insert(at, "\\");
        text += " " + cell + " |";
    }
    return text + "\n";
}

std::string cycles(uint64_t value) { return std::to_string(value); }

// Waiting by kind, in the order of the columns.
struct Kinds {
    Cycle data = 0, flag = 0, queue = 0, other = 0;
};
Kinds kinds_of(const PipeAccount& account) {
    Kinds kinds;
    for (unsigned reason = 0; reason < kBlockReasonCount; ++reason) {
        const std::string_view kind = wait_kind(static_cast<BlockReason>(reason));
        (kind == "data"         ? kinds.data
         : kind == "flag"       ? kinds.flag
         : kind == "queue full" ? kinds.queue
                                : kinds.other) += account.waits[reason];
    }
    return kinds;
}

struct SiteOf {
    const CoreAccount* core;
    Pipe pipe;
    const WaitSite* site;
};
std::vector<SiteOf> worst_sites(const Accounting& accounting, size_t most) {
    std::vector<SiteOf> sites;
    for (const CoreAccount& core : accounting.cores)
        for (unsigned pipe = 0; pipe < kPipeCount; ++pipe)
            for (const WaitSite& site : core.pipes[pipe].sites)
                sites.push_back({&core, static_cast<Pipe>(pipe), &site});
    std::stable_sort(sites.begin(), sites.end(), [](const SiteOf& a, const SiteOf& b) {
        return a.site->cycles > b.site->cycles;
    });
    sites.resize(std::min(most, sites.size()));
    return sites;
}

class Markdown {
 public:
    Markdown(const Recording& recording, const Analysis& analysis)
        : r_{recording}, a_{analysis}, whole_{analysis.accounting.duration()} {}

    std::string text() {
        head();
        totals();
        pipes();
        waits();
        lines();
        instructions();
        traffic();
        roofline();
        buffers();
        critical_path();
        savings();
        findings();
        assumptions();
        return std::move(text_);
    }

 private:
    void head() {
        text_ += "# " + a_.accounting.kernel + " on " + a_.accounting.chip + "\n\n";
        text_ += "**Bottleneck:** " + a_.bottleneck + "\n";
        for (const std::string& gap : r_.gaps) text_ += "\n**Incomplete:** " + gap + ".\n";
        if (a_.accounting.ended_early)
            text_ +=
                "\n**Ended early:** the run stopped with something still open; all times are up "
                "to there.\n";
    }
    void heading(const char* title) { text_ += "\n## " + std::string(title) + "\n\n"; }

    void totals() {
        heading("Totals");
        const Accounting& acc = a_.accounting;
        uint64_t unfinished = 0;
        for (const CoreAccount& core : acc.cores) unfinished += core.unfinished;
        text_ += row({"what", "value"}) + "|---|---|\n";
        text_ += row({"cycles", cycles(whole_)});
        text_ += row({"time (us)", micros_text(picoseconds(whole_, acc.clock_hz))});
        text_ += row({"clock (Hz)", std::to_string(acc.clock_hz)});
        text_ += row({"launches", std::to_string(acc.launches)});
        text_ += row({"blocks", std::to_string(acc.blocks)});
        text_ += row({"cores", std::to_string(acc.cores.size())});
        text_ += row({"instructions", std::to_string(acc.instructions())});
        text_ += row({"instructions that did not complete", std::to_string(unfinished)});
        text_ += row({"findings", std::to_string(acc.diagnostics)});
    }

    void pipes() {
        heading("Cores and pipes");
        text_ +=
            "Cycles; the columns of a row add up to the run. Data: earlier bytes, a barrier, or "
            "too many in flight. Flag: a flag or a signal of another core. Other: the kernel has "
            "ended and its pipes still work.\n\n";
        text_ += row({"core", "pipe", "busy", "wait: data", "wait: flag", "wait: queue full",
                      "wait: other", "idle", "busy %", "instructions"});
        text_ += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        for (const CoreAccount& core : a_.accounting.cores)
            for (unsigned i = 0; i < kPipeCount; ++i) {
                if (!core.shows(static_cast<Pipe>(i))) continue;
                const PipeAccount& p = core.pipes[i];
                const Kinds k = kinds_of(p);
                text_ +=
                    row({name(core.core), std::string(name(static_cast<Pipe>(i))), cycles(p.busy),
                         cycles(k.data), cycles(k.flag), cycles(k.queue), cycles(k.other),
                         cycles(p.idle), percent(p.busy, whole_), std::to_string(p.instructions)});
            }
    }

    void waits() {
        heading("Waits");
        text_ += row({"core/pipe", "cycles", "% of run", "times", "waits for", "at"}) +
                 "|---|--:|--:|--:|---|---|\n";
        for (const SiteOf& s : worst_sites(a_.accounting, kSitesShown))
            text_ +=
                row({name(s.core->core) + "/" + std::string(name(s.pipe)), cycles(s.site->cycles),
                     percent(s.site->cycles, whole_), std::to_string(s.site->count),
                     long_text(s.site->cause, s.site->release) +
                         (s.site->open ? ", never released" : ""),
                     s.site->waiter});
    }

    void costs(const std::vector<Cost>& list, const char* first, const char* second, bool code) {
        text_ += row({first, second, "instructions", "busy", "wait", "critical path", "critical %",
                      "bytes"}) +
                 "|---|---|--:|--:|--:|--:|--:|--:|\n";
        for (size_t i = 0; i < std::min(kLinesShown, list.size()); ++i) {
            const Cost& c = list[i];
            std::string what = c.text;
            what.erase(0, what.find_first_not_of(" \t"));
            if (what.size() > 80) what = what.substr(0, 77) + "...";
            std::replace(what.begin(), what.end(), '`', '\'');
            text_ +=
                row({c.name, code && !what.empty() ? "`" + what + "`" : what,
                     std::to_string(c.instructions), cycles(c.busy), cycles(c.wait),
                     cycles(c.critical), percent(c.critical, whole_), std::to_string(c.bytes)});
        }
        if (list.size() > kLinesShown)
            text_ +=
                "\n" + std::to_string(list.size() - kLinesShown) + " more are in report.json.\n";
    }
    void lines() {
        heading("Time by source line");
        text_ += "Busy and wait are summed over all cores; the critical path is of the run.\n\n";
        costs(a_.lines, "line", "source", true);
    }
    void instructions() {
        heading("Time by instruction");
        costs(a_.opcodes, "instruction", "pipe", false);
    }
    void traffic() {
        heading("Traffic");
        text_ += row({"path", "bytes", "bytes per cycle"}) + "|---|--:|--:|\n";
        for (const auto& [path, bytes] : a_.traffic)
            text_ += row({path, std::to_string(bytes), decimal_text(bytes, whole_, 1)});
    }
    void roofline() {
        heading("Roofline");
        const Roofline& r = a_.roofline;
        const uint64_t ps = picoseconds(whole_, a_.accounting.clock_hz);
        text_ += row({"what", "value"}) + "|---|---|\n";
        text_ += row({"cube operations", std::to_string(r.cube_operations)});
        text_ += row({"vector elements", std::to_string(r.vector_operations)});
        text_ += row({"bytes read from global memory", std::to_string(r.read_bytes)});
        text_ += row({"bytes written to it", std::to_string(r.written_bytes)});
        if (r.bytes() > 0)
            text_ += row({"arithmetic intensity (operations per byte)",
                          decimal_text(r.operations(), r.bytes(), 2)});
        if (ps > 0)  // operations per picosecond are tera-operations per second
            text_ += row({"reached (10^12 operations/s)", decimal_text(r.operations(), ps, 3)});
        if (r.peak_per_second > 0)
            text_ += row({"peak of " + r.peak_of + " (10^12 operations/s)",
                          decimal_text(r.peak_per_second, 1'000'000'000'000, 3)});
        if (r.bandwidth_per_second > 0)
            text_ += row({"bandwidth of global memory (GB/s)",
                          decimal_text(r.bandwidth_per_second, 1'000'000'000, 1)});
        if (r.least.compute > 0)
            text_ += row({"least cycles for the products, all cubes of the chip at their peak",
                          cycles(r.least.compute)});
        if (r.least.bandwidth > 0)
            text_ += row({"least cycles for the bytes, at the rates of all cores together",
                          cycles(r.least.bandwidth)});
        if (!r.bound.empty())
            text_ += row({"roof above it",
                          r.bound == "memory" ? "the memory's bandwidth" : "the units' peak"});
    }
    void buffers() {
        heading("Buffers");
        text_ +=
            "Highest byte touched, and most bytes live (from their first write to their last "
            "read) on one core.\n\n";
        text_ += row({"memory", "capacity", "high-water mark", "%", "most live", "%", "on"}) +
                 "|---|--:|--:|--:|--:|--:|---|\n";
        for (const BufferUse& b : a_.buffers)
            text_ +=
                row({std::string(name(b.space)), std::to_string(b.capacity), std::to_string(b.top),
                     b.capacity > 0 ? percent(b.top, b.capacity) : "", std::to_string(b.live),
                     b.capacity > 0 ? percent(b.live, b.capacity) : "", b.core});
    }
    void critical_path() {
        heading("Critical path");
        Cycle sum = 0;
        for (Cycle c : a_.path_spent) sum += c;
        text_ += std::to_string(a_.path.size()) + " steps, " + cycles(sum) + " of " +
                 cycles(whole_) + " cycles" + (sum == whole_ ? " (exact)" : " (INCOMPLETE)") +
                 ".\n\n";
        text_ += row({"spent on", "cycles", "%"}) + "|---|--:|--:|\n";
        for (unsigned i = 0; i < a_.path_spent.size(); ++i)
            if (a_.path_spent[i] > 0)
                text_ += row({std::string(name(static_cast<Spent>(i))), cycles(a_.path_spent[i]),
                              percent(a_.path_spent[i], whole_)});
        std::vector<const Dependencies::Step*> longest;
        for (const Dependencies::Step& step : a_.path) longest.push_back(&step);
        std::stable_sort(longest.begin(), longest.end(), [](const auto* a, const auto* b) {
            return a->end - a->begin > b->end - b->begin;
        });
        longest.resize(std::min(kStepsShown, longest.size()));
        std::sort(longest.begin(), longest.end(),
                  [](const auto* a, const auto* b) { return a->begin < b->begin; });
        text_ += "\nIts longest steps, in order of time:\n\n" +
                 row({"from", "cycles", "%", "step"}) + "|--:|--:|--:|---|\n";
        for (const Dependencies::Step* step : longest)
            text_ += row({cycles(step->begin), cycles(step->end - step->begin),
                          percent(step->end - step->begin, whole_), step_text(r_, *step)});
    }
    void savings() {
        heading("What would save time");
        text_ +=
            "The run replayed with one thing made free and every order kept: at most so much "
            "can be saved there.\n\n";
        text_ += row({"change", "cycles saved", "%"}) + "|---|--:|--:|\n";
        for (const Saving& saving : a_.savings)
            text_ += row({saving.what, cycles(saving.cycles), percent(saving.cycles, whole_)});
    }
    void findings() {
        heading("Findings");
        if (r_.diagnostics.empty()) text_ += "None.\n";
        for (const Diagnostic& d : r_.diagnostics) {
            text_ += "- " + d.code + " (" + std::string(name(d.category)) + ")";
            if (!d.file.empty()) text_ += " " + d.file + ":" + std::to_string(d.location.line);
            text_ += ": " + d.message + "\n";
        }
    }

    void assumptions() {
        heading("Assumed");
        text_ += r_.assumed.empty()
                     ? "The times rest on no figure of the chip that is only assumed.\n"
                     : "The times rest on figures of the chip that are only assumed:\n\n";
        for (const std::string& path : r_.assumed) text_ += "- `" + path + "`\n";
    }

    const Recording& r_;
    const Analysis& a_;
    const Cycle whole_;
    std::string text_;
};

Json costs_json(const std::vector<Cost>& costs, const char* text) {
    Json list = Json::array();
    for (const Cost& c : costs)
        list.push_back({{"name", c.name},
                        {text, c.text},
                        {"instructions", c.instructions},
                        {"busy", c.busy},
                        {"wait", c.wait},
                        {"critical", c.critical},
                        {"bytes", c.bytes}});
    return list;
}

Json waits_json(const Accounting& accounting) {
    Json list = Json::array();
    for (const SiteOf& s : worst_sites(accounting, SIZE_MAX))
        list.push_back({{"lane", name(s.core->core)},
                        {"pipe", name(s.pipe)},
                        {"reason", name(s.site->cause.reason)},
                        {"for", short_text(s.site->cause)},
                        {"set_at", s.site->release},
                        {"at", s.site->waiter},
                        {"cycles", s.site->cycles},
                        {"count", s.site->count},
                        {"released", !s.site->open}});
    return list;
}

Json step_json(const Recording& recording, const Dependencies::Step& step) {
    Json json{{"begin", step.begin}, {"end", step.end}, {"spent", name(step.spent)}};
    if (step.instruction < 0) return json;
    const InstructionRecord& record = recording.instructions[static_cast<size_t>(step.instruction)];
    json["lane"] = name(recording.cores[record.core]);
    json["pipe"] = name(step.spent == Spent::kScalar ? Pipe::kS : record.pipe);
    json["instruction"] = info(record.opcode).name;
    json["line"] = recording.sources.text(record.location);
    return json;
}

// The longest steps, at most kMostSteps, and between them those that are left together.
Json steps_json(const Recording& recording, const std::vector<Dependencies::Step>& path) {
    Cycle longer_than = 0;
    if (path.size() > static_cast<size_t>(kMostSteps)) {
        std::vector<Cycle> lengths;
        for (const Dependencies::Step& step : path) lengths.push_back(step.end - step.begin);
        const auto at = lengths.end() - kMostSteps - 1;
        std::nth_element(lengths.begin(), at, lengths.end());
        longer_than = *at;
    }
    Json steps = Json::array();
    uint64_t together = 0;
    for (const Dependencies::Step& step : path) {
        if (step.end - step.begin > longer_than) {
            steps.push_back(step_json(recording, step));
            together = 0;
        } else if (together++ == 0) {
            steps.push_back(
                {{"begin", step.begin}, {"end", step.end}, {"spent", "several"}, {"steps", 1}});
        } else {
            steps.back()["end"] = step.end;
            steps.back()["steps"] = together;
        }
    }
    return steps;
}

Json path_json(const Recording& recording, const Analysis& a) {
    Json path;
    path["cycles"] = a.accounting.duration();
    Json& spent = path["spent"] = Json::object();
    for (unsigned i = 0; i < a.path_spent.size(); ++i)
        if (a.path_spent[i] > 0) spent[std::string(name(static_cast<Spent>(i)))] = a.path_spent[i];
    Json& lanes = path["lanes"] = Json::object();
    for (const auto& [lane, cycles] : a.path_lanes) lanes[lane] = cycles;
    path["steps"] = steps_json(recording, a.path);
    return path;
}

}  // namespace

std::string report_markdown(const Recording& recording, const Analysis& analysis) {
    return Markdown(recording, analysis).text();
}

nlohmann::ordered_json report_json(const Recording& recording, const Analysis& a) {
    const Accounting& acc = a.accounting;
    Json json;
    json["format"] = "ptosim report 1";
    json["bottleneck"] = a.bottleneck;
    json["chip"] = acc.chip;
    json["kernel"] = acc.kernel;
    json["clock_hz"] = acc.clock_hz;
    json["blocks"] = acc.blocks;
    json["launches"] = acc.launches;
    json["begin"] = acc.begin;
    json["ended_early"] = acc.ended_early;
    json["gaps"] = recording.gaps;
    json.update(result_json(acc));
    json["waits"] = waits_json(acc);
    json["lines"] = costs_json(a.lines, "source");
    json["by_instruction"] = costs_json(a.opcodes, "pipe");
    json["traffic"] = Json::object();
    for (const auto& [path, bytes] : a.traffic) json["traffic"][path] = bytes;
    const Roofline& r = a.roofline;
    json["roofline"] = {{"cube_operations", r.cube_operations},
                        {"vector_elements", r.vector_operations},
                        {"read_bytes", r.read_bytes},
                        {"written_bytes", r.written_bytes},
                        {"peak_per_second", r.peak_per_second},
                        {"peak_of", r.peak_of},
                        {"bandwidth_per_second", r.bandwidth_per_second},
                        {"bound", r.bound},
                        {"compute_cycles", r.least.compute},
                        {"bandwidth_cycles", r.least.bandwidth}};
    json["buffers"] = Json::array();
    for (const BufferUse& b : a.buffers)
        json["buffers"].push_back({{"memory", name(b.space)},
                                   {"capacity", b.capacity},
                                   {"high_water", b.top},
                                   {"live", b.live},
                                   {"lane", b.core}});
    json["critical_path"] = path_json(recording, a);
    json["savings"] = Json::array();
    for (const Saving& s : a.savings)
        json["savings"].push_back({{"change", s.what}, {"cycles", s.cycles}});
    json["findings"] = Json::array();
    for (const Diagnostic& d : recording.diagnostics)
        json["findings"].push_back({{"code", d.code},
                                    {"category", name(d.category)},
                                    {"file", d.file},
                                    {"line", d.location.line},
                                    {"core", d.core},
                                    {"pipe", d.pipe},
                                    {"message", d.message},
                                    {"count", d.count}});
    // Who waits for whom, if the run ended in a deadlock.
    for (const Diagnostic& d : recording.diagnostics)
        for (const WaitEdge& e : d.waits)
            json["deadlock"].push_back({{"waiter", e.waiter},
                                        {"holder", e.holder},
                                        {"what", e.what},
                                        {"file", e.file},
                                        {"line", e.line},
                                        {"in_cycle", e.in_cycle}});
    json["assumed"] = recording.assumed;
    json["outputs"] = Json::array();
    for (const OutputRecord& o : recording.outputs)
        json["outputs"].push_back(
            {{"parameter", o.parameter}, {"file", o.file}, {"sha256", o.sha256}});
    return json;
}

}  // namespace ptosim
