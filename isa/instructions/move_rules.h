// The rules of moves between on-chip memories that rows of isa/instructions/move.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule move_paths, move_types, move_shapes, extract_window, insert_window, moves_in_blocks;

}  // namespace ptosim::rules

namespace ptosim::rows {

void exponents_form(const WrittenOperation&);
void move_form(const WrittenOperation&);
void extract_form(const WrittenOperation&);
void insert_form(const WrittenOperation&);

}  // namespace ptosim::rows
