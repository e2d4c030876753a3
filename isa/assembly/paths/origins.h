// Sources from which the scalars of a program are computed, followed back along all steps that write them.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "isa/assembly/program/program.h"

namespace ptosim::assembly {

struct Origins {
    std::set<uint32_t> arguments;  // positions in Program::arguments
    bool block = false;            // the index of the block, their number, or a subblock's
    std::set<uint32_t> loads;      // steps that get it from memory or from outside of the kernel
    bool other = false;            // from what is not followed: floats, shapes of tiles
    std::set<uint64_t> constants;  // integers that it is compared, added, divided and so on with

    // Nothing but arguments, the block and constants decides it.
    bool is_given() const { return loads.empty() && !other; }
    void add(const Origins& more);
};

class OriginFinder {
 public:
    explicit OriginFinder(const Program& program);

    Origins of(Slot slot) const;
    // Origins of the condition of a kJumpIfZero, and of all bounds of the loop of a kJumpUnlessLess.
    Origins of_condition(uint32_t step) const;
    // Origins of all addresses in global memory: pointers, strides and offsets of views.
    Origins of_addresses() const;
    bool is_constant(Slot slot) const;
    // The only step that writes the slot, or none.
    const Step* only_writer(Slot slot) const;
    uint32_t index_of(const Step& step) const;

 private:
    struct Search;
    void follow(const Step& step, Search& search) const;
    void follow_view(Slot view, Search& search) const;

    const Program& program_;
    std::vector<std::vector<uint32_t>> writers_;       // steps, by scalar slot
    std::vector<std::vector<uint32_t>> view_writers_;  // likewise
    std::vector<int32_t> argument_of_;                 // by scalar slot; -1: none
    std::vector<bool> implicit_;
};

}  // namespace ptosim::assembly
