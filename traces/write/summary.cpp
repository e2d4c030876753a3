#include "traces/write/summary.h"

#include <algorithm>

#include "sim/files/json.h"
#include "traces/analyse/bottleneck.h"
#include "traces/analyse/labels.h"

namespace ptosim {

namespace {

constexpr size_t kCoresShownEach = 8;
constexpr size_t kAdviceShown = 3;

std::string left(std::string text, size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}
std::string right(const std::string& text, size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string percent_number(Cycle part, Cycle whole) { return decimal_text(100 * part, whole, 1); }

std::string micros(Cycle cycles, uint64_t clock_hz) {
    return decimal_text(picoseconds(cycles, clock_hz), 1'000'000, 3);
}

// min, mean and max of a share over cores.
struct Spread {
    Cycle least = kNever, most = 0, sum = 0;
    size_t count = 0;
    void add(Cycle value) {
        least = std::min(least, value);
        most = std::max(most, value);
        sum += value;
        ++count;
    }
    std::string text(Cycle whole) const {
        if (count == 0) return {};
        return right(percent_number(least, whole), 6) +
               right(percent_number(sum, whole * count), 7) + right(percent_number(most, whole), 7);
    }
};

std::string type_table(const Accounting& accounting, CoreType type) {
    std::array<Spread, kPipeCount> busy, wait, idle;
    std::array<uint64_t, kPipeCount> instructions{};
    Spread active;
    for (const CoreAccount& core : accounting.cores) {
        if (core.core.type != type) continue;
        active.add(core.active);
        for (unsigned i = 0; i < kPipeCount; ++i) {
            if (!core.shows(static_cast<Pipe>(i))) continue;
            busy[i].add(core.pipes[i].busy);
            wait[i].add(core.pipes[i].wait());
            idle[i].add(core.pipes[i].idle);
            instructions[i] += core.pipes[i].instructions;
        }
    }
    if (active.count == 0) return {};
    const Cycle whole = accounting.duration();
    std::string text = "\n" + std::string(name(type)) + ", " + std::to_string(active.count) +
                       (active.count == 1 ? " core" : " cores") +
                       ", % of the time   (util = any pipe but S is busy)\n"
                       "          busy   min   mean    max   wait   min   mean    max"
                       "   idle   min   mean    max  instructions\n"
                       "  util        " +
                       active.text(whole) + "\n";
    for (unsigned i = 0; i < kPipeCount; ++i) {
        if (busy[i].count == 0) continue;
        text += "  " + left(std::string(name(static_cast<Pipe>(i))), 12) + busy[i].text(whole) +
                "       " + wait[i].text(whole) + "       " + idle[i].text(whole) +
                right(std::to_string(instructions[i]), 14) + "\n";
    }
    return text;
}

// Rest of the line after the name of a core.
std::string core_table(const Accounting& accounting, const CoreAccount& core) {
    const Cycle whole = accounting.duration();
    std::string text = ": util " + percent_number(core.active, whole) + " %, " +
                       std::to_string(core.blocks) + (core.blocks == 1 ? " block" : " blocks") +
                       ", finished at cycle " +
                       std::to_string(core.finished - std::min(core.finished, accounting.begin)) +
                       "\n" + "  pipe   busy %  wait %  idle %  instructions  waits most for\n";
    for (unsigned i = 0; i < kPipeCount; ++i) {
        const Pipe pipe = static_cast<Pipe>(i);
        if (!core.shows(pipe)) continue;
        const PipeAccount& account = core.pipes[i];
        text += "  " + left(std::string(name(pipe)), 5) +
                right(percent_number(account.busy, whole), 8) +
                right(percent_number(account.wait(), whole), 8) +
                right(percent_number(account.idle, whole), 8) +
                right(std::to_string(account.instructions), 14);
        if (!account.sites.empty()) {
            const WaitSite& site = account.sites.front();
            text += "  " + long_text(site.cause, site.release_text()) + " (" +
                    percent_number(site.cycles, whole) + " %" +
                    (site.waiter.empty() ? "" : ", waits at " + site.waiter_text()) +
                    (site.open ? ", never released" : "") + ")";
        }
        text += "\n";
    }
    return text;
}

// Cores one after another that have done the same are shown once.
std::string core_tables(const Accounting& accounting) {
    const std::vector<CoreAccount>& cores = accounting.cores;
    std::string text;
    for (size_t first = 0, next = 0; first < cores.size(); first = next) {
        const std::string table = core_table(accounting, cores[first]);
        for (next = first + 1; next < cores.size(); ++next)
            if (cores[next].core.type != cores[first].core.type ||
                cores[next].core.index != cores[next - 1].core.index + 1 ||
                core_table(accounting, cores[next]) != table)
                break;
        text += "\n" + name(cores[first].core);
        if (next - first > 1) text += " to " + name(cores[next - 1].core) + ", each";
        text += table;
    }
    return text;
}

std::string kernel_text(const Accounting& accounting) {
    std::string text = "chip          " + accounting.chip + "\nkernel        " + accounting.kernel +
                       ", " + std::to_string(accounting.blocks) +
                       (accounting.blocks == 1 ? " block" : " blocks");
    if (accounting.launches > 1)
        text += " (first of " + std::to_string(accounting.launches) + " launches)";
    return text;
}

std::string counts_text(const Accounting& accounting) {
    uint64_t unfinished = 0;
    for (const CoreAccount& core : accounting.cores) unfinished += core.unfinished;
    std::string text = "\ninstructions  " + std::to_string(accounting.instructions());
    if (unfinished > 0) text += ", and " + std::to_string(unfinished) + " that did not complete";
    if (accounting.diagnostics > 0)
        text += "\nfindings      " + std::to_string(accounting.diagnostics);
    return text;
}

// Rounded to four digits, so that it prints as written.
double share(Cycle part, Cycle whole) {
    if (whole == 0) return 0.0;
    return static_cast<double>((10000 * part + whole / 2) / whole) / 10000.0;
}

}  // namespace

std::string skipped_text(const Accounting& accounting) {
    const Skipped& skipped = *accounting.skipped;
    if (skipped.stretches == 0) return "everything was simulated, because no long part of the run repeats itself";
    const Cycle whole = std::max<Cycle>(1, accounting.time());
    return std::to_string(skipped.cycles) + " cycles (" + std::to_string(skipped.cycles * 100 / whole) + " %) in " +
           std::to_string(skipped.stretches) + (skipped.stretches == 1 ? " stretch" : " stretches") +
           " of equal periods were not simulated; they may differ by " + std::to_string(skipped.deviation) +
           " cycles. What follows is of the simulated cycles.";
}

std::string task_text(const Accounting& accounting) {
    if (accounting.task <= accounting.time() || accounting.clock_hz == 0) return {};
    const std::string range = accounting.task_range.empty() ? "" : " " + accounting.task_range;
    return micros(accounting.task, accounting.clock_hz) + " us" + range + ", the time and the launch, as profilers count it";
}

std::string summary_text(const Accounting& accounting, std::span<const Advice> advice,
                         const TimeBasis& basis) {
    const uint64_t clock = accounting.clock_hz;
    std::string text = kernel_text(accounting);
    text += "\ntime          " + std::to_string(accounting.time()) +
            " cycles = " + micros(accounting.time(), clock) + " us";
    if (clock != 0) text += " at " + decimal_text(clock, 1'000'000'000, 3) + " GHz";
    if (basis.range != 0) text += ", " + range_text(basis);
    if (const std::string task = task_text(accounting); !task.empty()) text += "\ntask          " + task;
    if (accounting.skipped) text += "\nsampled       " + skipped_text(accounting);
    if (basis.all() != 0) text += "\nrests on      " + basis_text(basis);
    text += counts_text(accounting);
    if (accounting.ended_early) text += "\nended early   the times are up to where it stopped";
    text += "\nbottleneck    " + bottleneck_text(accounting, advice) + "\n";
    for (size_t i = 1; i < std::min(kAdviceShown, advice.size()); ++i)
        text += (i == 1 ? "then          " : "              ") +
                advice_text(advice[i], accounting.duration()) + "\n";

    text += type_table(accounting, CoreType::kAIC) + type_table(accounting, CoreType::kAIV);
    if (accounting.cores.size() <= kCoresShownEach) {
        text += core_tables(accounting);
    } else {
        const auto slowest = std::max_element(
            accounting.cores.begin(), accounting.cores.end(),
            [](const CoreAccount& a, const CoreAccount& b) { return a.finished < b.finished; });
        text += "\nThe slowest of the " + std::to_string(accounting.cores.size()) + " cores:\n" +
                name(slowest->core) + core_table(accounting, *slowest);
    }
    return text;
}

std::string untimed_summary_text(const Accounting& accounting) {
    return kernel_text(accounting) + "\ntime          none: data alone (--mode functional)" +
           counts_text(accounting) + (accounting.ended_early ? "\nended early" : "") + "\n";
}

void put_core(JsonText& json, const Accounting& accounting, const CoreAccount& core) {
    json.member("lane", name(core.core)).member("util", share(core.active, accounting.duration()));
    json.member("cycles", accounting.duration()).member("active", core.active);
    json.member("finished", core.finished - std::min(core.finished, accounting.begin));
    json.member("instructions", core.instructions).key("pipes").object();
    for (unsigned i = 0; i < kPipeCount; ++i) {
        const Pipe pipe = static_cast<Pipe>(i);
        if (!core.shows(pipe)) continue;
        const PipeAccount& account = core.pipes[i];
        json.key(name(pipe)).object();
        json.member("busy", account.busy).member("wait", account.wait());
        json.member("idle", account.idle).member("instructions", account.instructions);
        json.key("waits").object();
        for (unsigned reason = 0; reason < kBlockReasonCount; ++reason)
            if (account.waits[reason] > 0)
                json.member(name(static_cast<BlockReason>(reason)), account.waits[reason]);
        json.end().end();
    }
    json.end();
}

namespace {
void put_cores(JsonText& json, const Accounting& accounting) {
    json.array();
    for (const CoreAccount& core : accounting.cores) {
        json.object();
        put_core(json, accounting, core);
        json.end();
    }
    json.end();
}
}  // namespace

void put_result(JsonText& json, const Accounting& accounting) {
    json.member("cycles", accounting.duration());
    // To the picosecond; the quotient of two integers is the same double everywhere.
    const uint64_t time = picoseconds(accounting.duration(), accounting.clock_hz);
    json.member("time_us", static_cast<double>(time) / 1e6);
    json.member("instructions", accounting.instructions()).key("cores");
    put_cores(json, accounting);
}

Json cores_json(const Accounting& accounting) {
    JsonText json;
    put_cores(json, accounting);
    return parse_json(json.view());
}

void put_basis(JsonText& json, const TimeBasis& basis) {
    json.object().member("of", basis.of_path ? "critical path" : "work of all pipes");
    json.key("shares").object();
    for (size_t grade = 0; grade < kTimeGradeCount; ++grade)
        if (const uint64_t share = basis.share(static_cast<TimeGrade>(grade)); share > 0)
            json.member(kTimeGradeNames[grade], static_cast<double>(share) / 1000);
    json.end();
    if (basis.range != 0)
        json.member("range_percent", static_cast<double>(basis.range) / 10)
            .member("range_measured", !basis.guessed());
    json.end();
}

Json basis_json(const TimeBasis& basis) {
    JsonText json;
    put_basis(json, basis);
    return parse_json(json.view());
}

Json result_json(const Accounting& accounting) {
    JsonText json;
    json.object();
    put_result(json, accounting);
    json.end();
    return parse_json(json.view());
}

}  // namespace ptosim
