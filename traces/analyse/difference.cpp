#include "traces/analyse/difference.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "traces/analyse/labels.h"

namespace ptosim {

namespace {

using Numbers = std::map<std::string, uint64_t>;

// An entry of only one of them counts as nothing in the other.
std::vector<Change> changes(const Numbers& before, const Numbers& after) {
    std::map<std::string, Change> all;
    for (const auto& [what, value] : before) all[what] = {what, value, 0};
    for (const auto& [what, value] : after) {
        Change& change = all[what];
        change.what = what;
        change.after = value;
    }
    std::vector<Change> result;
    for (auto& [what, change] : all) result.push_back(std::move(change));
    std::stable_sort(result.begin(), result.end(), [](const Change& a, const Change& b) {
        return std::abs(a.cycles()) > std::abs(b.cycles());
    });
    return result;
}

// Busy, wait and idle of every pipe that a core shows: numbers(core, "MTE2 busy", cycles).
template <class Take>
void pipe_numbers(const Accounting& accounting, Take&& take) {
    for (const CoreAccount& core : accounting.cores)
        for (unsigned i = 0; i < kPipeCount; ++i) {
            const Pipe pipe = static_cast<Pipe>(i);
            if (!core.shows(pipe)) continue;
            const std::string lane{name(pipe)};
            take(core.core, lane + " busy", core.pipes[i].busy);
            take(core.core, lane + " wait", core.pipes[i].wait());
            take(core.core, lane + " idle", core.pipes[i].idle);
        }
}

Numbers core_numbers(const Accounting& accounting) {
    Numbers numbers;
    pipe_numbers(accounting, [&](CoreId core, const std::string& what, Cycle cycles) {
        numbers[name(core) + " " + what] = cycles;
    });
    return numbers;
}

std::vector<PipeChange> type_changes(const Accounting& before, const Accounting& after) {
    std::map<std::string, std::pair<Numbers, Numbers>> types;  // by core
    pipe_numbers(before, [&](CoreId core, const std::string& what, Cycle cycles) {
        types[std::string(name(core.type)) + " " + what].first[name(core)] = cycles;
    });
    pipe_numbers(after, [&](CoreId core, const std::string& what, Cycle cycles) {
        types[std::string(name(core.type)) + " " + what].second[name(core)] = cycles;
    });
    const auto mean = [](const Numbers& of_cores) {
        uint64_t sum = 0;
        for (const auto& [core, cycles] : of_cores) sum += cycles;
        return of_cores.empty() ? 0 : sum / of_cores.size();
    };
    std::vector<PipeChange> result;
    for (const auto& [what, numbers] : types) {
        const auto& [then, now] = numbers;
        std::vector<Change> cores = changes(then, now);
        // A core that only one of the runs has changed by nothing that could be compared.
        const auto alone = [&then = then, &now = now](const Change& core) {
            return !then.contains(core.what) || !now.contains(core.what);
        };
        if (!std::all_of(cores.begin(), cores.end(), alone)) std::erase_if(cores, alone);
        PipeChange change{{what, mean(then), mean(now)}, cores.front()};
        for (const Change& core : cores)
            change.everywhere &= core.cycles() == cores.front().cycles();
        result.push_back(std::move(change));
    }
    std::stable_sort(result.begin(), result.end(), [](const PipeChange& a, const PipeChange& b) {
        return std::abs(a.most.cycles()) > std::abs(b.most.cycles());
    });
    return result;
}

Numbers line_numbers(const Analysis& analysis) {
    Numbers numbers;
    for (const Hotspot& line : analysis.lines) numbers[line.name] = line.busy;
    return numbers;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

// The only file with a text with a name that the other run lacks; nothing if there is
// none or there are several.
std::optional<Sources::File> renamed_file(const Sources& sources, const Sources& other) {
    std::optional<Sources::File> found;
    for (size_t i = 0; i < sources.size(); ++i) {
        Sources::File file = sources.file(i);
        bool known = file.text.empty();
        for (size_t k = 0; k < other.size() && !known; ++k) known = other.file(k).name == file.name;
        if (known) continue;
        if (found) return {};
        found = std::move(file);
    }
    return found;
}

// If one file has another name in the second run: the names of its lines there, by a longest common
// sequence of their texts.
std::map<std::string, std::string> lines_of_renamed_file(const Sources& before,
                                                         const Sources& after) {
    constexpr size_t kMostLines = 4000;
    std::map<std::string, std::string> names;
    const std::optional<Sources::File> a = renamed_file(before, after),
                                       b = renamed_file(after, before);
    if (!a || !b) return names;
    const std::vector<std::string_view> x = split_lines(a->text), y = split_lines(b->text);
    if (x.size() > kMostLines || y.size() > kMostLines) return names;
    std::vector<std::vector<uint16_t>> common(x.size() + 1, std::vector<uint16_t>(y.size() + 1));
    for (size_t i = x.size(); i-- > 0;)
        for (size_t j = y.size(); j-- > 0;)
            common[i][j] = x[i] == y[j] ? static_cast<uint16_t>(common[i + 1][j + 1] + 1)
                                        : std::max(common[i + 1][j], common[i][j + 1]);
    for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
        if (x[i] == y[j])
            names[a->name + ":" + std::to_string(++i)] = b->name + ":" + std::to_string(++j);
        else
            ++(common[i + 1][j] >= common[i][j + 1] ? i : j);
    }
    return names;
}

Numbers renamed(const Numbers& numbers, const std::map<std::string, std::string>& names) {
    Numbers result;
    for (const auto& [what, value] : numbers) {
        const auto name = names.find(what);
        result[name == names.end() ? what : name->second] += value;
    }
    return result;
}

std::vector<std::string> output_changes(const Recording& a, const Recording& b) {
    std::map<uint32_t, std::pair<std::string, std::string>> sums;
    for (const OutputRecord& output : a.outputs) sums[output.parameter].first = output.sha256;
    for (const OutputRecord& output : b.outputs) sums[output.parameter].second = output.sha256;
    std::vector<std::string> result;
    for (const auto& [parameter, sum] : sums) {
        if (sum.first == sum.second) continue;
        const std::string which = "parameter " + std::to_string(parameter);
        result.push_back(sum.first.empty()    ? which + " was written in B only"
                         : sum.second.empty() ? which + " was written in A only"
                                              : which + " has other bytes in B than in A");
    }
    return result;
}

std::multiset<std::string> findings(const Recording& recording) {
    std::multiset<std::string> result;
    for (const Diagnostic& d : recording.diagnostics)
        result.insert(d.code + " " +
                      (d.file.empty() ? "" : d.file + ":" + std::to_string(d.location.line) + " ") +
                      d.message);
    return result;
}

std::vector<std::string> finding_changes(const Recording& a, const Recording& b) {
    std::vector<std::string> result, lost, added;
    const auto of_a = findings(a), of_b = findings(b);
    std::set_difference(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                        std::back_inserter(lost));
    std::set_difference(of_b.begin(), of_b.end(), of_a.begin(), of_a.end(),
                        std::back_inserter(added));
    for (const std::string& text : lost) result.push_back("only in A: " + text);
    for (const std::string& text : added) result.push_back("only in B: " + text);
    return result;
}

}  // namespace

int64_t Change::permille() const {
    if (before == after) return 0;
    if (before == 0) return 1000;
    const uint64_t size = before > after ? before - after : after - before;
    const auto value = static_cast<int64_t>((1000 * size + before - 1) / before);
    return before > after ? -value : value;
}

std::vector<std::string> Difference::beyond(uint64_t millionths, bool allow_faster) const {
    std::vector<std::string> reasons;
    const auto size = static_cast<uint64_t>(std::abs(cycles.cycles()));
    const bool faster = allow_faster && cycles.cycles() < 0;
    if (!faster && size * 1'000'000 > millionths * cycles.before) reasons.push_back("the cycles");
    if (!outputs.empty()) reasons.push_back("the outputs");
    if (!diagnostics.empty()) reasons.push_back("the findings");
    for (const std::string& which : truncated)
        reasons.push_back(which + " is not recorded to its end");
    return reasons;
}

Difference compare(const Recording& a, const Analysis& of_a, const Recording& b,
                   const Analysis& of_b) {
    Difference result;
    const Accounting &x = of_a.accounting, &y = of_b.accounting;
    result.cycles = {"cycles", x.duration(), y.duration()};
    result.instructions = {"instructions", x.instructions(), y.instructions()};
    result.time = {"time", picoseconds(x.duration(), x.clock_hz),
                   picoseconds(y.duration(), y.clock_hz)};
    result.same_clock = x.clock_hz == y.clock_hz;
    result.pipes = changes(core_numbers(x), core_numbers(y));
    result.types = type_changes(x, y);
    result.bottleneck_a = of_a.bottleneck;
    result.bottleneck_b = of_b.bottleneck;
    const std::map<std::string, std::string> names = lines_of_renamed_file(a.sources, b.sources);
    result.lines = changes(renamed(line_numbers(of_a), names), line_numbers(of_b));
    if (!names.empty())
        result.notes.push_back(
            "the file has another name in B: lines with the same text are compared");
    result.outputs = output_changes(a, b);
    result.diagnostics = finding_changes(a, b);
    if (x.kernel != y.kernel)
        result.notes.push_back("the kernels are " + x.kernel + " and " + y.kernel);
    if (x.chip != y.chip) result.notes.push_back("the chips are " + x.chip + " and " + y.chip);
    if (x.blocks != y.blocks)
        result.notes.push_back("the runs have " + std::to_string(x.blocks) + " and " +
                               std::to_string(y.blocks) + " blocks");
    if (x.cores.size() != y.cores.size())
        result.notes.push_back("the runs use " + std::to_string(x.cores.size()) + " and " +
                               std::to_string(y.cores.size()) + " cores");
    for (const auto& [which, recording] : {std::pair("A", &a), std::pair("B", &b)}) {
        for (const std::string& gap : recording->gaps)
            result.notes.push_back(std::string(which) + ": " + gap);
        if (recording->ended_early && !recording->gaps.empty()) result.truncated.push_back(which);
        if (recording->ended_early && recording->gaps.empty())
            result.notes.push_back(std::string(which) + " ended early");
    }
    return result;
}

}  // namespace ptosim
