// Several operations in one instruction. If the name contains "fused", product and sum are rounded once; elsewhere each
// operation rounds (isa/table/profile_rules.h).
#include "isa/instructions/fused_rules.h"
#include "isa/instructions/row.h"
#include "isa/numeric/round_up.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

namespace {

// Profile rule "fused-rounds-f16-product".
bool rounds_product(const Execution& e) {
    return e.numerics != Numerics::kIEEE && e.tile(0).dtype == DType::kF16;
}

// Calls f for pieces of a run, with room for the lanes of an intermediate result.
template <typename F>
void walk_by_steps(const Execution& e, std::initializer_list<unsigned> operands, F f) {
    const size_t width = bytes(e.tile(0).dtype, 1);
    alignas(64) std::byte step[kChunk * kMostBytes];
    walk(e, operands, [&](const Run& run) {
        for (int64_t at = 0; at < run.count; at += kChunk) {
            Run piece{run.out + at * width, {}, std::min<int64_t>(kChunk, run.count - at)};
            for (size_t i = 0; i + 1 < operands.size(); ++i) piece.in[i] = run.in[i] + at * width;
            f(piece, static_cast<std::byte*>(step));
        }
    });
}

// then(first(a, b), c)
void two_steps(const Execution& e, const BinaryLoops& first, const BinaryLoops& then, unsigned a, unsigned b,
               unsigned c) {
    const DType type = e.tile(0).dtype;
    walk_by_steps(e, {0, a, b, c}, [one = first[type], two = then[type]](const Run& run, std::byte* step) {
        one(run.in[0], run.in[1], step, run.count);
        two(step, run.in[2], run.out, run.count);
    });
}

// a * b + c, rounded twice; once if it is fused.
void multiply_and_add(const Execution& e, bool fused, unsigned a, unsigned b, unsigned c) {
    if (fused)
        ternary(e, loops::kFma[e.tile(0).dtype], a, b, c);
    else
        two_steps(e, loops::kMul, loops::kAdd, a, b, c);
}
// Once by the vector unit of a5 (profile rule product-fused).
bool is_fused(const Execution& e) { return is_a5(e.numerics); }

}  // namespace

// src0 > 0 ? src0 : src0 * slope
void TPRELU(const Execution& e) { binary(e, loops::kLeaky); }
void TLRELU(const Execution& e) { binary_scalar(e, loops::kLeaky); }

// dst = dst + src * scalar; an f16 source may be accumulated in f32.
void TAXPY(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    if (to.dtype == from.dtype) {
        const size_t width = bytes(to.dtype, 1);
        const uint64_t scalar = scalar_bits(e.scalar(2), to.dtype);
        alignas(64) std::byte scalars[kChunk * kMostBytes];
        repeat_lane(reinterpret_cast<const std::byte*>(&scalar), width, kChunk, scalars);
        walk_by_steps(e, {0, 0, 1}, [&](const Run& run, std::byte* step) {
            if (is_fused(e)) return loops::kFma[to.dtype](run.in[1], scalars, run.in[0], run.out, run.count);
            loops::kMul[to.dtype](run.in[1], scalars, step, run.count);
            loops::kAdd[to.dtype](step, run.in[0], run.out, run.count);
        });
        return;
    }
    const float scalar = to_float(scalar_as<Half>(e.scalar(2)));
    for_chunks(to.valid_rows, to.valid_cols, false, [&](int row, int col, int count) {
        for (int i = col; i < col + count; ++i) {
            const float a = to_float(read_lane<Half>(from, e.bytes[1], row, i));
            const float sum = read_lane<float>(to, e.bytes[0], row, i);
            write_lane(to, e.bytes[0], row, i, is_fused(e) ? fma(a, scalar, sum) : add(mul(a, scalar), sum));
        }
    });
}

// src0 + src1 + src2 and src0 - src1 + src2, left to right: no carry is involved.
void TADDC(const Execution& e) { two_steps(e, loops::kAdd, loops::kAdd, 1, 2, 3); }
void TSUBC(const Execution& e) { two_steps(e, loops::kSub, loops::kAdd, 1, 2, 3); }

namespace {

// first(src0, scalar) + src1
void scalar_between(const Execution& e, const BinaryLoops& first) {
    const DType type = e.tile(0).dtype;
    const uint64_t scalar = scalar_bits(e.scalar(2), type);
    alignas(64) std::byte scalars[kChunk * kMostBytes];
    repeat_lane(reinterpret_cast<const std::byte*>(&scalar), bytes(type, 1), kChunk, scalars);
    walk_by_steps(e, {0, 1, 3}, [&](const Run& run, std::byte* step) {
        first[type](run.in[0], scalars, step, run.count);
        loops::kAdd[type](step, run.in[1], run.out, run.count);
    });
}

}  // namespace

// src0 + scalar + src1 and src0 - scalar + src1.
void TADDSC(const Execution& e) { scalar_between(e, loops::kAdd); }
void TSUBSC(const Execution& e) { scalar_between(e, loops::kSub); }

// dst = src0 * dst + src1, rounded once.
void TFUSEDMULADD(const Execution& e) { multiply_and_add(e, !rounds_product(e), 1, 0, 2); }
void TFUSEDMULADDRELU(const Execution& e) {
    const DType type = e.tile(0).dtype;
    walk_by_steps(e, {0, 1, 0, 2}, [&, twice = rounds_product(e)](const Run& run, std::byte* step) {
        if (twice) {
            loops::kMul[type](run.in[0], run.in[1], step, run.count);
            loops::kAdd[type](step, run.in[2], step, run.count);
        } else {
            loops::kFma[type](run.in[0], run.in[1], run.in[2], step, run.count);
        }
        loops::kRelu[type](step, run.out, run.count);
    });
}
// dst = src0 * src1 + dst
void TMULADDDST(const Execution& e) { multiply_and_add(e, is_fused(e), 1, 2, 0); }

void TSUBRELU(const Execution& e) { binary(e, loops::kSubRelu); }
void TADDRELU(const Execution& e) { binary(e, loops::kAddRelu); }

namespace {

// relu(f(src0, src1)) in the source type, then converted to nearest even, saturating.
void relu_convert(const Execution& e, const BinaryLoops& loops) {
    const Tile& to = e.tile(0);
    const DType type = e.tile(1).dtype;
    const size_t width = bytes(type, 1);
    alignas(64) std::byte a[kChunk * kMostBytes], b[kChunk * kMostBytes], out[kChunk * 4];
    for_chunks(to.valid_rows, to.valid_cols, false, [&](int row, int col, int count) {
        read_line(e.tile(1), e.bytes[1], row, col, count, width, a);
        read_line(e.tile(2), e.bytes[2], row, col, count, width, b);
        loops[type](a, b, a, count);
        const auto lanes = static_cast<size_t>(count);
        convert_run(to.dtype, out, type, a, lanes, RoundMode::kRint, Saturation::kOn);
        std::memcpy(e.bytes[0] + to.index(row, col) * static_cast<int64_t>(bits(to.dtype)) / 8, out,
                    bytes(to.dtype, lanes));
    });
}

}  // namespace

void TADDRELUCONV(const Execution& e) { relu_convert(e, loops::kAddRelu); }
void TSUBRELUCONV(const Execution& e) { relu_convert(e, loops::kSubRelu); }

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
