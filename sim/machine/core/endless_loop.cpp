#include "sim/machine/core/endless_loop.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ptosim {
namespace {

bool is_part_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// True for a line that begins a loop, in either language: "scf.for", "scf.while", "for (", "while
// (", "do {".
bool begins_loop(std::string_view line) {
    std::string_view before;  // the word that precedes
    for (size_t at = 0; at < line.size(); ++at) {
        if (!is_part_of_word(line[at])) continue;
        size_t end = at;
        while (end < line.size() && is_part_of_word(line[end])) ++end;
        const std::string_view word = line.substr(at, end - at);
        const size_t next = std::min(line.find_first_not_of(" \t\n\v\f\r", end), line.size());
        const std::string_view after = line.substr(next, 1);
        if (word == "for" || word == "while") {
            const bool of_scf =
                before == "scf" && line[at - 1] == '.' && before.end() == line.begin() + (at - 1);
            if (of_scf || after == "(") return true;
        }
        if (word == "do" && after == "{") return true;
        before = word;
        at = end;
    }
    return false;
}

// The lines of the loops around a location, innermost first, found by braces and keywords.
std::vector<SourceLocation> loops_around(const SourceMap& sources, SourceLocation where) {
    std::vector<SourceLocation> loops;
    int depth = 0;             // of blocks that have ended between this line and `where`
    bool second_part = false;  // `where` is in the second block of an operation: "} do {"
    for (SourceLocation at{where.file, 1, where.line}; at.line > 0; --at.line) {
        const std::string line(sources.line(at));
        bool opens = at.line == where.line;  // a block around `where`, or its line itself
        for (auto c = line.rbegin(); c != line.rend() && at.line != where.line; ++c) {
            if (*c == '}') {
                second_part = opens || second_part;
                opens = false;
                ++depth;
            } else if (*c == '{' && --depth <= 0) {
                opens = depth < 0 || second_part;
                if (opens) second_part = false;
                depth = 0;
            }
        }
        if (opens && begins_loop(line)) loops.push_back(at);
    }
    return loops;
}

std::string line_text(const SourceMap& sources, SourceLocation where) {
    return std::string(sources.file(where)) + ":" + std::to_string(where.line);
}

}  // namespace

Diagnostic explain_endless_loop(const CoreContext& core, LaunchWatch::Verdict verdict,
                                std::span<const SourceLocation> recent, SourceLocation here) {
    const SourceMap& sources = core.environment.sources();
    const LaunchWatch::Limits& limits = core.environment.watch().limits();
    const bool issues = verdict == LaunchWatch::Verdict::kTooManyInstructions;
    // Locations before the loops are left out.
    const std::vector<SourceLocation> loops = loops_around(sources, here);
    std::vector<SourceLocation> placed;
    for (const SourceLocation& where : recent)
        if (where.line > 0 &&
            (loops.empty() || where.file != here.file || where.line >= loops.back().line))
            placed.push_back(where);
    const auto first = std::min_element(
        placed.begin(), placed.end(), [](const SourceLocation& a, const SourceLocation& b) {
            return std::pair(a.file, a.line) < std::pair(b.file, b.line);
        });
    Diagnostic d =
        core.diagnostic("E21", Category::kDeadlock,
                        issues ? "the launch has issued " + std::to_string(limits.instructions) +
                                     " instructions without ending"
                               : "the launch has taken " + std::to_string(limits.cycles) +
                                     " cycles, or scalar operations, without ending",
                        first == placed.end() ? SourceLocation{} : *first);
    d.hint = issues ? "a loop may have no end; if this is meant, raise max-instructions "
                      "(--max-instructions, PTOSIM_MAX_INSTRUCTIONS)"
                    : "a loop may have no end; if this is meant, raise max-cycles "
                      "(--max-cycles, PTOSIM_MAX_CYCLES)";
    if (first == placed.end()) return d;
    for (const SourceLocation& loop : loops_around(sources, *first))
        d.notes.push_back(name(core.id) + " is in the loop at " + line_text(sources, loop) + ": " +
                          std::string(sources.line(loop)));
    for (std::string& note : d.notes) {  // remove the indentation of the source
        const size_t text = note.find(": ") + 2;
        note.erase(text, note.find_first_not_of(" \t", text) - text);
    }
    return d;
}

}  // namespace ptosim
