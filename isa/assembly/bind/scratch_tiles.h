// Scratch tiles that a file leaves to the assembler.
#pragma once

#include "isa/assembly/context/binder_part.h"
#include "isa/table/instruction_table.h"

namespace ptosim::assembly {

class ScratchTiles : public BinderPart {
 public:
    using BinderPart::BinderPart;

    // Gives an instruction the scratch tile that it needs and the text leaves out.
    void add_scratch(const Operation& op, const InstructionInfo& row, IssuePlan& plan);

 private:
    std::optional<bool> leaves_addresses_;  // whether the text leaves any to the planner
};

// The type of such a tile as the text would write it.
std::string scratch_type(const Tile& tile);

}  // namespace ptosim::assembly
