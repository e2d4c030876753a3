// An operation as the binder has read it, for the assembler's rules of its instruction.
#pragma once

#include <span>

#include "isa/assembly/context/binder_part.h"
#include "isa/table/assembler_rules.h"

namespace ptosim::assembly {

class BoundOperation final : public WrittenOperation, private BinderPart {
 public:
    // `chosen`: for each operand of the row its value in the text, or null.
    BoundOperation(BindContext& context, const Operation& op, const InstructionInfo& row,
                   const Instruction& instruction, const IssuePlan& plan,
                   std::span<const Item* const> chosen)
        : WrittenOperation{row, instruction, context.options.arch},
          BinderPart{context},
          op_{op},
          plan_{plan},
          chosen_{chosen} {}

    bool given(std::string_view operand) const override { return item(operand) != nullptr; }
    WrittenType type(std::string_view operand) const override;
    bool same_value(std::string_view a, std::string_view b) const override;
    std::optional<int64_t> constant(std::string_view operand) const override;
    bool has_attribute(std::string_view key) const override {
        return op_.attribute(key) != nullptr;
    }
    bool has_results() const override { return !op_.results.empty(); }

 private:
    [[noreturn]] void refuse(std::string_view code, const std::string& what,
                             bool newer_rule) const override;
    const Item* item(std::string_view operand) const;

    const Operation& op_;
    const IssuePlan& plan_;
    std::span<const Item* const> chosen_;
};

}  // namespace ptosim::assembly
