// Reads of on-chip bytes that the block has not written.
//
// A read is a finding only if no write precedes it, neither in program order nor in this run: a
// write that comes too late for its reader is reported as a race instead.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/check/findings.h"
#include "sim/check/footprint.h"
#include "sim/check/timelines.h"
#include "sim/check/written_bytes.h"

namespace ptosim::check {

class InitChecker {
 public:
    InitChecker(const Timelines& timelines, Findings& findings)
        : timelines_{timelines}, findings_{findings} {}
    void launch(const LaunchEvent& event);
    void block_begin(const RunEvent& event) { forget(event.core); }
    // From now on nothing has been written in the core's memories.
    void forget(CoreId core);
    void issue(const InstructionEvent& event, const Footprint& footprint);
    void start(const InstructionEvent& event, const Footprint& footprint);
    void scalar_access(const ScalarAccessEvent& event);

 private:
    // A tile that was written only in its valid region.
    struct Partial {
        Space space = Space::kUB;
        uint64_t begin = 0, end = 0;  // of the physical tile
        std::string_view instruction;
        SourceLocation location;
    };
    using Buffers = std::array<WrittenBytes, kSpaceCount>;
    struct Core {
        Buffers issued, written;
        std::vector<uint64_t> suspects;  // sequence numbers: issued before all that they read
        std::vector<Partial> partial;    // the latest, in a ring
        size_t next = 0;
    };
    struct Read {
        CoreId core;
        Pipe pipe = Pipe::kS;
        std::string_view instruction, operand;
        SourceLocation location;
        Cycle time = 0;
        Space space = Space::kUB;
        Region region;
    };

    void mark(const Instruction& instruction, const Footprint& footprint, Buffers Core::*buffers);
    void check(Core& core, const Read& read);
    Core& state(CoreId core) { return cores_[timelines_.index(core)]; }

    const Timelines& timelines_;
    Findings& findings_;
    const SourceMap* sources_ = nullptr;
    std::vector<Core> cores_;
};

}  // namespace ptosim::check
