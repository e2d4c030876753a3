// Addresses for the tiles and buffers that a kernel leaves to the assembler: from the program's
// steps to the planner's allocations, and back.
#pragma once

#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class AddressPlanner : public BinderPart {
 public:
    using BinderPart::BinderPart;

    // Gives an address to every tile and buffer without one, or reports the ones that do not fit.
    void plan_addresses();

 private:
    Diagnostic not_fitting(const PlanProblem& problem, std::span<const Allocation> list);
    void drop_scratch();
    std::vector<Allocation> tile_lifetimes() const;
    std::vector<Allocation> allocations();
    PlanFacts plan_facts(std::span<const Allocation> allocations) const;
    std::vector<std::pair<size_t, size_t>> exclusive_tiles() const;
    SourceLocation location_of(size_t allocation) const;

    size_t first_buffer_ = 0;  // in the list of allocations()
};

}  // namespace ptosim::assembly
