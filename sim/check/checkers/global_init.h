// Reads of uninitialised global memory: neither the host nor a kernel has written it.
//
// Only memory that a host allocates can be uninitialised; arguments of `ptosim run` have values from the start. Written
// bytes are kept as ranges, which count towards the budget of shadow memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/check/checker.h"

namespace ptosim::check {

class GlobalInit final : public Checker {
 public:
    using Checker::Checker;
    void on_host_allocate(uint64_t address, uint64_t size, const std::string& name,
                          std::byte fresh) override;
    void on_host_release(uint64_t address) override;
    void on_host_write(uint64_t address, uint64_t size) override;  // also for copies and sets
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;

 private:
    struct Allocation {
        uint64_t size = 0;
        std::string name;
        std::byte fresh{};
        std::map<uint64_t, uint64_t> written;  // begin, end; disjoint
        bool complete(uint64_t address) const {
            return written.size() == 1 && written.begin()->first == address &&
                   written.begin()->second == address + size;
        }
    };
    // Size of a range, which is a node of a map.
    static constexpr uint64_t kBytesPerRange = 64;

    // Null: not an allocation of the host.
    std::pair<const uint64_t, Allocation>* find(uint64_t address);
    void write(Allocation& allocation, uint64_t begin, uint64_t end);
    void write(const Region& region);
    // The first unwritten bytes of the region; empty if there are none.
    Range unwritten(const Region& region);
    void report(uint64_t byte, const Region& region, CoreId core, Pipe pipe, Cycle time,
                std::string_view instruction, std::string_view operand, SourceLocation location);

    std::map<uint64_t, Allocation> allocations_;
};

}  // namespace ptosim::check
