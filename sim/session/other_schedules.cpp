#include "sim/session/other_schedules.h"

#include <algorithm>

#include "sim/check/difference.h"

namespace ptosim {
namespace {

constexpr unsigned kMostExplained =
    8;  // differing schedules that are reported; others are only counted
constexpr double kTimesLonger =
    50;  // limit relative to the launch, after which a schedule is abandoned
constexpr double kLeastSeconds = 10;

bool same_site(const Diagnostic& a, const Diagnostic& b) {
    return a.code == b.code && a.file == b.file && a.location == b.location &&
           a.operand == b.operand;
}

// True if two findings concern the same two locations, whatever their codes.
bool same_places(const Diagnostic& a, const Diagnostic& b) {
    if (a.category != Category::kRace || b.category != Category::kRace) return false;
    if (a.related.empty() || b.related.empty()) return false;
    const SourceLocation here = a.location, there = a.related.front().location;
    return (here == b.location && there == b.related.front().location) ||
           (there == b.location && here == b.related.front().location);
}

template <class Same>
bool among(const std::vector<Diagnostic>& list, const Diagnostic& d, Same&& same) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Diagnostic& other) { return same(other, d); });
}

void note_once(std::vector<std::string>& notes, std::string text) {
    if (std::find(notes.begin(), notes.end(), text) == notes.end())
        notes.push_back(std::move(text));
}

}  // namespace

std::string OtherSchedules::schedule_text(unsigned number) const {
    return "schedule " + std::to_string(number) + " of seed " + std::to_string(choice_.seed);
}

OtherSchedules::Found OtherSchedules::compare(const LaunchResult& run,
                                              const std::vector<Diagnostic>& of_checkers,
                                              double seconds) {
    Found found;
    limit_ = static_cast<unsigned>(std::max(kLeastSeconds, kTimesLonger * seconds));
    unsigned given_up = 0;
    for (unsigned number = 1; number <= choice_.count; ++number) {
        const std::optional<ForkedRuns::Outcome> outcome = replays_.run(choice_.seed, number, limit_);
        if (!outcome) {
            ++given_up;
            continue;
        }
        ++found.summary.schedules;
        const size_t before = found.findings.size();
        add_findings(*outcome, run, number, found);
        const std::optional<uint64_t> output =
            outcome->finished ? replays_.first_difference() : std::nullopt;
        if (output) explain(*output, number, of_checkers, found);
        if (output || found.findings.size() > before || !outcome->finished) ++found.summary.differ;
    }
    if (given_up > 0)
        found.notes.push_back(std::to_string(given_up) + " of " + std::to_string(choice_.count) +
                              " other schedules did not end within " + std::to_string(limit_) +
                              " s and were given up");
    return found;
}

void OtherSchedules::add_findings(const ForkedRuns::Outcome& outcome, const LaunchResult& run,
                                  unsigned number, Found& found) const {
    for (const Diagnostic& d : outcome.findings) {
        if (among(run.diagnostics, d, same_site) || among(found.findings, d, same_site)) continue;
        found.findings.push_back(d);
        found.findings.back().notes.push_back("not in the chip's own timing: " +
                                              schedule_text(number));
    }
}

// `output` is the address of the first byte that differs.
void OtherSchedules::explain(uint64_t output, unsigned number,
                             const std::vector<Diagnostic>& of_checkers, Found& found) {
    if (explained_++ >= kMostExplained) return;
    const GlobalMemory& memory = chip_.global();
    const std::string differs =
        "the first byte that differs at the end is " + memory.describe(output);
    if (!unperturbed_) unperturbed_ = replays_.log(choice_.seed, 0, limit_);
    const auto other = replays_.log(choice_.seed, number, limit_);
    check::Difference difference;
    if (unperturbed_ && other)
        difference =
            check::first_difference(*unperturbed_, *other, output, kernel_.sources(), memory);
    if (difference.atomic)
        return note_once(
            found.notes,
            "the result depends on the order of atomic operations, which is unspecified: " +
                memory.describe(output) + " in " + schedule_text(number));
    Diagnostic d = std::move(difference.finding);
    if (!difference.found) {
        d.code = "E30";
        d.category = Category::kRace;
        d.message = "another timing gives other results: " + differs;
        d.hint =
            "ptosim check finds unordered accesses; bytes that were never written, and control flow that depends on "
            "time, also cause differences";
        if (std::any_of(found.findings.begin(), found.findings.end(),
                        [](const Diagnostic& f) { return f.code == "E30"; }))
            return;
    } else if (among(of_checkers, d, same_places) || among(found.findings, d, same_places)) {
        return;
    }
    d.notes.push_back(differs + ", in " + schedule_text(number));
    found.findings.push_back(std::move(d));
}

}  // namespace ptosim
