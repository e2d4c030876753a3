// Structured control flow (loops, branches, sections and regions that only open a scope) becomes jumps.
#pragma once

#include "isa/assembly/bind/scalars.h"

namespace ptosim::assembly {

class ControlFlowBinder : public BinderPart {
 public:
    ControlFlowBinder(BindContext& context, BlockBinder& blocks, ScalarBinder& scalars)
        : BinderPart{context}, blocks_{blocks}, scalars_{scalars} {}

    void scf_for(const Operation& op);
    void scf_if(const Operation& op);
    void scf_while(const Operation& op);
    void scf_index_switch(const Operation& op);
    void inline_region(const Operation& op);
    void section(const Operation& op);

 private:
    void check_condition(const Operation& op, const Item& item);
    Slot integer_or_one(const Item& item);
    std::vector<Value> make_results(const Operation& op);
    void fuse(size_t first, Slot first_tile, const std::vector<Value>& results);
    // Binds a region of one block and returns the values of its terminator, which must be `name`.
    std::vector<Value> bind_region(const Operation& op, const Region& region,
                                   std::string_view terminator, size_t expected);

    BlockBinder& blocks_;
    ScalarBinder& scalars_;
};

}  // namespace ptosim::assembly
