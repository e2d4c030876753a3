// The rules of transfers and TPRINT that rows of isa/instructions/transfer.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule load_types, load_shapes, load_layouts, store_types, store_shapes,
    store_layouts, transfer_bounds, transfer_lines, printable;

}  // namespace ptosim::rules

namespace ptosim::rows {

void load_form(const WrittenOperation&);
void store_form(const WrittenOperation&);
void print_form(const WrittenOperation&);

}  // namespace ptosim::rows
