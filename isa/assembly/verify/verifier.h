// What can be said about a kernel without running it: the rules of instructions, tiles and
// functions, on what types and constants determine (BindOptions::verify).
#pragma once

#include "isa/assembly/context/binder_part.h"
#include "isa/instruction_table.h"

namespace ptosim::assembly {

class Verifier : public BinderPart {
 public:
    using BinderPart::BinderPart;

    // Verifies a function as a whole, before its body.
    void verify_function(const Operation& function);
    // Verifies a tile where it is allocated.
    void verify_tile(const Operation& op, const Type& type, const Tile& tile);
    void verify_address(const Operation& op, Slot address);
    // `chosen`: for each operand of the row what the text gives, or null.
    void verify_instruction(const Operation& op, const InstructionInfo& row, const IssuePlan& plan,
                            std::span<const Item* const> chosen);

 private:
    void verify_helper(const Block& block);
    void warn_of_first_element(const Operation& op, const InstructionInfo& row);
    void check_rules(const Operation& op, const InstructionInfo& row, Instruction instruction,
                     bool complete);
    void note_problem(const Operation& op, const InstructionInfo& row, const Problem& problem);
    // Element types that the instruction has, and the assembler refuses.
    void verify_types(const Operation& op, const InstructionInfo& row,
                      const Instruction& instruction);
    void verify_scratch(const Operation& op, const InstructionInfo& row,
                        const Instruction& instruction);
};

}  // namespace ptosim::assembly
