// report.md: the analysis of a run under fixed headings.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "traces/write/report.h"

#include "traces/analyse/labels.h"
#include "traces/analyse/wait_groups.h"
#include "traces/write/data_text.h"
#include "traces/write/summary.h"

namespace ptosim {

namespace {

constexpr size_t kLinesShown = 30;
constexpr size_t kStepsShown = 40;
constexpr size_t kSitesShown = 20;
constexpr size_t kGroupsShown = 3;  // of cores of a type that did the same

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
    bool operator==(const Kinds&) const = default;
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

class Markdown {
 public:
    Markdown(const Recording& recording, const Analysis& analysis)
        : r_{recording}, a_{analysis}, whole_{analysis.accounting.duration()} {}

    std::string text() {
        head();
        advice();
        totals();
        pipes();
        waits();
        lines();
        instructions();
        threads();
        traffic();
        roofline();
        buffers();
        critical_path();
        savings();
        findings();
        data();
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
                "\n**Ended early:** the run stopped before everything had finished; all times are up to that point.\n";
    }
    void advice() {
        heading("What to change");
        text_ += row({"saves", "%", "method", "what", "where", "source"}) +
                 "|--:|--:|---|---|---|---|\n";
        for (const Advice& a : a_.advice)
            text_ +=
                row({cycles(a.saving), percent(a.saving, whole_), std::string(estimate(a)),
                     a.what + (a.why.empty() ? "" : ". " + a.why), a.location,
                     a.text.empty() ? "" : "`" + a.text + "`"});
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

    // The table of the warps' time.
    void threads() {
        if (r_.threads.empty()) return;
        heading("Threads");
        text_ +=
            "Cycles of all warps by state, in the words of profilers of GPUs: " + states_text() +
            ". Lines: of 128 bytes, of an access of global memory by a warp, and how many its "
            "bytes need. Passes: of the "
            "banks of UB, of an access.\n\n";
        text_ += row({"where", "blocks", "warps", "cycles", "issues", "waits most for",
                      "lines (least)", "hits", "passes"});
        text_ += "|---|--:|--:|--:|--:|---|--:|--:|--:|\n";
        for (const ThreadRecord& t : r_.threads) {
            const ThreadReport& r = t.report;
            const uint64_t all = std::max<uint64_t>(
                1, std::accumulate(r.states.begin(), r.states.end(), uint64_t{0}));
            const auto most = std::max_element(r.states.begin() + 1, r.states.end());
            text_ +=
                row({t.at.line == 0 ? a_.accounting.kernel : r_.sources.text(t.at),
                     cycles(r.blocks), cycles(r.warps / std::max<uint64_t>(1, r.blocks)),
                     cycles(r.cycles / std::max<uint64_t>(1, r.blocks)), percent(r.states[0], all),
                     std::string(name(static_cast<ThreadState>(most - r.states.begin()))) + " " +
                         percent(*most, all),
                     r.global == 0 ? ""
                                   : decimal_text(r.lines, r.global, 1) + " (" +
                                         decimal_text(r.least_lines, r.global, 1) + ")",
                     r.lines == 0 ? "" : percent(r.lines - std::min(r.lines, r.missed), r.lines),
                     r.local == 0 ? "" : decimal_text(r.passes, r.local, 1)});
        }
    }
    static std::string states_text() {
        std::string text;
        for (unsigned i = 0; i < kThreadStates; ++i)
            text += (i == 0 ? "" : ", ") + std::string(name(static_cast<ThreadState>(i)));
        return text;
    }

    // Columns of a row: the same for several cores, or their mean.
    struct PipeRow {
        Cycle busy = 0, idle = 0;
        Kinds kinds;
        uint64_t instructions = 0;
        bool operator==(const PipeRow&) const = default;
    };
    static PipeRow pipe_row(const PipeAccount& p) {
        return {p.busy, p.idle, kinds_of(p), p.instructions};
    }
    using Cores = std::vector<const CoreAccount*>;
    // Cores of a type that have shared in the run in the same way.
    std::vector<Cores> alike(CoreType type) const {
        std::vector<Cores> groups;
        const auto same = [](const CoreAccount& a, const CoreAccount& b) {
            for (unsigned i = 0; i < kPipeCount; ++i)
                if (!(pipe_row(a.pipes[i]) == pipe_row(b.pipes[i]))) return false;
            return true;
        };
        for (const CoreAccount& core : a_.accounting.cores) {
            if (core.core.type != type) continue;
            const auto group = std::find_if(groups.begin(), groups.end(),
                                            [&](const Cores& g) { return same(*g.front(), core); });
            if (group == groups.end())
                groups.push_back({&core});
            else
                group->push_back(&core);
        }
        return groups;
    }
    // The columns add up to the run: what rounding leaves is idle.
    PipeRow mean(const Cores& cores, unsigned pipe) const {
        PipeRow sum;
        for (const CoreAccount* core : cores) {
            const PipeRow row = pipe_row(core->pipes[pipe]);
            sum.busy += row.busy;
            sum.kinds.data += row.kinds.data;
            sum.kinds.flag += row.kinds.flag;
            sum.kinds.queue += row.kinds.queue;
            sum.kinds.other += row.kinds.other;
            sum.instructions += row.instructions;
        }
        for (Cycle* part : {&sum.busy, &sum.kinds.data, &sum.kinds.flag, &sum.kinds.queue,
                            &sum.kinds.other, &sum.instructions})
            *part /= cores.size();
        sum.idle = whole_ - std::min(whole_, sum.busy + sum.kinds.data + sum.kinds.flag +
                                                 sum.kinds.queue + sum.kinds.other);
        return sum;
    }
    void pipe_rows(const std::string& who, const Cores& cores) {
        for (unsigned i = 0; i < kPipeCount; ++i) {
            if (std::none_of(cores.begin(), cores.end(), [i](const CoreAccount* core) {
                    return core->shows(static_cast<Pipe>(i));
                }))
                continue;
            const PipeRow r = mean(cores, i);
            const auto [least, most] = std::minmax_element(
                cores.begin(), cores.end(), [i](const CoreAccount* a, const CoreAccount* b) {
                    return a->pipes[i].busy < b->pipes[i].busy;
                });
            const Cycle low = (*least)->pipes[i].busy, high = (*most)->pipes[i].busy;
            text_ += row({who, std::string(name(static_cast<Pipe>(i))), cycles(r.busy),
                          cycles(r.kinds.data), cycles(r.kinds.flag), cycles(r.kinds.queue),
                          cycles(r.kinds.other), cycles(r.idle),
                          percent(r.busy, whole_) +
                              (low == high ? std::string()
                                           : " (" + decimal_text(100 * low, whole_, 1) + " to " +
                                                 decimal_text(100 * high, whole_, 1) + ")"),
                          std::to_string(r.instructions)});
        }
    }
    void pipes() {
        heading("Cores and pipes");
        text_ +=
            "Cycles; the columns of a row add up to the run. Data: earlier bytes, a barrier, or too many in flight. "
            "Flag: a flag or a signal of another core. Other: the kernel has ended, but its pipes still work. "
            "Identical cores share their rows; if there are many different cores, the table shows the mean (minimum to "
            "maximum) and the core that ended last.\n\n";
        text_ += row({"core", "pipe", "busy", "wait: data", "wait: flag", "wait: queue full",
                      "wait: other", "idle", "busy %", "instructions"});
        text_ += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        for (const CoreType type : {CoreType::kAIC, CoreType::kAIV}) {
            const std::vector<Cores> groups = alike(type);
            if (groups.size() <= kGroupsShown) {
                for (const Cores& group : groups) pipe_rows(core_names(group), group);
                continue;
            }
            Cores all;
            for (const Cores& group : groups) all.insert(all.end(), group.begin(), group.end());
            pipe_rows("mean of " + std::to_string(all.size()) + " " + std::string(name(type)) + "s",
                      all);
            const auto last = std::max_element(
                all.begin(), all.end(),
                [](const auto* a, const auto* b) { return a->finished < b->finished; });
            pipe_rows(name((*last)->core), {*last});
        }
    }
    // "AIC00 to AIC03, AIC07"
    static std::string core_names(const Cores& cores) {
        std::string text;
        for (size_t first = 0, next = 0; first < cores.size(); first = next) {
            next = first + 1;
            while (next < cores.size() &&
                   cores[next]->core.index == cores[next - 1]->core.index + 1)
                ++next;
            text += (text.empty() ? "" : ", ") + name(cores[first]->core);
            if (next - first > 1) text += " to " + name(cores[next - 1]->core);
        }
        return text;
    }

    void waits() {
        heading("Waits");
        text_ += "By cause; cycles are the mean of the cores that wait for it.\n\n" +
                 row({"pipe", "cores", "cycles", "% of run", "times", "waits for", "at"}) +
                 "|---|--:|--:|--:|--:|---|---|\n";
        const std::vector<WaitGroup> groups = wait_groups(a_.accounting);
        for (size_t i = 0; i < std::min(kSitesShown, groups.size()); ++i) {
            const WaitGroup& g = groups[i];
            WaitCause cause = g.site->cause;
            if (g.other_cores) cause.released_core = kNoCore;
            text_ += row({std::string(name(g.type)) + "/" + std::string(name(g.pipe)),
                          std::to_string(g.cores), cycles(g.cycles / g.cores),
                          percent(g.cycles / g.cores, whole_), std::to_string(g.times),
                          long_text(cause, g.site->release_text()) + (g.open ? ", never released" : ""),
                          g.site->waiter_text()});
        }
        if (groups.size() > kSitesShown)
            text_ += "\n" + std::to_string(groups.size() - kSitesShown) +
                     " more causes are in report.json.\n";
    }

    void costs(const std::vector<Hotspot>& list, const char* first, const char* second, bool code) {
        text_ += row({first, second, "instructions", "busy", "wait", "critical path", "critical %",
                      "bytes"}) +
                 "|---|---|--:|--:|--:|--:|--:|--:|\n";
        for (size_t i = 0; i < std::min(kLinesShown, list.size()); ++i) {
            const Hotspot& c = list[i];
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
        text_ += "Busy and wait are summed over all cores; the critical path is that of the run.\n\n";
        costs(a_.lines, "line", "source", true);
        const std::vector<Hotspot> origins = by_origin(a_.lines);
        if (origins.empty()) return;
        text_ += "\nThe same by the lines that these were generated from:\n\n";
        costs(origins, "line", "made into", false);
    }
    // Lines of the program that the kernel's text was made from.
    static std::vector<Hotspot> by_origin(const std::vector<Hotspot>& lines) {
        std::map<std::string, Hotspot> sums;
        for (const Hotspot& line : lines) {
            if (line.origin.empty()) continue;
            Hotspot& sum = sums[line.origin];
            sum.name = line.origin;
            sum.text += (sum.text.empty() ? "" : ", ") + line.name;
            sum.instructions += line.instructions;
            sum.busy += line.busy;
            sum.wait += line.wait;
            sum.critical += line.critical;
            sum.bytes += line.bytes;
        }
        std::vector<Hotspot> result;
        for (auto& [name, sum] : sums) result.push_back(std::move(sum));
        std::stable_sort(result.begin(), result.end(), [](const Hotspot& a, const Hotspot& b) {
            return std::tie(b.busy, b.critical, b.wait) < std::tie(a.busy, a.critical, a.wait);
        });
        return result;
    }
    void instructions() {
        heading("Time by instruction");
        costs(a_.opcodes, "instruction", "pipe", false);
        if (a_.calls.empty()) return;
        text_ += "\nThe same by the library calls that issue them:\n\n";
        costs(a_.calls, "call", "pipe", false);
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
            text_ += row({"roof of L2: its bandwidth to the cores that read (GB/s)",
                          decimal_text(r.bandwidth_per_second, 1'000'000'000, 1)});
        if (r.hbm_per_second > 0)
            text_ += row({"roof of HBM: its bandwidth to the cores that read (GB/s)",
                          decimal_text(r.hbm_per_second, 1'000'000'000, 1)});
        if (r.hbm_bytes > 0)
            text_ += row({"operations per byte that was read from HBM",
                          decimal_text(r.operations(), r.hbm_bytes, 2)});
        if (r.hbm_bytes > 0) {
            text_ += row({"bytes read from HBM for the first time",
                          std::to_string(r.hbm_bytes - r.hbm_again_bytes)});
            text_ += row({"bytes read from HBM again after L2 had dropped them",
                          std::to_string(r.hbm_again_bytes)});
        }
        if (r.least.compute > 0)
            text_ += row({"minimum cycles for the products, with all cubes of the chip at their peak",
                          cycles(r.least.compute)});
        if (r.least.bandwidth > 0)
            text_ += row(
                {"minimum cycles for the bytes, at the rates of L2 and HBM for all cores together",
                 cycles(r.least.bandwidth)});
        if (!r.bound.empty())
            text_ += row({"limiting roof",
                          r.roof == "peak" ? "the units' peak" : "the bandwidth of " + r.roof});
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
        if (r_.program) {
            text_ +=
                "For a program of many kernels, see What to change, and program.md. Its instructions are not replayed, "
                "because executors that wait for tasks are among them.\n";
            return;
        }
        text_ +=
            "The run is replayed with one cost removed. Every order is kept, and everything else takes as long as "
            "before. If pipes share memory, removing the load of one would also speed up the others; this is not "
            "counted.\n\n";
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

    void data() {
        heading("Data");
        for (const MismatchRecord& m : r_.mismatches) text_ += "- " + mismatch_text(r_, m) + "\n";
        if (!r_.mismatches.empty()) text_ += "\n";
        const DataSummary summary = data_summary(r_);
        if (summary.operands == 0) {
            text_ += "No tiles were kept (`--keep-data`).\n";
            return;
        }
        text_ += "Kept: " + std::to_string(summary.operands) + " operands of " +
                 std::to_string(summary.instructions) + " instructions, " +
                 std::to_string(r_.tiles.size()) + " different tiles, " +
                 std::to_string(summary.tile_bytes) + " bytes";
        if (summary.without_values > 0)
            text_ += "; of " + std::to_string(summary.without_values) +
                     " operands only minimum and maximum";
        text_ += ". `ptosim report DIR --data LINE` prints them.\n";
        odd("NaN", summary.nan);
        odd("infinity", summary.infinity);
    }
    void odd(const std::string& what, const std::optional<FirstOdd>& first) {
        text_ += "\n" + (first ? "The first " + what + " that is not read: " +
                                     instruction_text(r_, *first->instruction) + " writes " +
                                     facts_text(r_, *first->operand) + ".\n"
                               : "No instruction makes " + what + ".\n");
    }

    void assumptions() {
        heading("Assumed");
        if (a_.basis.all() != 0)
            text_ += "The time rests on " + basis_text(a_.basis) + " (grades: docs/models.md)" +
                     (a_.basis.range == 0
                          ? std::string()
                          : "; four of five such times are within " + range_text(a_.basis)) +
                     ".\n\n";
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

}  // namespace

std::string report_markdown(const Recording& recording, const Analysis& analysis) {
    return Markdown(recording, analysis).text();
}

}  // namespace ptosim
