// Matrix products: c(i, j) = start + sum over k of a(i, k) * b(k, j), one fused multiply-add per
// term in increasing k, where start is 0 or the accumulator; a bias is added after the last term
// (PTO-ISA/pto-spec spec/hardware-conformance-profile.json; "Numbers" in the architecture).
#include "isa/semantics/matmul_kernel.h"

#include <vector>

#include "isa/semantics/arithmetic.h"
#include "isa/semantics/grid.h"

namespace ptosim::semantics {

namespace {

// Dense copies of the operands, reused by the products of this host thread.
template <typename T>
struct Scratch {
    std::vector<T> a, b, c;
};
template <typename T>
Scratch<T>& scratch() {
    thread_local Scratch<T> arrays;
    return arrays;
}

// The valid region, row-major, each element widened to T (exact for every input type).
template <typename T>
void read_dense(const Tile& tile, const std::byte* base, int rows, int cols,
                std::vector<T>& dense) {
    dense.resize(static_cast<size_t>(rows) * static_cast<size_t>(cols));
    const Grid& grid = grid_of(0, tile, 0, 0, rows, cols);
    auto read = [&](auto type, auto widen) {
        using Element = decltype(type);
        T* out = dense.data();
        for (int64_t row : grid.row)
            for (int64_t col : grid.col)
                *out++ = widen(
                    load<Element>(base + (row + col) * static_cast<int64_t>(sizeof(Element))));
    };
    if constexpr (std::is_same_v<T, float>) {
        if (tile.dtype == DType::kF32 || tile.dtype == DType::kF16 || tile.dtype == DType::kBF16) {
            visit_float(tile.dtype,
                        [&](auto type) { read(type, [](auto value) { return to_float(value); }); });
        } else if (bits(tile.dtype) == 4) {
            alignas(64) float values[16];
            for (unsigned i = 0; i < 16; ++i) values[i] = static_cast<float>(decode(tile.dtype, i));
            T* out = dense.data();
            for (int64_t row : grid.row)
                for (int64_t col : grid.col) {
                    const int64_t at = row + col;
                    *out++ = values[std::to_integer<unsigned>(base[at / 2] >> (at % 2 * 4)) & 15];
                }
        } else {  // 8-bit floats: the 256 values as a table
            alignas(64) float values[256];
            for (unsigned i = 0; i < 256; ++i)
                values[i] = static_cast<float>(decode(tile.dtype, i));
            read(uint8_t{}, [&](uint8_t value) { return values[value]; });
        }
    } else {
        visit_integer(tile.dtype, [&](auto type) {
            read(type, [](auto value) { return static_cast<T>(value); });
        });
    }
}

template <typename T>
void write_dense(const Tile& tile, std::byte* base, int rows, int cols,
                 const std::vector<T>& dense) {
    const Grid& grid = grid_of(0, tile, 0, 0, rows, cols);
    const T* in = dense.data();
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) {
            T value = *in++;
            // The host's NaNs differ in sign and payload; a NaN stays one through the chain.
            if constexpr (std::is_same_v<T, float>) value = canonical(value);
            store(base + (grid.row[static_cast<size_t>(i)] + grid.col[static_cast<size_t>(j)]) *
                             static_cast<int64_t>(sizeof(T)),
                  value);
        }
}

// Operand indices; -1 for an operand that the instruction does not have.
struct Roles {
    int c_in;
    unsigned a, b;
    int bias;
    int a_scale = -1, b_scale = -1;
};

constexpr int kScaleGroup = 32;  // elements along k that share an MX scale

// Multiplies an e8m0 scale into each element of the dense matrix, in f32: a has one scale per row
// and group of columns, b one per group of rows and column
// (PTO-ISA/pto-spec spec/hardware-conformance-profile.json: scales go into the inputs).
void apply_scales(const Execution& e, int operand, bool groups_in_columns, int rows, int cols,
                  std::vector<float>& dense) {
    const auto i = static_cast<unsigned>(operand);
    const int scale_rows = groups_in_columns ? rows : (rows + kScaleGroup - 1) / kScaleGroup;
    const int scale_cols = groups_in_columns ? (cols + kScaleGroup - 1) / kScaleGroup : cols;
    thread_local std::vector<float> scales;
    read_dense(e.tile(i), e.bytes[i], scale_rows, scale_cols, scales);
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) {
            const int scale = groups_in_columns ? row * scale_cols + col / kScaleGroup
                                                : row / kScaleGroup * scale_cols + col;
            float& value = dense[static_cast<size_t>(row) * static_cast<size_t>(cols) +
                                 static_cast<size_t>(col)];
            value = mul(value, scales[static_cast<size_t>(scale)]);
        }
}

template <typename T>
void product(const Execution& e, const Roles& roles) {
    const Tile& c = e.tile(0);
    const Tile& a = e.tile(roles.a);
    const Tile& b = e.tile(roles.b);
    const int m = a.valid_rows;
    const int k = a.valid_cols;
    const int n = b.valid_cols;

    Scratch<T>& arrays = scratch<T>();
    read_dense(a, e.bytes[roles.a], m, k, arrays.a);
    read_dense(b, e.bytes[roles.b], k, n, arrays.b);
    if constexpr (std::is_same_v<T, float>) {
        if (roles.a_scale >= 0) apply_scales(e, roles.a_scale, true, m, k, arrays.a);
        if (roles.b_scale >= 0) apply_scales(e, roles.b_scale, false, k, n, arrays.b);
    }
    if (roles.c_in < 0) {
        arrays.c.assign(static_cast<size_t>(m) * static_cast<size_t>(n), T{0});
    } else {
        const auto i = static_cast<unsigned>(roles.c_in);
        read_dense(e.tile(i), e.bytes[i], m, n, arrays.c);
    }
    if constexpr (std::is_same_v<T, float>) {
        const bool exact = a.dtype == DType::kF16 && b.dtype == DType::kF16;
        multiply_add(arrays.a.data(), arrays.b.data(), arrays.c.data(), m, k, n, exact);
    } else {  // i8 is the only integer type of factors (rule matmul_types)
        multiply_add_bytes(arrays.a.data(), arrays.b.data(), arrays.c.data(), m, k, n);
    }
    if (roles.bias >= 0) {
        const auto i = static_cast<unsigned>(roles.bias);
        read_dense(e.tile(i), e.bytes[i], 1, n, arrays.b);
        for (size_t j = 0; j < arrays.c.size(); ++j)
            arrays.c[j] = add_lane(arrays.c[j], arrays.b[j % static_cast<size_t>(n)]);
    }
    write_dense(c, e.bytes[0], m, n, arrays.c);
}

void product(const Execution& e, const Roles& roles) {
    if (e.tile(0).dtype == DType::kI32)
        product<int32_t>(e, roles);
    else
        product<float>(e, roles);
}

}  // namespace

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
