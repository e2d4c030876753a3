// The rules of matrix products that rows of isa/instructions/matmul.def name.
#pragma once

#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

extern const LegalityRule matmul_types, matmul_layouts, matmul_shapes, gemv_shapes, factor_rounding,
    mx_product;

}  // namespace ptosim::rules

namespace ptosim::rows {

void product_mx_form(const WrittenOperation&);

}  // namespace ptosim::rows
