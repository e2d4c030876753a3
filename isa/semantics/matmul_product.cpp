#include "isa/semantics/matmul_product.h"

#include <algorithm>

#include "isa/semantics/arithmetic.h"
#include "isa/semantics/matmul_kernel.h"
#include "isa/semantics/matmul_operands.h"

namespace ptosim::semantics {

namespace {

constexpr int kScaleGroup = 32;  // elements along k that share an MX scale

// Operands in the kernels' layout; the buffers are reused by the products of this host thread.
struct ProductScratch {
    AlignedFloats a, b, c, bias, scales;
};
ProductScratch& product_scratch() {
    thread_local ProductScratch arrays;
    return arrays;
}

struct Shape {
    int m, k, n;
};

// Multiplies e8m0 scales into the elements, in f32 (PTO-ISA/pto-spec
// spec/hardware-conformance-profile.json: scales go into the inputs): a has one per row and group
// of columns, b one per group of rows and column.
void scale_a(const Execution& e, unsigned operand, const Shape& shape, float* a, float* scales) {
    const int groups = (shape.k + kScaleGroup - 1) / kScaleGroup;
    unpack_rows(e.tile(operand), e.bytes[operand], shape.m, groups, scales, groups);
    widest([=] {
        for (int i = 0; i < shape.m; ++i)
            for (int group = 0; group < groups; ++group) {
                const float scale = scales[int64_t{i} * groups + group];
                const int begin = group * kScaleGroup;
                const int count = std::min(kScaleGroup, shape.k - begin);
                float* const values = a + int64_t{i} * shape.k + begin;
                for (int p = 0; p < count; ++p) values[p] *= scale;
            }
    });
}

void scale_b(const Execution& e, unsigned operand, const Shape& shape, float* b, float* scales) {
    const int groups = (shape.k + kScaleGroup - 1) / kScaleGroup;
    const int pitch = whole_vectors(shape.n);
    unpack_rows(e.tile(operand), e.bytes[operand], groups, shape.n, scales, pitch);
    for (int group = 0; group < groups; ++group)  // the columns that fill up the last vector
        std::fill(scales + group * pitch + shape.n, scales + (group + 1) * pitch, 1.0F);
    widest([=] {
        for (int col = 0; col < shape.n; col += kPanelColumns) {
            const int width = panel_width(col, shape.n);
            for (int p = 0; p < shape.k; ++p) {
                float* const row = b + panel_index(p, col, shape.k, shape.n);
                const float* const scale = scales + p / kScaleGroup * pitch + col;
                for (int j = 0; j < width; ++j) row[j] *= scale[j];
            }
        }
    });
}

// True if the kernel can work on c in place: c has whole vectors, and the sums start from zeros or from c itself.
bool in_place(const Execution& e, const ProductRoles& roles, const Shape& shape) {
    const Tile& c = e.tile(0);
    if (layout_name(c) != "NZ" || c.box_cols() != kVectorColumns || shape.n % kVectorColumns != 0 ||
        roles.bias >= 0)
        return false;
    if (roles.c_in < 0) return true;
    const auto i = static_cast<unsigned>(roles.c_in);
    return e.bytes[i] == e.bytes[0] && e.tile(i).pitch == c.pitch;
}

// The accumulator's start, as 32-bit elements.
void read_start(const Execution& e, const ProductRoles& roles, const Shape& shape, float* c) {
    if (roles.c_in < 0) {
        std::fill(c, c + int64_t{shape.m} * whole_vectors(shape.n), 0.0F);
        return;
    }
    const auto i = static_cast<unsigned>(roles.c_in);
    read_words(e.tile(i), e.bytes[i], shape.m, shape.n, reinterpret_cast<std::byte*>(c),
               whole_vectors(shape.n));
}

// c + bias, row by row.
template <typename T>
void finish(const Execution& e, const ProductRoles& roles, const Shape& shape, T* c, float* spare) {
    const int pitch = whole_vectors(shape.n);
    if (roles.bias >= 0) {
        const auto operand = static_cast<unsigned>(roles.bias);
        read_words(e.tile(operand), e.bytes[operand], 1, shape.n,
                   reinterpret_cast<std::byte*>(spare), pitch);
        for (int i = 0; i < shape.m; ++i)
            for (int j = 0; j < shape.n; ++j)
                c[int64_t{i} * pitch + j] = add_lane(
                    c[int64_t{i} * pitch + j], load<T>(reinterpret_cast<std::byte*>(spare + j)));
    }
    write_words(e.tile(0), e.bytes[0], shape.m, shape.n, reinterpret_cast<std::byte*>(c), pitch);
}

// Factors of f32 in the precision that the cube is set to.
void round_factors(FactorRounding mode, float* values, int64_t count) {
    if (mode == FactorRounding::kNone) return;
    const bool tf32 = mode == FactorRounding::kTf32Away || mode == FactorRounding::kTf32Even;
    const bool away = mode == FactorRounding::kTf32Away || mode == FactorRounding::kHf32Away;
    const DType type = tf32 ? DType::kTF32 : DType::kHF32;
    for (int64_t i = 0; i < count; ++i)
        values[i] = std::bit_cast<float>(static_cast<uint32_t>(convert_bits(
            DType::kF32, type,
            convert_bits(type, DType::kF32, std::bit_cast<uint32_t>(values[i]),
                         away ? RoundMode::kRound : RoundMode::kRint, Saturation::kOff),
            RoundMode::kRint, Saturation::kOff)));
}

}  // namespace

void product(const Execution& e, const ProductRoles& roles) {
    const Tile& left = e.tile(roles.a);
    const Tile& right = e.tile(roles.b);
    const Shape shape{left.valid_rows, left.valid_cols, right.valid_cols};
    const bool integers = e.tile(0).dtype == DType::kI32;
    const int64_t width = whole_vectors(shape.n);

    ProductScratch& arrays = product_scratch();
    float* const a = arrays.a.resize(int64_t{shape.m} * shape.k);
    float* const b = arrays.b.resize(shape.k * width);
    unpack_rows(left, e.bytes[roles.a], shape.m, shape.k, a, shape.k);
    unpack_panels(right, e.bytes[roles.b], shape.k, shape.n, integers ? kByteTerms : shape.k, b);
    round_factors(e.instruction.attributes.factor_rounding, a, int64_t{shape.m} * shape.k);
    round_factors(e.instruction.attributes.factor_rounding, b, shape.k * width);
    if (integers) {  // i8 is the only integer type of factors (rule matmul_types)
        float* const c = arrays.c.resize(shape.m * width);
        read_start(e, roles, shape, c);
        auto* const sums = reinterpret_cast<int32_t*>(c);
        multiply_add_bytes(a, shape.k, b, sums, shape.m, shape.k, shape.n);
        finish(e, roles, shape, sums, arrays.bias.resize(width));
        return;
    }
    const int64_t groups = (shape.k + kScaleGroup - 1) / kScaleGroup;
    if (roles.a_scale >= 0)
        scale_a(e, static_cast<unsigned>(roles.a_scale), shape, a,
                arrays.scales.resize(groups * shape.m));
    if (roles.b_scale >= 0)
        scale_b(e, static_cast<unsigned>(roles.b_scale), shape, b,
                arrays.scales.resize(groups * width));
    const bool exact = left.dtype == DType::kF16 && right.dtype == DType::kF16;
    if (in_place(e, roles, shape)) {
        const Tile& c = e.tile(0);
        multiply_add(a, shape.k, b,
                     {reinterpret_cast<float*>(e.bytes[0]), kVectorColumns,
                      int64_t{kVectorColumns} * c.pitch, roles.c_in < 0},
                     shape.m, shape.k, shape.n, exact);
        return;
    }
    float* const c = arrays.c.resize(shape.m * width);
    read_start(e, roles, shape, c);
    multiply_add(a, shape.k, b, {c, width, kVectorColumns}, shape.m, shape.k, shape.n, exact);
    finish(e, roles, shape, c, arrays.bias.resize(width));
}

}  // namespace ptosim::semantics
