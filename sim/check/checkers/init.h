// Reads of on-chip bytes that the block has not written.
//
// Bytes that a vector function makes from such bytes count as unwritten, too: lanes that a mask
// leaves out later are no finding. The first other read of them is one, at the vector function.
// Bytes of stored predicates are followed bit by bit.
//
// A read is a finding only if no write precedes it, neither in program order nor in this run. If a
// write comes too late for its reader, the race checker reports it instead.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/check/written_bytes.h"
#include "sim/check/checker.h"

namespace ptosim::check {

class InitChecker final : public Checker {
 public:
    using Checker::Checker;
    void on_launch(const LaunchEvent& event) override;
    void on_block_begin(const RunEvent& event) override { forget(event.core); }
    // Called at the end of a task: when the next one begins, another core of its cluster may already have written
    // there.
    void on_task_end(CoreId core) override { forget(core); }
    void on_issue_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    bool follows_data(CoreId core, uint64_t sequence) const override;
    void on_data_begin(const DataEvent& event) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;
    void on_masked_write(const MaskedWriteEvent& event) override;
    // A read with the wrong pitch also reads bytes between the columns; that gets no second finding.
    void on_diagnostic(const Diagnostic& found) override;

 private:
    // A tile of which only the valid region was written.
    struct Partial {
        Space space = Space::kUB;
        uint64_t begin = 0, end = 0;  // of the whole tile
        std::string_view instruction;
        SourceLocation location;
    };
    struct Read {
        CoreId core;
        Pipe pipe = Pipe::kS;
        std::string_view instruction, operand;
        SourceLocation location;
        Cycle time = 0;
        Space space = Space::kUB;
        Region region;
        uint64_t together = 1;  // bytes that it takes together, whatever part of them is used
    };
    // A vector function that has started, and may read unwritten bytes. `later_...`: accesses of
    // instructions that have started since, before its data takes effect.
    struct Pending {
        uint64_t sequence = 0;
        std::vector<Read> reads, later_reads;
        std::vector<Region> writes, later_writes;
    };
    // Bytes of UB that a vector function has made from unwritten ones.
    struct Derived {
        uint64_t begin = 0, end = 0;
        std::string site;
        Diagnostic finding;
    };
    using Buffers = std::array<WrittenBytes, kSpaceCount>;
    struct Core {
        Buffers issued, written;
        std::vector<uint64_t>
            suspects;  // sequence numbers: issued before all writes of their operands
        std::vector<Partial> partial;  // the latest ones, in a ring
        size_t next = 0;
        std::vector<MaskedWrite> masked;  // the latest ones, in a ring
        size_t next_masked = 0;
        std::vector<Pending> pending;
        std::vector<Derived> derived;  // the latest ones, in a ring
        size_t next_derived = 0;
        std::map<uint64_t, uint8_t>
            unset_bits;  // of bytes of UB that are unwritten in part: bits without a value
    };

    // Marks all memories of the core as unwritten.
    void forget(CoreId core);
    void mark(const Instruction& instruction, const Footprint& footprint, Buffers Core::*buffers);
    void check(Core& core, const Read& read);
    static void forget_bits(Core& core, const Region& region);
    static void add_unset(const Core& core, uint64_t begin, uint64_t end,
                          std::vector<UnsetBytes>& to);
    // Makes the bytes unwritten that a vector function is about to make from unwritten ones.
    void derive(Core& core, const Pending& pending, const Execution& execution);
    std::string site_of(const Core& core, const Read& read, uint64_t byte) const;
    Diagnostic finding_of(const Core& core, const Read& read, uint64_t byte) const;
    const Partial* partial_at(const Core& core, Space space, uint64_t byte) const;
    // Adds the vector mask because of which the byte was not written, if there is one.
    void explain_by_mask(const Core& core, const Read& read, uint64_t byte, Diagnostic& d) const;
    Core& state(CoreId core) { return cores_[timelines_.index(core)]; }

    std::vector<Core> cores_;
    bool computes_data_ = false;
    std::vector<Site> other_pitch_;  // locations of A08 findings
};

}  // namespace ptosim::check
