#include "isa/numeric/half_lanes.h"

#include "isa/numeric/wide.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ptosim {

namespace {

void widen_plain(const Half* from, float* to, int count) {
    for (int i = 0; i < count; ++i) to[i] = to_float(from[i]);
}

void narrow_plain(const float* from, Half* to, int count) {
    for (int i = 0; i < count; ++i) to[i] = round_to_half(from[i]);
}

#if defined(__x86_64__)

__attribute__((target("avx,f16c"))) void widen_f16c(const Half* from, float* to, int count) {
    int i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(
            to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    widen_plain(from + i, to + i, count - i);
}

__attribute__((target("avx,f16c"))) void narrow_f16c(const float* from, Half* to, int count) {
    int i = 0;
    for (; i + 8 <= count; i += 8)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i),
                                         _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    narrow_plain(from + i, to + i, count - i);
}

// With masks of all lanes: g++ 12 warns of the plain forms (GCC PR105593).
__attribute__((target("avx512f,avx,f16c"))) void widen_512(const Half* from, float* to, int count) {
    int i = 0;
    for (; i + 16 <= count; i += 16)
        _mm512_storeu_ps(
            to + i, _mm512_maskz_cvtph_ps(
                        0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i))));
    widen_f16c(from + i, to + i, count - i);
}

__attribute__((target("avx512f,avx,f16c"))) void widen_lines_512(const Half* from,
                                                                 int64_t from_pitch, float* to,
                                                                 int64_t to_pitch, int lines) {
    for (int i = 0; i < lines; ++i, from += from_pitch, to += to_pitch)
        _mm512_storeu_ps(
            to, _mm512_maskz_cvtph_ps(0xFFFF,
                                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}

__attribute__((target("avx512f,avx,f16c"))) void narrow_512(const float* from, Half* to,
                                                            int count) {
    int i = 0;
    for (; i + 16 <= count; i += 16)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                            _mm512_maskz_cvtps_ph(0xFFFF, _mm512_loadu_ps(from + i),
                                                  _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    narrow_f16c(from + i, to + i, count - i);
}

// f16c comes with every AVX2 core; clang 14 has no name for it in __builtin_cpu_supports.
bool has_f16c() { return kHostVectors >= Vectors::k256; }

#endif

}  // namespace

void widen(const Half* from, float* to, int count) {
#if defined(__x86_64__)
    if (kHostVectors == Vectors::k512) {
        widen_512(from, to, count);
        return;
    }
    if (has_f16c()) {
        widen_f16c(from, to, count);
        return;
    }
#endif
    widen_plain(from, to, count);
}

void widen_lines(const Half* from, int64_t from_pitch, float* to, int64_t to_pitch, int lines) {
#if defined(__x86_64__)
    if (kHostVectors == Vectors::k512) {
        widen_lines_512(from, from_pitch, to, to_pitch, lines);
        return;
    }
#endif
    for (int i = 0; i < lines; ++i) widen(from + i * from_pitch, to + i * to_pitch, kHalfLine);
}

void narrow(const float* from, Half* to, int count) {
#if defined(__x86_64__)
    if (kHostVectors == Vectors::k512) {
        narrow_512(from, to, count);
        return;
    }
    if (has_f16c()) {
        narrow_f16c(from, to, count);
        return;
    }
#endif
    narrow_plain(from, to, count);
}

}  // namespace ptosim
