// Builds an instruction from a function of lanes: dst(i, j) = f(a(i, j), b(i, j)...).
//
// The tiles have the valid region of the destination (legality rule same_valid).
#pragma once

#include <array>
#include <concepts>

#include "isa/numeric/half_lanes.h"
#include "isa/numeric/wide.h"
#include "isa/semantics/arithmetic.h"
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

// ---- lane functions that round once, straight from tile to tile

// Types whose loops are worth compiling for every width of vectors.
template <typename T>
inline constexpr bool is_hot_v = is_float_v<T> || sizeof(T) == 4;

template <typename T, typename F>
void for_lanes(int64_t count, F f) {
    const auto loop = [=] {
        PTO_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) f(i * static_cast<int64_t>(sizeof(T)));
    };
    if constexpr (is_hot_v<T>)
        widest(loop);
    else
        loop();
}

// f16 lanes are computed as floats and rounded once more, which gives the same bits for one
// operation (isa/numeric/arithmetic.h) and is faster. f(float* x, const float* y, int count) works
// on x in place.
template <typename F>
void for_half_chunks(const std::byte* a, const std::byte* b, std::byte* out, int64_t count, F f) {
    constexpr int kLanes = 1024;  // intermediate results stay in the first cache
    alignas(64) float x[kLanes];
    alignas(64) float y[kLanes];
    for (int64_t begin = 0; begin < count; begin += kLanes) {
        const auto lanes = static_cast<int>(std::min<int64_t>(kLanes, count - begin));
        widen(reinterpret_cast<const Half*>(a) + begin, x, lanes);
        if (b != nullptr) widen(reinterpret_cast<const Half*>(b) + begin, y, lanes);
        f(static_cast<float*>(x), static_cast<const float*>(y), lanes);
        narrow(x, reinterpret_cast<Half*>(out) + begin, lanes);
    }
}

template <typename T, typename F>
void run_unary(const std::byte* a, std::byte* out, int64_t count, F f) {
    if constexpr (std::is_same_v<T, Half>)
        for_half_chunks(a, nullptr, out, count, [=](float* x, const float*, int lanes) {
            widest([=] {
                for (int i = 0; i < lanes; ++i) x[i] = f(x[i]);
            });
        });
    else
        for_lanes<T>(count, [=](int64_t at) { store<T>(out + at, f(load<T>(a + at))); });
}

// A lane function for which hosts also have an f16 instruction: F::kHalf.
template <typename F>
concept HasHalf = requires {
    { F::kHalf } -> std::convertible_to<HalfOperation>;
};

template <typename T, typename F>
void run_binary(const std::byte* a, const std::byte* b, std::byte* out, int64_t count, F f) {
    if constexpr (std::is_same_v<T, Half> && HasHalf<F>)
        compute(F::kHalf, reinterpret_cast<const Half*>(a), reinterpret_cast<const Half*>(b),
                reinterpret_cast<Half*>(out), count);
    else if constexpr (std::is_same_v<T, Half>)
        for_half_chunks(a, b, out, count, [=](float* x, const float* y, int lanes) {
            widest([=] {
                for (int i = 0; i < lanes; ++i) x[i] = f(x[i], y[i]);
            });
        });
    else
        for_lanes<T>(count,
                     [=](int64_t at) { store<T>(out + at, f(load<T>(a + at), load<T>(b + at))); });
}

// True if each lane of `source` is at the place of the same lane of `target`, or none of them shares bytes with it.
inline bool independent(const Execution& e, unsigned target, unsigned source) {
    const Tile& to = e.tile(target);
    const Tile& from = e.tile(source);
    const std::byte* const a = e.bytes[target];
    const std::byte* const b = e.bytes[source];
    if (a == b && (to.pitch == from.pitch || to.valid_rows <= 1)) return true;
    return a + to.touched_bytes() <= b || b + from.touched_bytes() <= a;
}

// Calls run(offsets of the operands' lanes in bytes, count) for runs of lanes that cover the tiles,
// if they can be worked on in place; returns false otherwise.
template <typename T, size_t kOperands, typename F>
bool for_runs(const Execution& e, const std::array<unsigned, kOperands>& operands, F&& run) {
    const Tile& to = e.tile(operands[0]);
    bool flat = true;
    for (unsigned i : operands) {
        if (!contiguous_rows(e.tile(i)) || !independent(e, operands[0], i)) return false;
        flat = flat && e.tile(i).pitch == to.valid_cols;
    }
    const int rows = flat ? std::min(to.valid_rows, 1) : to.valid_rows;
    const int64_t count = flat ? int64_t{to.valid_rows} * to.valid_cols : to.valid_cols;
    for (int row = 0; row < rows; ++row) {
        std::array<std::byte*, kOperands> lanes;
        for (size_t i = 0; i < kOperands; ++i)
            lanes[i] = e.bytes[operands[i]] +
                       int64_t{row} * e.tile(operands[i]).pitch * static_cast<int64_t>(sizeof(T));
        run(lanes, count);
    }
    return true;
}

// Lanes of any layout, copied through arrays.
template <typename T, typename F>
void unary_any_layout(const Execution& e, F f) {
    map_unary<T>(e, 0, 1, [&](const T* a, T* out, int count) {
        run_unary<T>(reinterpret_cast<const std::byte*>(a), reinterpret_cast<std::byte*>(out),
                     count, f);
    });
}

template <typename T, typename F>
void unary_lanes(const Execution& e, F f) {
    if (!for_runs<T, 2>(e, {0, 1}, [&](const auto& lanes, int64_t count) {
            run_unary<T>(lanes[1], lanes[0], count, f);
        }))
        unary_any_layout<T>(e, f);
}

// The three shapes of a row: (dst, src), (dst, src0, src1) and (dst, src, scalar).
template <typename F>
void unary(const Execution& e, F f) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) { unary_lanes<decltype(type)>(e, f); });
}

template <typename F>
void binary(const Execution& e, F f) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        if (!for_runs<T, 3>(e, {0, 1, 2}, [&](const auto& lanes, int64_t count) {
                run_binary<T>(lanes[1], lanes[2], lanes[0], count, f);
            }))
            map_binary<T, true>(e, 0, 1, 2, f);
    });
}

template <typename F>
void binary_scalar(const Execution& e, F f) {
    visit_arithmetic(e.tile(0).dtype, [&](auto type) {
        using T = decltype(type);
        const T scalar = scalar_as<T>(e.scalar(2));
        if constexpr (std::is_same_v<T, Half>)
            unary_lanes<T>(e, [f, wide = to_float(scalar)](float a) { return f(a, wide); });
        else
            unary_lanes<T>(e, [f, scalar](T a) { return f(a, scalar); });
    });
}

}  // namespace ptosim::semantics
