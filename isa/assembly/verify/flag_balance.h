// Checks that the flags between the pipes of a core balance along every path of a program: each set has a wait, and
// each wait has a set. It analyses the control flow without running it.
//
// A path is a way through branches and loops; dependencies between conditions are ignored. A branch is therefore
// reported only if every path through it leaves the flag unbalanced, regardless of the code before and after it. A flag
// that balances on some paths but not on others counts as not shown to balance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/core/pipe.h"

namespace ptosim::assembly {

// Way out of a conditional step.
struct BranchEdge {
    uint32_t step = 0;
    bool jumps = false;  // jumps to its target: the else of an scf.if, a loop without an iteration
    friend bool operator==(const BranchEdge&, const BranchEdge&) = default;
};

struct UnbalancedFlag {
    enum class Kind : uint8_t {
        kBranch,    // every path through `edge` leaves it unbalanced
        kNoTurn,    // likewise; `edge` is a loop without an iteration, which callers may exclude
        kNotShown,  // some paths do and some do not
    };
    Kind kind = Kind::kNotShown;
    CoreType core = CoreType::kAIC;
    Pipe source = Pipe::kS, destination = Pipe::kS;
    std::optional<unsigned>
        id;                 // nothing: an id is computed, and all of the two pipes count together
    BranchEdge edge;        // kBranch, kNoTurn: the first such one
    bool set_left = false;  // there: a set is left over; else a wait has no set
    SourceLocation set, wait;  // the first of each in the text, if there is one
};
// "MTE2->V #0", "MTE2->V"
std::string to_text(const UnbalancedFlag& flag);

// In the order of the text. Flags that balance on every path are left out, and so are flags that balance on no path,
// because any run reports them. Empty if the control flow has jumps other than branches and loops.
std::vector<UnbalancedFlag> unbalanced_flags(const Program& program, bool on_aic, bool on_aiv);

}  // namespace ptosim::assembly
