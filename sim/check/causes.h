// Causes of findings: which findings one mend removes. One missing edge between two pipes makes
// many accesses race, and a lost flag of a loop makes several flags look wrong. The finding whose
// mend removes the others is their cause, and the others are its consequences.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/check/mend.h"

namespace ptosim::check {

// Result of a run with a mend. Locations of findings refer to the kernel without it.
struct TriedMend {
    bool finished = false;
    std::vector<Diagnostic> findings;
    std::vector<MendLine> lines;  // the mend as lines of the kernel
    bool clean() const { return finished && findings.empty(); }
};
// Returns nothing if the mend cannot be written or the run fails.
using TryMend = std::function<std::optional<TriedMend>(const Mend&)>;

// Identity of a finding across runs.
struct FindingKey {
    std::string code, file;
    uint32_t line = 0, other_line = 0;
    auto operator<=>(const FindingKey&) const = default;
};
FindingKey key_of(const Diagnostic& finding);

struct Cause {
    FindingKey finding;
    std::vector<FindingKey> explains;
    std::vector<MendLine> mend;
    bool mended = false;  // no finding at all is left
    std::optional<WaitEdge>
        wait;  // of a deadlock: the wait that is its cause, if the finding names another one
    std::string wait_text;  // its line
    // The pipes that the mend orders: "MTE2->V".
    std::vector<std::string> edges;
};
// True for a finding of another path that is about the pipes of a mend that leaves no finding.
bool is_of_cause(const Cause& cause, const Diagnostic& finding);

// Tries mends in their order, `most` of them, until one leaves no finding. If none does, the causes
// are those whose mends remove most, and a mend that combines theirs is tried.
std::vector<Cause> find_causes(const std::vector<Diagnostic>& findings,
                               const std::vector<Mend>& mends, size_t most,
                               const TryMend& try_mend);

// A cause with its consequences, as output shows them: the finding is in the list, its consequences
// are not.
struct Explanation {
    struct Consequence {
        std::string code, file;
        uint32_t line = 0;
        std::string message;
        uint64_t count = 1;
    };
    FindingKey finding;
    std::vector<Consequence> explains;
    std::vector<MendLine> mend;
    bool mended = false;
};
// The explanation of a finding, or null.
const Explanation* find(std::span<const Explanation> explanations, const Diagnostic& finding);

// Makes one finding of each cause and its consequences. Causes come first, the one that explains
// most at the beginning. `sentence` describes a mend.
std::vector<Explanation> fold(
    std::vector<Diagnostic>& findings, const std::vector<Cause>& causes,
    const std::function<std::string(const std::vector<MendLine>&)>& sentence);

}  // namespace ptosim::check
