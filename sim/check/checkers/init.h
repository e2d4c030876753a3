// Reads of on-chip bytes that the block has not written.
//
// A read is a finding only if no write precedes it, neither in program order nor in this run: a
// write that comes too late for its reader is reported as a race instead.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/check/written_bytes.h"
#include "sim/check/checker.h"

namespace ptosim::check {

class InitChecker final : public Checker {
 public:
    using Checker::Checker;
    void on_launch(const LaunchEvent& event) override;
    void on_block_begin(const RunEvent& event) override { forget(event.core); }
    // Not when the next one begins: another core of its cluster may have written there by then.
    void on_task_end(CoreId core) override { forget(core); }
    void on_issue_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;
    // What a read with another pitch finds between the columns needs no second finding.
    void on_diagnostic(const Diagnostic& found) override;

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

    // From now on nothing has been written in the core's memories.
    void forget(CoreId core);
    void mark(const Instruction& instruction, const Footprint& footprint, Buffers Core::*buffers);
    void check(Core& core, const Read& read);
    Core& state(CoreId core) { return cores_[timelines_.index(core)]; }

    std::vector<Core> cores_;
    std::vector<Site> other_pitch_;  // places of A08
};

}  // namespace ptosim::check
