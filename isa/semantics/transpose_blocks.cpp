#include "isa/semantics/transpose_blocks.h"

#include "isa/numeric/half_lanes.h"
#include "isa/numeric/wide.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ptosim::semantics {

namespace {

constexpr int64_t kSide = kTransposeSquare;

void transpose_by_blocks(const std::byte* from, int64_t from_row, std::byte* to, int64_t to_col) {
    for (int64_t i = 0; i < kSide; i += 8)
        for (int64_t j = 0; j < kSide; j += 8)
            transpose_block<uint16_t>(from + i * from_row + 2 * j, from_row, to + j * to_col + 2 * i,
                                 to_col);
}

#if defined(__x86_64__)

// Eight columns of the square: each half of a vector holds eight rows, and is turned by itself.
__attribute__((target("avx2"))) inline void transpose_columns(const std::byte* from, int64_t from_row,
                                                         __m256i (&columns)[8]) {
    const auto row = [=](int64_t i) __attribute__((target("avx2"), always_inline)) {
        const auto* low = reinterpret_cast<const __m128i*>(from + i * from_row);
        const auto* high = reinterpret_cast<const __m128i*>(from + (i + 8) * from_row);
        return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                       _mm_loadu_si128(high), 1);
    };
    const __m256i r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
    const __m256i r4 = row(4), r5 = row(5), r6 = row(6), r7 = row(7);
    const __m256i a0 = _mm256_unpacklo_epi16(r0, r1), a1 = _mm256_unpackhi_epi16(r0, r1);
    const __m256i a2 = _mm256_unpacklo_epi16(r2, r3), a3 = _mm256_unpackhi_epi16(r2, r3);
    const __m256i a4 = _mm256_unpacklo_epi16(r4, r5), a5 = _mm256_unpackhi_epi16(r4, r5);
    const __m256i a6 = _mm256_unpacklo_epi16(r6, r7), a7 = _mm256_unpackhi_epi16(r6, r7);
    const __m256i b0 = _mm256_unpacklo_epi32(a0, a2), b1 = _mm256_unpackhi_epi32(a0, a2);
    const __m256i b2 = _mm256_unpacklo_epi32(a1, a3), b3 = _mm256_unpackhi_epi32(a1, a3);
    const __m256i b4 = _mm256_unpacklo_epi32(a4, a6), b5 = _mm256_unpackhi_epi32(a4, a6);
    const __m256i b6 = _mm256_unpacklo_epi32(a5, a7), b7 = _mm256_unpackhi_epi32(a5, a7);
    columns[0] = _mm256_unpacklo_epi64(b0, b4);
    columns[1] = _mm256_unpackhi_epi64(b0, b4);
    columns[2] = _mm256_unpacklo_epi64(b1, b5);
    columns[3] = _mm256_unpackhi_epi64(b1, b5);
    columns[4] = _mm256_unpacklo_epi64(b2, b6);
    columns[5] = _mm256_unpackhi_epi64(b2, b6);
    columns[6] = _mm256_unpacklo_epi64(b3, b7);
    columns[7] = _mm256_unpackhi_epi64(b3, b7);
}

__attribute__((target("avx2"))) void transpose_256(const std::byte* from, int64_t from_row,
                                              std::byte* to, int64_t to_col) {
    for (int64_t half = 0; half < 2; ++half) {
        __m256i columns[8];
        transpose_columns(from + 16 * half, from_row, columns);
        for (int64_t i = 0; i < 8; ++i)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + (8 * half + i) * to_col),
                                columns[i]);
    }
}

__attribute__((target("avx512f,avx2,f16c"))) void transpose_and_widen_512(const std::byte* from,
                                                                     int64_t from_row, float* to,
                                                                     int64_t to_col) {
    for (int64_t half = 0; half < 2; ++half) {
        __m256i columns[8];
        transpose_columns(from + 16 * half, from_row, columns);
        for (int64_t i = 0; i < 8; ++i)
            _mm512_storeu_ps(to + (8 * half + i) * to_col,
                             _mm512_maskz_cvtph_ps(0xFFFF, columns[i]));
    }
}

#endif

}  // namespace

void transpose_square(const std::byte* from, int64_t from_row, std::byte* to, int64_t to_col) {
#if defined(__x86_64__)
    if (kHostVectors != Vectors::kPlain) return transpose_256(from, from_row, to, to_col);
#endif
    transpose_by_blocks(from, from_row, to, to_col);
}

void transpose_and_widen_square(const std::byte* from, int64_t from_row, float* to, int64_t to_col) {
#if defined(__x86_64__)
    if (kHostVectors == Vectors::k512) return transpose_and_widen_512(from, from_row, to, to_col);
#endif
    alignas(64) std::byte turned[2 * kSide * kSide];
    transpose_square(from, from_row, turned, 2 * kSide);
    widen_lines(reinterpret_cast<const Half*>(turned), kSide, to, to_col, kSide);
}

}  // namespace ptosim::semantics
