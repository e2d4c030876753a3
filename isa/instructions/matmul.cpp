// Matrix products (isa/semantics/matmul_product.h).
#include "isa/instructions/matmul_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/matmul_product.h"

namespace ptosim::semantics {

void TMATMUL(const Execution& e) { product(e, {-1, 1, 2, -1}); }
void TMATMUL_ACC(const Execution& e) { product(e, {1, 2, 3, -1}); }
void TMATMUL_BIAS(const Execution& e) { product(e, {-1, 1, 2, 3}); }
// One row of a: the same product.
void TGEMV(const Execution& e) { product(e, {-1, 1, 2, -1}); }
void TGEMV_ACC(const Execution& e) { product(e, {1, 2, 3, -1}); }
void TGEMV_BIAS(const Execution& e) { product(e, {-1, 1, 2, 3}); }

// Operands ([c, c_in], a, a_scale, b, b_scale, [bias]).
void TMATMUL_MX(const Execution& e) { product(e, {-1, 1, 3, -1, 2, 4}); }
void TMATMUL_MX_ACC(const Execution& e) { product(e, {1, 2, 4, -1, 3, 5}); }
void TMATMUL_MX_BIAS(const Execution& e) { product(e, {-1, 1, 3, 5, 2, 4}); }
void TGEMV_MX(const Execution& e) { product(e, {-1, 1, 3, -1, 2, 4}); }
void TGEMV_MX_ACC(const Execution& e) { product(e, {1, 2, 4, -1, 3, 5}); }
void TGEMV_MX_BIAS(const Execution& e) { product(e, {-1, 1, 3, 5, 2, 4}); }

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/matmul.def"
}  // namespace ptosim::rows
