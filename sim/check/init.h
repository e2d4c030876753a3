// Reads of on-chip bytes that the block has not written.
//
// A read counts only if no write comes before it in program order, nor came before it in this run:
// what is written too late for its reader is a race, and told as one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/check/findings.h"
#include "sim/check/region.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

// A bit per byte of a buffer.
class WrittenBytes {
 public:
    void clear() {
        words_.assign(words_.size(), 0);
        complete_.fill({});
    }
    void set(const Region& region);
    // The first byte of the region that has not been written; UINT64_MAX if all have.
    uint64_t first_unwritten(const Region& region);

 private:
    // Kernels use the same tiles again and again: regions known to be written need no look.
    Region& remembered(const Region& region) {
        return complete_[(region.begin / 32 + region.width / 8 + region.lines) % complete_.size()];
    }

    std::vector<uint64_t> words_;
    std::array<Region, 64> complete_;
};

class InitChecker {
 public:
    InitChecker(const Timelines& timelines, Findings& findings)
        : timelines_{timelines}, findings_{findings} {}
    void launch(const LaunchEvent& event);
    void block_begin(const RunEvent& event);
    void issue(const InstructionEvent& event);
    void start(const InstructionEvent& event);
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

    template <class Act>
    void for_reads(const Instruction& instruction, Act&& act);
    void mark(const InstructionEvent& event, Buffers Core::*buffers);
    void check(Core& core, const Read& read);
    Core& state(CoreId core) { return cores_[timelines_.index(core)]; }

    const Timelines& timelines_;
    Findings& findings_;
    const SourceMap* sources_ = nullptr;
    std::vector<Core> cores_;
    std::vector<Region> regions_;
};

}  // namespace ptosim::check
