// The inner product kernels: c[i][j] continues its chain of fused multiply-adds over k.
//
// Each element of c takes its terms in increasing k, one rounding per term ("Numbers" in the
// architecture); the kernels only differ in which elements they work on at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/numeric/wide.h"

namespace ptosim::semantics {

// The meaning: c = fma(a, b, c) with std::fma. Dense row-major: a is m x k, b is k x n, c is
// m x n. The integers wrap.
void multiply_add_plain(const float* a, const float* b, float* c, int m, int k, int n);
void multiply_add_plain(const int32_t* a, const int32_t* b, int32_t* c, int m, int k, int n);

// Layout of b for the fast kernels: in panels of columns, one after another, each k rows of panel_width() floats.
// Columns are filled up with zeros to whole vectors.
inline constexpr int kPanelColumns = 64;
inline constexpr int kVectorColumns = 16;
constexpr int whole_vectors(int n) {
    return (n + kVectorColumns - 1) / kVectorColumns * kVectorColumns;
}
constexpr int panel_width(int first_column, int n) {
    const int left = whole_vectors(n) - first_column;
    return left < kPanelColumns ? left : kPanelColumns;
}
// Index of element (row, col) of a k x n matrix in panels.
constexpr int64_t panel_index(int row, int col, int k, int n) {
    const int first = col / kPanelColumns * kPanelColumns;
    return int64_t{first} * k + int64_t{row} * panel_width(first, n) + (col - first);
}

// Position of c: vectors of 16 columns, `row` floats from row to row and `vector` floats from vector to vector (16 in a
// dense matrix with rows of whole vectors; L0C has its columns of boxes).
struct Accumulator {
    float* data;
    int64_t row;
    int64_t vector;
    bool zero = false;  // it starts from zeros, whatever is there
};

// Uses the widest instructions of the host, with the same bits as the plain version except NaNs, which are canonical.
// Dense row-major a with `a_pitch` floats from row to row, b in panels. `exact_products`: every product of an element
// of a and one of b is a float (true for f16: 22 significant bits, exponents within +-48), so that a rounded product
// and an addition are the fused operation. bf16 products may leave a float's exponent range and need the fused one.
// `vectors` must be no wider than the host's.
void multiply_add(const float* a, int64_t a_pitch, const float* b, const Accumulator& c, int m,
                  int k, int n, bool exact_products, Vectors vectors = kHostVectors);

// The same for integers in -128..127, given as floats, and an accumulator of wrapping integers. Products and their sums
// over 512 terms are whole numbers that a float represents, so neither their order nor rounding matters. b has panels
// of up to kByteTerms rows, beginning with rows [0, kByteTerms); each panel is laid out as for multiply_add with its k.
inline constexpr int kByteTerms = 512;  // 512 * 128 * 128 = 2^23
void multiply_add_bytes(const float* a, int64_t a_pitch, const float* b, int32_t* c, int m, int k,
                        int n);

// Floats at the boundaries of cache lines; their values after a resize are undefined.
class AlignedFloats {
 public:
    float* resize(int64_t count) {
        const auto lines = static_cast<size_t>((count + 15) / 16);
        if (lines_.size() < lines) lines_.resize(lines);
        return data();
    }
    float* data() { return lines_.data()->values; }

 private:
    struct alignas(64) Line {
        float values[16];
    };
    std::vector<Line> lines_ = std::vector<Line>(1);
};

}  // namespace ptosim::semantics
