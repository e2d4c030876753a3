// Reads of global memory that nobody has written: neither the host nor a kernel.
//
// Only memory that the host allocates without saying what is in it can be read too early; arguments
// of `ptosim run` have values from the start. What has been written is kept as ranges of bytes, and
// charged to the budget of shadow memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/check/findings.h"
#include "sim/check/footprint.h"
#include "sim/check/shadow.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class GlobalInit {
 public:
    GlobalInit(Findings& findings, Budget& budget) : findings_{findings}, budget_{budget} {}
    // What the host does. `unused`: tells of memory that is released, or left, without a use.
    void allocate(uint64_t address, uint64_t size, std::string name);
    void release(uint64_t address, bool unused);
    void write(uint64_t address, uint64_t size);  // also: copies to, sets
    void read(uint64_t address);                  // copies from
    void end(bool unused);
    // What kernels do.
    void launch(const LaunchEvent& event) { sources_ = event.sources; }
    void start(const InstructionEvent& event, const Footprint& footprint, bool init);
    void scalar_access(const ScalarAccessEvent& event, bool init);

 private:
    struct Allocation {
        uint64_t size = 0;
        std::string name;
        bool used = false;
        std::map<uint64_t, uint64_t> written;  // begin, end; apart from one another
        bool complete(uint64_t address) const {
            return written.size() == 1 && written.begin()->first == address &&
                   written.begin()->second == address + size;
        }
    };
    // A range takes a node of a map.
    static constexpr uint64_t kBytesPerRange = 64;

    // Null: not one of the host's.
    std::pair<const uint64_t, Allocation>* find(uint64_t address);
    void write(Allocation& allocation, uint64_t begin, uint64_t end);
    void write(const Region& region);
    void tell_unused(const Allocation& allocation);
    // The first bytes of the region that have not been written; empty if all have.
    Range unwritten(const Region& region);
    void report(uint64_t byte, const Region& region, CoreId core, Pipe pipe, Cycle time,
                std::string_view instruction, std::string_view operand, SourceLocation location);

    Findings& findings_;
    Budget& budget_;
    const SourceMap* sources_ = nullptr;
    std::map<uint64_t, Allocation> allocations_;
};

}  // namespace ptosim::check
