#include "traces/write/brief_summary.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "traces/analyse/bottleneck.h"
#include "traces/analyse/labels.h"
#include "traces/write/summary.h"

namespace ptosim {

namespace {

constexpr size_t kColumns = 100;
constexpr size_t kLabelColumns = 14;  // columns of "bottleneck    "
constexpr size_t kReason = 33;        // column of a pipe's longest wait
constexpr size_t kBriefAdvice = 2;

struct BriefLine {
    std::string text;
    size_t indent;  // of the lines that it continues on
};

void put_broken(const BriefLine& line, std::string& text) {
    size_t begin = 0, room = kColumns;
    while (line.text.size() - begin > room) {
        size_t end = line.text.rfind(' ', begin + room);
        if (end == std::string::npos || end <= begin + (begin == 0 ? line.indent : 0))
            end = line.text.find(' ', begin + room);
        if (end == std::string::npos) break;
        text += line.text.substr(begin, end - begin) + "\n" + std::string(line.indent, ' ');
        begin = end + 1;
        room = kColumns - line.indent;
    }
    text += line.text.substr(begin) + "\n";
}

BriefLine labelled(std::string label, const std::string& value) {
    label.resize(kLabelColumns, ' ');
    return {label + value, kLabelColumns};
}

// Begin and end of an absolute path in "set at /folder/file.pto:12", at or after a position.
std::pair<size_t, size_t> next_path(const std::string& text, size_t from) {
    for (size_t at = from; (at = text.find('/', at)) != std::string::npos; ++at)
        if (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '('))
            return {at, std::min(text.find_first_of(" :),", at), text.size())};
    return {std::string::npos, std::string::npos};
}

// Removes the folder that all absolute paths of the lines share, and returns it.
std::string remove_shared_folder(std::vector<BriefLine>& lines) {
    std::string folder;
    for (const BriefLine& line : lines)
        for (auto [at, end] = next_path(line.text, 0); at != std::string::npos;
             std::tie(at, end) = next_path(line.text, end)) {
            const std::string of = line.text.substr(at, line.text.rfind('/', end) + 1 - at);
            if (folder.empty()) folder = of;
            if (folder != of) return {};
        }
    if (folder.empty()) return {};
    for (BriefLine& line : lines)
        for (size_t at = 0; (at = line.text.find(folder, at)) != std::string::npos;) line.text.erase(at, folder.size());
    return folder;
}

std::string cell(Cycle part, Cycle whole) {
    const std::string number = decimal_text(100 * part, whole, 1);
    return std::string(8 - std::min<size_t>(8, number.size()), ' ') + number;
}

std::string longest_wait(const PipeAccount& account, Cycle whole) {
    if (account.sites.empty()) return {};
    const WaitSite& site = account.sites.front();
    return "  " + long_text(site.cause, site.release_text()) + " (" + decimal_text(100 * site.cycles, whole, 1) +
           " %" + (site.open ? ", never released" : "") + ")";
}

// A line per pipe: means over the cores of a type, and the longest wait of the core that ends last.
void put_pipes(const Accounting& accounting, CoreType type, std::vector<BriefLine>& lines) {
    const CoreAccount* last = nullptr;
    size_t cores = 0;
    for (const CoreAccount& core : accounting.cores) {
        if (core.core.type != type) continue;
        ++cores;
        if (last == nullptr || core.finished > last->finished) last = &core;
    }
    if (last == nullptr) return;
    const Cycle whole = accounting.duration();
    lines.push_back({"", 0});
    if (cores == 1)
        lines.push_back({name(last->core), 0});
    else
        lines.push_back({std::string(name(type)) + ", mean of " + std::to_string(cores) + " cores; waits of " +
                             name(last->core) + ", which ends last",
                         0});
    lines.push_back({"  pipe   busy %  wait %  idle %  waits most for", 0});
    for (unsigned i = 0; i < kPipeCount; ++i) {
        const Pipe pipe = static_cast<Pipe>(i);
        Cycle busy = 0, wait = 0, idle = 0;
        bool shown = false;
        for (const CoreAccount& core : accounting.cores) {
            if (core.core.type != type || !core.shows(pipe)) continue;
            shown = true;
            busy += core.pipes[i].busy;
            wait += core.pipes[i].wait();
            idle += core.pipes[i].idle;
        }
        if (!shown || busy + wait == 0) continue;
        std::string label = "  " + std::string(name(pipe));
        label.resize(7, ' ');
        lines.push_back({label + cell(busy, whole * cores) + cell(wait, whole * cores) + cell(idle, whole * cores) +
                             longest_wait(last->pipes[i], whole),
                         kReason});
    }
}

}  // namespace

std::string brief_text(const Accounting& accounting, std::span<const Advice> advice, const TimeBasis& basis) {
    const Cycle cycles = accounting.time();
    const uint64_t clock = accounting.clock_hz;
    std::string time = std::to_string(cycles) + " cycles = " +
                       decimal_text(picoseconds(cycles, clock), 1'000'000, 3) + " us";
    if (clock != 0) time += " at " + decimal_text(clock, 1'000'000'000, 3) + " GHz";
    if (basis.range != 0) time += ", " + range_text(basis);
    std::string blocks = accounting.kernel + ", " + std::to_string(accounting.blocks) +
                         (accounting.blocks == 1 ? " block" : " blocks");
    if (accounting.launches > 1) blocks += " (first of " + std::to_string(accounting.launches) + " launches)";
    std::vector<BriefLine> lines{labelled("chip", accounting.chip), labelled("kernel", blocks), labelled("time", time)};
    if (const std::string task = task_text(accounting); !task.empty()) lines.push_back(labelled("task", task));
    const uint64_t skipped = accounting.skipped ? accounting.skipped->instructions : 0;
    lines.push_back(labelled("instructions", std::to_string(accounting.instructions() + skipped)));
    if (accounting.skipped) lines.push_back(labelled("sampled", skipped_text(accounting)));
    const size_t head = lines.size();
    if (accounting.ended_early) lines.push_back(labelled("ended early", "times are up to the point where the run stopped"));
    const bool cause = !advice.empty() && advice.front().kind == AdviceKind::kCause;
    lines.push_back(labelled("bottleneck", bottleneck_text(accounting, cause ? advice : std::span<const Advice>())));
    for (size_t i = 0; !cause && i < std::min(kBriefAdvice, advice.size()); ++i)
        lines.push_back(labelled(i == 0 ? "advice" : "", advice_text(advice[i], cycles)));
    put_pipes(accounting, CoreType::kAIC, lines);
    put_pipes(accounting, CoreType::kAIV, lines);
    const std::string folder = remove_shared_folder(lines);
    if (!folder.empty()) lines.insert(lines.begin() + static_cast<ptrdiff_t>(head), labelled("sources in", folder));
    std::string text;
    for (const BriefLine& line : lines) put_broken(line, text);
    return text;
}

}  // namespace ptosim
