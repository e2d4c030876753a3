// Matrix products of tiles: c(i, j) = start + sum over k of a(i, k) * b(k, j), one fused multiply-add per
// term in increasing k, where start is 0 or the accumulator; a bias is added after the last term
// (PTO-ISA/pto-spec spec/hardware-conformance-profile.json; "Numbers" in the architecture).
#pragma once

#include "isa/core/execution.h"

namespace ptosim::semantics {

// Operand indices, c is operand 0; -1 for an operand that the instruction does not have.
struct ProductRoles {
    int c_in;
    unsigned a, b;
    int bias;
    int a_scale = -1, b_scale = -1;
};

// m and k come from the valid left factor, n from the right one.
void product(const Execution& e, const ProductRoles& roles);

}  // namespace ptosim::semantics
