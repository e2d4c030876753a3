// Small squares of elements, transposed in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ptosim::semantics {

// Interleaves the first half of kSide rows with the second.
template <typename Lanes, int kSide>
void interleave(const Lanes (&rows)[kSide], Lanes (&out)[kSide]) {
    for (int i = 0; i < kSide / 2; ++i) {
        const Lanes low = rows[i], high = rows[i + kSide / 2];
        if constexpr (kSide == 4) {
            out[2 * i] = __builtin_shufflevector(low, high, 0, 4, 1, 5);
            out[2 * i + 1] = __builtin_shufflevector(low, high, 2, 6, 3, 7);
        } else if constexpr (kSide == 8) {
            out[2 * i] = __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
            out[2 * i + 1] = __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
        } else {
            out[2 * i] = __builtin_shufflevector(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                                 21, 6, 22, 7, 23);
            out[2 * i + 1] = __builtin_shufflevector(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12,
                                                     28, 13, 29, 14, 30, 15, 31);
        }
    }
}

// 16 bytes of each of several rows become columns; distances are in bytes.
template <typename T>
void transpose_block(const std::byte* from, int64_t from_row, std::byte* to, int64_t to_col) {
    constexpr int kSide = 16 / sizeof(T);
    typedef T Lanes __attribute__((vector_size(16)));
    Lanes a[kSide], b[kSide];
    for (int i = 0; i < kSide; ++i) std::memcpy(&a[i], from + i * from_row, 16);
    // Interleaving halves log2(kSide) times transposes.
    interleave(a, b);
    interleave(b, a);
    if constexpr (kSide == 4) {
        for (int i = 0; i < kSide; ++i) std::memcpy(to + i * to_col, &a[i], 16);
        return;
    }
    interleave(a, b);
    if constexpr (kSide == 8) {
        for (int i = 0; i < kSide; ++i) std::memcpy(to + i * to_col, &b[i], 16);
        return;
    }
    interleave(b, a);
    for (int i = 0; i < kSide; ++i) std::memcpy(to + i * to_col, &a[i], 16);
}

// A square of 16 x 16 elements of 16 bits, as transpose_block() does it.
inline constexpr int kTransposeSquare = 16;
void transpose_square(const std::byte* from, int64_t from_row, std::byte* to, int64_t to_col);
// The same for f16, widened to f32; `to_col` is in floats.
void transpose_and_widen_square(const std::byte* from, int64_t from_row, float* to, int64_t to_col);

}  // namespace ptosim::semantics
