// Changes of a kernel that a run can be simulated with, so that the saving of an advice is
// measured.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "isa/core/instruction.h"
#include "traces/record/recording.h"

namespace ptosim {

struct TrialStep {
    enum class Kind : uint8_t {
        // A buffer or a hand-off has one more slot: each wait at the site takes the release of the
        // wait before it.
        kOneMoreSlot,
        // Instructions after the wait are issued after the next iteration's instructions before the
        // wait.
        kAhead,
        kRemove,      // the barrier, or the waits and the sets of a flag
        kSetAfter,    // the set at the site is issued right after the line `to`
        kWaitBefore,  // the wait at the site is issued right before the line `to`
    };
    Kind kind = Kind::kOneMoreSlot;
    SourceLocation at{};
    Opcode opcode{};
    CoreType core = CoreType::kAIV;
    SourceLocation to{};
    uint32_t loop_begin = 0;  // kAhead: first line of the loop
    // kRemove: the flag, one bit for each id.
    Pipe source = Pipe::kS, destination = Pipe::kS;
    uint32_t ids = 0;
};

struct Trial {
    uint32_t blocks = 0;  // 0: as many as in the run
    std::vector<TrialStep> steps;
    // Data races that rule the changed order out. On global memory they do not if its buffers get
    // more slots.
    enum class Check : uint8_t { kNone, kOnChip, kAll };
    Check check = Check::kNone;
};

// Returns the cycles of the run with a change; nothing if the changed kernel does not end or is
// wrong.
using TryChange = std::function<std::optional<Cycle>(const Trial&)>;

}  // namespace ptosim
