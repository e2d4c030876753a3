#include "sim/check/findings.h"

#include <algorithm>
#include <tuple>

namespace ptosim::check {
namespace {

constexpr std::string_view kOverlap = "A06";

int rank(const Diagnostic& finding) {
    switch (finding.category) {
        case Category::kInput:
        case Category::kUnsupported:
        case Category::kIllegal:
            return 0;
        case Category::kDeadlock:
            return 1;
        case Category::kRace:
            return 3;
        case Category::kUndefined:
            return finding.code == kOverlap ? 2 : 4;
        case Category::kSync:
            return 5;
    }
    return 6;
}

bool same_line(const Site& a, const Site& b) {
    return a.file == b.file && a.location.line == b.location.line;
}

// True if both concern the same bytes of one of the tiles.
bool explains(const Diagnostic& overlap, const Diagnostic& race) {
    if (race.byte_begin >= overlap.byte_end || overlap.byte_begin >= race.byte_end) return false;
    const auto of_race = [&](const Site& site) {
        return same_line(site, race) ||
               std::any_of(race.related.begin(), race.related.end(),
                           [&](const Site& other) { return same_line(site, other); });
    };
    return of_race(overlap) || std::any_of(overlap.related.begin(), overlap.related.end(), of_race);
}

}  // namespace

void sort_by_importance(std::vector<Diagnostic>& findings) {
    const auto before = [](const Diagnostic& a, const Diagnostic& b) {
        if (rank(a) != rank(b)) return rank(a) < rank(b);
        return std::tie(a.file, a.location.line, a.location.column, a.code) <
               std::tie(b.file, b.location.line, b.location.column, b.code);
    };
    std::stable_sort(findings.begin(), findings.end(), before);
}

void explain_by_overlaps(std::vector<Diagnostic>& findings) {
    for (Diagnostic& race : findings) {
        if (race.category != Category::kRace) continue;
        const auto overlap =
            std::find_if(findings.begin(), findings.end(), [&](const Diagnostic& other) {
                return other.code == kOverlap && explains(other, race);
            });
        if (overlap == findings.end()) continue;
        race.hint = "first give the overlapping tiles separate bytes (" +
                    std::string(kOverlap) + " at " + overlap->file + ":" +
                    std::to_string(overlap->location.line) + ")";
    }
}

std::string location_text(const SourceMap& sources, SourceLocation location) {
    Site site;
    sources.locate(site, location);
    if (site.file.empty() || location.line == 0) return "an unknown location";
    return site.file + ":" + std::to_string(site.location.line);
}

std::string pipe_word(Pipe pipe) {
    return "PIPE_" + (pipe == Pipe::kAll ? "ALL" : std::string(name(pipe)));
}

std::string SyncSpelling::barrier(Pipe pipe) const {
    return assembly ? "pto.barrier <" + pipe_word(pipe) + ">"
                    : "pipe_barrier(" + pipe_word(pipe) + ")";
}

std::string SyncSpelling::flag(std::string_view what, Pipe source, Pipe destination) const {
    const std::string from = pipe_word(source), to = pipe_word(destination);
    const std::string verb = std::string(what) + "_flag";
    return assembly ? verb + "[<" + from + ">, <" + to + ">]"
                    : verb + "(" + from + ", " + to + ", id)";
}

std::string SyncSpelling::flag(std::string_view what, Pipe source, Pipe destination,
                               unsigned id) const {
    const std::string event = "EVENT_ID" + std::to_string(id);
    std::string text = flag(what, source, destination);
    if (assembly) return text.substr(0, text.size() - 1) + ", <" + event + ">]";
    return text.replace(text.size() - 3, 2, event);
}

std::string SyncSpelling::signal(Pipe source) const {
    return assembly ? "sync.set <" + pipe_word(source) + ">"
                    : "a cross-core flag set on " + pipe_word(source);
}

std::string SyncSpelling::wait_signal() const { return assembly ? "sync.wait" : "the wait for it"; }

SyncSpelling spelling_of(const SourceMap& sources, SourceLocation location) {
    return {sources.language(location) == SourceLanguage::kAssembly};
}

std::string ordering_hint(const Unordered& first, const Unordered& second, const SourceMap& sources,
                          RunAs run_as) {
    const std::string after = location_text(sources, first.location);
    const std::string before = location_text(sources, second.location);
    const SyncSpelling words = spelling_of(sources, first.location);
    if (first.core == second.core && first.block == second.block) {
        if (first.pipe == second.pipe)
            return "to order them: " + words.barrier(second.pipe) + " between " + after + " and " +
                   before;
        return "to order them: " + words.flag("set", first.pipe, second.pipe) + " after " + after +
               " and " + words.flag("wait", first.pipe, second.pipe) + " before " + before;
    }
    if (first.core == second.core)
        return "these blocks ran on the same core one after the other only by chance: give each block separate bytes";
    if (run_as != RunAs::kLaunch && first.location == second.location)
        return std::string(
                   "the same line in two tasks, or in two parts of one task: let one task depend on the other, or give "
                   "each separate bytes through its arguments") +
               (run_as == RunAs::kTaskWithoutSubblock
                    ? " (which AIV of its cluster it is on, too: get_subblockid() is 0 in each)"
                    : "");
    if (first.block == second.block && first.location == second.location)
        return "both cores run block " + std::to_string(first.block) +
               ", and do the same: give each sub-block its part (" +
               (words.assembly ? "pto.get_subblock_idx" : "get_subblockid()") +
               "), or compile the kernel for vector cores alone "
               "(bisheng --cce-aicore-arch=dav-c220-vec, ptosim --core aiv)";
    if (first.location == second.location)
        return "the same line in two blocks: give each block separate bytes (add its index to the offset), or launch "
               "one block";
    return "to order them: " + words.signal(first.pipe) + " after " + after +
           " on the one core and " + words.wait_signal() + " before " + before +
           " on the other; or the reverse, if that is the intended order";
}

}  // namespace ptosim::check
