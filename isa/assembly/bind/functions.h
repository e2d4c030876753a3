// Functions: which are launched, their parameters, calls (which are inlined) and bodies of several
// blocks.
#pragma once

#include <map>

#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class FunctionBinder : public BinderPart {
 public:
    FunctionBinder(BindContext& context, BlockBinder& blocks)
        : BinderPart{context}, blocks_{blocks} {}

    // The function to launch, or the two halves of a kernel for a cluster.
    std::vector<const Operation*> entry_functions();
    void bind_parameters(std::span<const Operation* const> entries);
    void check_kind(const Operation& function);
    void bind_entry(const Operation& function);

    void call(const Operation& op);
    void function_return(const Operation& op);
    void branch(const Operation& op);

 private:
    struct BlockTarget {
        std::vector<Value> arguments;
        uint32_t start = 0;  // its first step
    };
    // Branches of one function of several blocks.
    struct Branches {
        std::map<std::string_view, BlockTarget> blocks;            // by label
        std::vector<std::pair<uint32_t, std::string_view>> jumps;  // step, label
        std::vector<uint32_t> exits;                               // steps that jump to the end
        std::vector<Value> results;
        size_t depth = 0;  // of calls
    };

    // functions.cpp
    std::optional<CoreType> kernel_kind(const Operation& function) const;
    void check_parameter(const BlockArgument& argument);
    Value parameter_view(const Operation& function, const Type& type, Slot pointer);
    void define_parameters(const Operation& function);
    // Binds a body, as a separate section if it is for one core type.
    void bind_for_core(const Operation& function, const Operation& caller,
                       std::optional<CoreType> kind);
    void bind_function_body(const Operation& function);
    void check_arguments(const Operation& op, const Operation& callee,
                         std::span<const Value> given) const;
    void call_external(const Operation& op, const Operation& callee, std::span<const Value> given);
    // branches.cpp
    void bind_blocks(const Operation& function);
    void bind_one_of(const Block& block, const Operation& function, Branches& branches);
    void jump_to(const Operation& op, const Item& label, std::span<const Item> handed);

    BlockBinder& blocks_;
    std::vector<Value> arguments_;  // of the entry, by position
    std::vector<Value> returned_;
    Branches* branches_ = nullptr;  // of the function that is being bound, if it has several blocks
};

}  // namespace ptosim::assembly
