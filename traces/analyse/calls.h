// Calls of library functions, found from the instructions that they issue.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/analyse/lane_slices.h"
#include "traces/record/recording.h"

namespace ptosim {

// A call on a lane: from the first to the last slice that is of its instructions.
struct CallSlice {
    size_t first = 0, last = 0;  // of the slices given
    Slice slice;                 // its index is that of `first`
    const SourceMap::Call* call = nullptr;
    SourceLocation at;
    size_t instructions = 0;
    std::string names;  // of its instructions, each once: "vmul, vadd"
    bool open = false;  // something of it did not end
};

// Instructions that follow one another in the program of a core, and that one line's call of one
// function issues, are one call.
class Calls {
 public:
    explicit Calls(const Recording& recording);
    // The calls among slices of one lane, in order of time. Slices that take no time are of no call,
    // and neither are waits of the scalar unit for room in a queue.
    std::vector<CallSlice> on_lane(std::span<const Slice> slices) const;

 private:
    struct Shown {
        uint32_t number = 0;  // of the call; 0: none
        SourceLocation at;
        Opcode opcode{};
        bool instruction = false, open = false;
    };
    Shown shown(const Slice& slice) const;
    uint32_t number_of(uint16_t core, uint32_t sequence) const;

    const Recording& recording_;
    struct Numbered {
        uint32_t sequence = 0, number = 0;
    };
    std::vector<std::vector<Numbered>> programs_;  // by core; empty if there are no calls
};

}  // namespace ptosim
