// Instructions of the table: operands to their positions in the row, attributes to their fields.
#pragma once

#include "isa/assembly/bind/scratch_tiles.h"
#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class InstructionBinder : public BinderPart {
 public:
    InstructionBinder(BindContext& context, ScratchTiles& scratch)
        : BinderPart{context}, scratch_{scratch} {}

    void bind_instruction(const Operation& op, const InstructionInfo& row);
    void state_saturation(const InstructionInfo& row, Instruction& instruction);
    void bind_attributes(const Operation& op, const InstructionInfo& row, Attributes& attributes);

 private:
    struct Operands {
        std::vector<const Item*> values;  // in the order of the text
        std::vector<const Type*> types;   // as the clauses give them
        bool no_scratch = false;
    };
    using Chosen = std::vector<const Item*>;  // by the row's operand; null where none is given

    // From the text to lists of operands.
    void collect(const Operation& op, const InstructionInfo& row, Operands& inputs,
                 Operands& outputs, Chosen& chosen);
    void bind_padding(const Operation& op, const InstructionInfo& row, const Clause& clause);
    void check_given_type(const Item& item, const Type* given);
    void check_type_count(const Operation& op, const Operands& list);
    bool is_generic(const Operation& op) const;
    bool compares(const Operation& op, const Operands& inputs);
    static bool is_axis(const InstructionInfo& row, const Item& item);

    // From lists to the row's operands, which `positions` names by their indices.
    static void order_generic(const InstructionInfo& row, std::vector<int>& positions);
    void take_merge_scratch(const InstructionInfo& row, Operands& inputs, const Operands& outputs,
                            Chosen& chosen, std::vector<int>& positions);
    bool fits(const Item& item, const OperandInfo& info);
    bool match(const InstructionInfo& row, std::span<const Item* const> values,
               std::span<const int> positions, Chosen& chosen);
    bool match_by_kind(const InstructionInfo& row, std::span<const Item* const> values,
                       std::span<const int> positions, Chosen& chosen);
    [[noreturn]] void fail_operands(const Operation& op, const InstructionInfo& row,
                                    const Operands& inputs, const Operands& outputs);

    void bind_attribute(const Operation& op, const InstructionInfo& row, std::string_view key,
                        const Attribute& value, SourceLocation where, Attributes& attributes);
    void check_pad_value(const Operation& op, const Tile& dst);

    ScratchTiles& scratch_;
};

}  // namespace ptosim::assembly
