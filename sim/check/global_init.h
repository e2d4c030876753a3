// Reads of uninitialised global memory: written neither by the host nor by a kernel.
//
// Only memory that a host allocates can be uninitialised; arguments of `ptosim run` have values
// from the start. Written bytes are kept as ranges, which count towards the budget of shadow
// memory.
#pragma once

#include <cstddef>
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
    // Operations of the host. `unused`: reports memory that is released, or leaked, without a use.
    // `fresh`: what every byte of it holds before the first write.
    void allocate(uint64_t address, uint64_t size, std::string name, std::byte fresh);
    void release(uint64_t address, bool unused);
    void write(uint64_t address, uint64_t size);  // also: copies to, sets
    void read(uint64_t address);                  // copies from
    void end(bool unused);
    // Accesses of kernels.
    void launch(const LaunchEvent& event) { sources_ = event.sources; }
    void start(const InstructionEvent& event, const Footprint& footprint, bool init);
    void scalar_access(const ScalarAccessEvent& event, bool init);

 private:
    struct Allocation {
        uint64_t size = 0;
        std::string name;
        std::byte fresh{};
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
    void report_unused(const Allocation& allocation);
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
