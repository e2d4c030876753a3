// Several operations in one instruction. If the name contains "fused", product and sum are rounded once; elsewhere each
// operation rounds (isa/table/profile_rules.h).
#include "isa/instructions/fused_rules.h"
#include "isa/instructions/row.h"
#include "isa/numeric/round_up.h"
#include "isa/semantics/elementwise.h"

namespace ptosim::semantics {

namespace {

template <typename F>
void ternary(const Execution& e, unsigned a, unsigned b, unsigned c, F&& f) {
    visit_arithmetic(e.tile(0).dtype,
                     [&](auto type) { map_ternary<decltype(type)>(e, 0, a, b, c, f); });
}

template <typename F>
void ternary_float(const Execution& e, F&& f) {
    visit_float(e.tile(0).dtype, [&](auto type) { map_ternary<decltype(type)>(e, 0, 1, 2, 0, f); });
}

// Profile rule "fused-rounds-f16-product".
bool rounds_product(const Execution& e) {
    return e.numerics != Numerics::kIEEE && e.tile(0).dtype == DType::kF16;
}

template <typename T>
T leaky_lane(T a, T slope) {
    return to_float(a) > 0.0F ? a : mul(a, slope);
}

}  // namespace

// src0 > 0 ? src0 : src0 * slope
void TPRELU(const Execution& e) {
    visit_float(e.tile(0).dtype, [&](auto type) {
        map_binary<decltype(type)>(e, 0, 1, 2, [](auto a, auto b) { return leaky_lane(a, b); });
    });
}
void TLRELU(const Execution& e) {
    visit_float(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        const T slope = scalar_as<T>(e.scalar(2));
        map_unary<T>(e, 0, 1, [&](const T* a, T* out, int count) {
            for (int i = 0; i < count; ++i) out[i] = leaky_lane(a[i], slope);
        });
    });
}

namespace {

// a * b + c, rounded twice; once by the vector unit of a5 (profile rule product-fused).
template <typename T>
T multiply_and_add(const Execution& e, T a, T b, T c) {
    return is_a5(e.numerics) ? fma(a, b, c) : add(mul(a, b), c);
}

}  // namespace

// dst = dst + src * scalar; an f16 source may be accumulated in f32.
void TAXPY(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    if (to.dtype == from.dtype) {
        visit_float(to.dtype, [&](auto type) {
            using T = decltype(type);
            const T scalar = scalar_as<T>(e.scalar(2));
            map_binary<T>(e, 0, 0, 1,
                          [&](T sum, T a) { return multiply_and_add(e, a, scalar, sum); });
        });
        return;
    }
    const float scalar = to_float(scalar_as<Half>(e.scalar(2)));
    for_chunks(to.valid_rows, to.valid_cols, false, [&](int row, int col, int count) {
        for (int i = col; i < col + count; ++i) {
            const float a = to_float(read_lane<Half>(from, e.bytes[1], row, i));
            const float sum = read_lane<float>(to, e.bytes[0], row, i);
            write_lane(to, e.bytes[0], row, i, multiply_and_add(e, a, scalar, sum));
        }
    });
}

// src0 + src1 + src2 and src0 - src1 + src2, left to right: no carry is involved.
void TADDC(const Execution& e) {
    ternary(e, 1, 2, 3, [](auto a, auto b, auto c) { return add_lane(add_lane(a, b), c); });
}
void TSUBC(const Execution& e) {
    ternary(e, 1, 2, 3, [](auto a, auto b, auto c) { return add_lane(sub_lane(a, b), c); });
}

namespace {

template <typename F>
void scalar_between(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = scalar_as<T>(e.scalar(2));
        map_binary<T>(e, 0, 1, 3, [&](T a, T c) { return f(a, scalar, c); });
    });
}

}  // namespace

// src0 + scalar + src1 and src0 - scalar + src1.
void TADDSC(const Execution& e) {
    scalar_between(e, [](auto a, auto b, auto c) { return add_lane(add_lane(a, b), c); });
}
void TSUBSC(const Execution& e) {
    scalar_between(e, [](auto a, auto b, auto c) { return add_lane(sub_lane(a, b), c); });
}

// dst = src0 * dst + src1, rounded once.
void TFUSEDMULADD(const Execution& e) {
    if (rounds_product(e))
        ternary_float(e, [](auto a, auto b, auto dst) { return add(mul(a, dst), b); });
    else
        ternary_float(e, [](auto a, auto b, auto dst) { return fma(a, dst, b); });
}
void TFUSEDMULADDRELU(const Execution& e) {
    if (rounds_product(e))
        ternary_float(e, [](auto a, auto b, auto dst) { return relu_lane(add(mul(a, dst), b)); });
    else
        ternary_float(e, [](auto a, auto b, auto dst) { return relu_lane(fma(a, dst, b)); });
}
// dst = src0 * src1 + dst
void TMULADDDST(const Execution& e) {
    ternary_float(e, [&e](auto a, auto b, auto dst) { return multiply_and_add(e, a, b, dst); });
}

void TSUBRELU(const Execution& e) {
    binary(e, [](auto a, auto b) { return relu_lane(sub_lane(a, b)); });
}
void TADDRELU(const Execution& e) {
    binary(e, [](auto a, auto b) { return relu_lane(add_lane(a, b)); });
}

namespace {

// relu(f(src0, src1)) in the source type, then converted to nearest even, saturating.
template <typename F>
void relu_convert(const Execution& e, F&& f) {
    const Tile& to = e.tile(0);
    visit_arithmetic(e.tile(1).dtype, [&](auto type) {
        using T = decltype(type);
        alignas(64) T a[kChunk];
        alignas(64) T b[kChunk];
        alignas(64) std::byte out[kChunk * 4];
        for_chunks(to.valid_rows, to.valid_cols, false, [&](int row, int col, int count) {
            read_lanes(e.tile(1), e.bytes[1], row, col, count, a);
            read_lanes(e.tile(2), e.bytes[2], row, col, count, b);
            for (int i = 0; i < count; ++i) a[i] = relu_lane(f(a[i], b[i]));
            const auto lanes = static_cast<size_t>(count);
            convert_run(to.dtype, out, e.tile(1).dtype, a, lanes, RoundMode::kRint,
                        Saturation::kOn);
            std::memcpy(e.bytes[0] + to.index(row, col) * static_cast<int64_t>(bits(to.dtype)) / 8,
                        out, bytes(to.dtype, lanes));
        });
    });
}

}  // namespace

void TADDRELUCONV(const Execution& e) {
    relu_convert(e, [](auto a, auto b) { return add_lane(a, b); });
}
void TSUBRELUCONV(const Execution& e) {
    relu_convert(e, [](auto a, auto b) { return sub_lane(a, b); });
}

// relu(scale * f32(src0 + src1)) in f16; the sum wraps, the product and the result are rounded.
void TADDDEQRELU(const Execution& e) {
    const Tile& to = e.tile(0);
    const float scale = scalar_as<float>(e.scalar(3));
    for (int row = 0; row < to.valid_rows; ++row)
        for (int col = 0; col < to.valid_cols; ++col) {
            const int32_t sum = add_lane(read_lane<int32_t>(e.tile(1), e.bytes[1], row, col),
                                         read_lane<int32_t>(e.tile(2), e.bytes[2], row, col));
            const float scaled = mul(static_cast<float>(sum), scale);
            write_lane(to, e.bytes[0], row, col, relu_lane(round_to_half(scaled)));
        }
}

// dst(i, j) = src(i, 2j) + src(i, 2j + 1); a last single column is copied.
void TPAIRREDUCESUM(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    visit_float(to.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < from.valid_rows; ++row)
            for (int col = 0; col + 1 < from.valid_cols; col += 2)
                write_lane(to, e.bytes[0], row, col / 2,
                           add(read_lane<T>(from, e.bytes[1], row, col),
                               read_lane<T>(from, e.bytes[1], row, col + 1)));
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// A row of mask bits for each row, and the scratch of the selection after them (hw-native-sys/pto-isa
// docs/isa/TPRELU.md, "Temporary Space"; include/pto/npu/a2a3/TPrelu.hpp).
uint64_t scratch_row_of_prelu(const Instruction& instruction) {
    return ceil_div(static_cast<uint64_t>(instruction.tile(0).valid_cols), uint64_t{8});
}
uint64_t scratch_of_prelu(const Instruction& instruction) {
    const Tile& tmp = instruction.tile(3);
    const int64_t masks = int64_t{instruction.tile(0).valid_rows} * tmp.pitch;
    return bytes(tmp.dtype, static_cast<size_t>(masks)) + 32;
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/fused.def"
}  // namespace ptosim::rows
