// How a function of lanes becomes an instruction: dst(i, j) = f(a(i, j), b(i, j)...).
//
// The tiles have the valid region of the destination (legality rule same_valid).
#pragma once

#include "isa/semantics/arithmetic.h"
#include "isa/semantics/half_lanes.h"
#include "isa/semantics/lanes.h"

namespace ptosim::semantics {

// f(const T* a, T* out, int count).
template <typename T, typename F>
void map_unary(const Execution& e, unsigned dst, unsigned src, F&& f) {
    const Tile& to = e.tile(dst);
    const Tile& from = e.tile(src);
    alignas(64) T a[kChunk];
    alignas(64) T out[kChunk];
    for_chunks(to.valid_rows, to.valid_cols, dense(to, from), [&](int row, int col, int count) {
        read_lanes(from, e.bytes[src], row, col, count, a);
        f(static_cast<const T*>(a), static_cast<T*>(out), count);
        write_lanes(to, e.bytes[dst], row, col, count, out);
    });
}

// f(T a, T b) -> T. With `kInFloat`, f16 lanes are computed as floats and rounded once more, which
// gives the same bits for one operation (isa/numeric/arithmetic.h) and is faster.
template <typename T, bool kInFloat = false, typename F>
void map_binary(const Execution& e, unsigned dst, unsigned src0, unsigned src1, F&& f) {
    const Tile& to = e.tile(dst);
    const Tile& from0 = e.tile(src0);
    const Tile& from1 = e.tile(src1);
    alignas(64) T a[kChunk];
    alignas(64) T b[kChunk];
    alignas(64) T out[kChunk];
    const bool flat = dense(to, from0, from1);
    for_chunks(to.valid_rows, to.valid_cols, flat, [&](int row, int col, int count) {
        read_lanes(from0, e.bytes[src0], row, col, count, a);
        read_lanes(from1, e.bytes[src1], row, col, count, b);
        if constexpr (std::is_same_v<T, Half> && kInFloat) {
            alignas(64) float x[kChunk];
            alignas(64) float y[kChunk];
            widen(a, x, count);
            widen(b, y, count);
            for (int i = 0; i < count; ++i) x[i] = f(x[i], y[i]);
            narrow(x, out, count);
        } else {
            for (int i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
        }
        write_lanes(to, e.bytes[dst], row, col, count, out);
    });
}

// f(T a, T b, T c) -> T.
template <typename T, typename F>
void map_ternary(const Execution& e, unsigned dst, unsigned src0, unsigned src1, unsigned src2,
                 F&& f) {
    const Tile& to = e.tile(dst);
    alignas(64) T a[kChunk];
    alignas(64) T b[kChunk];
    alignas(64) T c[kChunk];
    alignas(64) T out[kChunk];
    const bool flat = dense(to, e.tile(src0), e.tile(src1), e.tile(src2));
    for_chunks(to.valid_rows, to.valid_cols, flat, [&](int row, int col, int count) {
        read_lanes(e.tile(src0), e.bytes[src0], row, col, count, a);
        read_lanes(e.tile(src1), e.bytes[src1], row, col, count, b);
        read_lanes(e.tile(src2), e.bytes[src2], row, col, count, c);
        for (int i = 0; i < count; ++i) out[i] = f(a[i], b[i], c[i]);
        write_lanes(to, e.bytes[dst], row, col, count, out);
    });
}

// The three shapes of a row, for lane functions that round once: (dst, src), (dst, src0, src1) and
// (dst, src, scalar).
template <typename F>
void unary(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        map_unary<T>(e, 0, 1, [&](const T* a, T* out, int count) {
            if constexpr (std::is_same_v<T, Half>) {
                alignas(64) float x[kChunk];
                widen(a, x, count);
                for (int i = 0; i < count; ++i) x[i] = f(x[i]);
                narrow(x, out, count);
            } else {
                for (int i = 0; i < count; ++i) out[i] = f(a[i]);
            }
        });
    });
}

template <typename F>
void binary(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(0).dtype,
                     [&](auto type) { map_binary<decltype(type), true>(e, 0, 1, 2, f); });
}

template <typename F>
void binary_scalar(const Execution& e, F&& f) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = scalar_as<T>(e.scalar(2));
        map_unary<T>(e, 0, 1, [&](const T* a, T* out, int count) {
            if constexpr (std::is_same_v<T, Half>) {
                alignas(64) float x[kChunk];
                const float wide = to_float(scalar);
                widen(a, x, count);
                for (int i = 0; i < count; ++i) x[i] = f(x[i], wide);
                narrow(x, out, count);
            } else {
                for (int i = 0; i < count; ++i) out[i] = f(a[i], scalar);
            }
        });
    });
}

}  // namespace ptosim::semantics
