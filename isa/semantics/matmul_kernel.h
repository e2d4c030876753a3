// The inner product kernels: c[i][j] continues its chain of fused multiply-adds over k.
//
// Dense row-major operands: a is m x k, b is k x n, c is m x n. Each element of c takes its terms
// in increasing k, one rounding per term ("Numbers" in the architecture); the kernels only differ
// in which elements they work on at the same time.
#pragma once

#include <cstdint>

namespace ptosim::semantics {

// The meaning: c = fma(a, b, c) with std::fma.
void multiply_add_plain(const float* a, const float* b, float* c, int m, int k, int n);
void multiply_add_plain(const int32_t* a, const int32_t* b, int32_t* c, int m, int k, int n);

// The same bits, with the widest instructions of the host. `exact_products`: every product of an
// element of a and one of b is a float (true for f16: 22 significant bits, exponents within
// +-48), so that a rounded product and an addition are the fused operation. bf16 products may
// leave a float's exponent range and need the fused one.
void multiply_add(const float* a, const float* b, float* c, int m, int k, int n,
                  bool exact_products);
void multiply_add(const int32_t* a, const int32_t* b, int32_t* c, int m, int k, int n);

// The same for elements of a and b in -128..127, faster: the products and their sums over 512 terms
// are whole numbers that a float holds, so that neither their order nor rounding matters.
void multiply_add_bytes(const int32_t* a, const int32_t* b, int32_t* c, int m, int k, int n);

}  // namespace ptosim::semantics
