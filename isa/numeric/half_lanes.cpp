#include "isa/numeric/half_lanes.h"

#include "isa/numeric/arithmetic.h"
#include "isa/numeric/wide.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
// clang 14 supports the instructions, but not their names in a function with a target attribute.
#if !defined(__clang__) || __clang_major__ >= 15
#define PTO_FP16_TARGET \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512fp16,avx,f16c")))
#endif
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
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(kCanonicalNanF32));
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256 x = _mm256_loadu_ps(from + i);
        const __m256 number = _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
        _mm_storeu_si128(
            reinterpret_cast<__m128i*>(to + i),
            _mm256_cvtps_ph(number, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
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
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(kCanonicalNanF32));
    int i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m512 x = _mm512_loadu_ps(from + i);
        const __m512 number = _mm512_mask_mov_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), nan);
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(to + i),
            _mm512_maskz_cvtps_ph(0xFFFF, number, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    narrow_f16c(from + i, to + i, count - i);
}

// f16c comes with every AVX2 core; __builtin_cpu_supports of clang 14 does not know the feature.
bool has_f16c() { return kHostVectors >= Vectors::k256; }

#endif

// ---- arithmetic ---------------------------------------------------------------------------

template <HalfOperation kOperation>
void compute_plain(const Half* a, const Half* b, Half* out, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const float x = to_float(a[i]), y = to_float(b[i]);
        if constexpr (kOperation == HalfOperation::kAdd) out[i] = round_to_half(x + y);
        if constexpr (kOperation == HalfOperation::kSub) out[i] = round_to_half(x - y);
        if constexpr (kOperation == HalfOperation::kMul) out[i] = round_to_half(x * y);
        if constexpr (kOperation == HalfOperation::kDiv) out[i] = round_to_half(x / y);
    }
}

#if defined(__x86_64__)

// A NaN of the processor's becomes the canonical one.
template <HalfOperation kOperation>
__attribute__((target("avx,f16c"))) void compute_256(const Half* a, const Half* b, Half* out,
                                                     int64_t count) {
    constexpr int kLanes = 8;
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(kCanonicalNanF32));
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const __m256 x = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i)));
        const __m256 y = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i)));
        __m256 r = x;
        if constexpr (kOperation == HalfOperation::kAdd) r = _mm256_add_ps(x, y);
        if constexpr (kOperation == HalfOperation::kSub) r = _mm256_sub_ps(x, y);
        if constexpr (kOperation == HalfOperation::kMul) r = _mm256_mul_ps(x, y);
        if constexpr (kOperation == HalfOperation::kDiv) r = _mm256_div_ps(x, y);
        r = _mm256_blendv_ps(r, nan, _mm256_cmp_ps(r, r, _CMP_UNORD_Q));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                         _mm256_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    // g++ 12 omits this before a call at the end, and later SSE instructions would wait.
    _mm256_zeroupper();
    compute_plain<kOperation>(a + i, b + i, out + i, count - i);
}

template <HalfOperation kOperation>
__attribute__((target("avx512f,avx,f16c"))) void compute_512(const Half* a, const Half* b,
                                                             Half* out, int64_t count) {
    constexpr int kLanes = 16;
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(kCanonicalNanF32));
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const __m512 x = _mm512_maskz_cvtph_ps(
            0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i)));
        const __m512 y = _mm512_maskz_cvtph_ps(
            0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i)));
        __m512 r = x;
        if constexpr (kOperation == HalfOperation::kAdd) r = _mm512_add_ps(x, y);
        if constexpr (kOperation == HalfOperation::kSub) r = _mm512_sub_ps(x, y);
        if constexpr (kOperation == HalfOperation::kMul) r = _mm512_mul_ps(x, y);
        if constexpr (kOperation == HalfOperation::kDiv) r = _mm512_div_ps(x, y);
        r = _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(r, r, _CMP_UNORD_Q), nan);
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(out + i),
            _mm512_maskz_cvtps_ph(0xFFFF, r, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    compute_256<kOperation>(a + i, b + i, out + i, count - i);
}

#if defined(PTO_FP16_TARGET)
template <HalfOperation kOperation>
PTO_FP16_TARGET void compute_fp16(const Half* a, const Half* b, Half* out, int64_t count) {
    constexpr int kLanes = 32;
    const __m512i canonical_nan = _mm512_set1_epi16(kCanonicalNanF16);
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const __m512h x = _mm512_loadu_ph(a + i), y = _mm512_loadu_ph(b + i);
        __m512h r = x;
        if constexpr (kOperation == HalfOperation::kAdd) r = _mm512_add_ph(x, y);
        if constexpr (kOperation == HalfOperation::kSub) r = _mm512_sub_ph(x, y);
        if constexpr (kOperation == HalfOperation::kMul) r = _mm512_mul_ph(x, y);
        if constexpr (kOperation == HalfOperation::kDiv) r = _mm512_div_ph(x, y);
        const __mmask32 nan = _mm512_cmp_ph_mask(r, r, _CMP_UNORD_Q);
        _mm512_storeu_si512(out + i,
                            _mm512_mask_mov_epi16(_mm512_castph_si512(r), nan, canonical_nan));
    }
    compute_512<kOperation>(a + i, b + i, out + i, count - i);
}

// __builtin_cpu_supports of clang 14 does not know the feature.
bool has_fp16() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 23 & 1) != 0;
}
#endif

#endif

// ---- chains -------------------------------------------------------------------------------

template <HalfOperation kOperation>
void fold_plain(const Half* lines, int count, float* sums) {
    float values[kHalfLine];
    for (int i = 0; i < count; ++i) {
        widen_plain(lines + i * kHalfLine, values, kHalfLine);
#pragma GCC unroll 1  // one step of vectors
        for (int j = 0; j < kHalfLine; ++j)
            sums[j] = rounded_to_half(kOperation == HalfOperation::kAdd ? sums[j] + values[j] : sums[j] * values[j]);
    }
}

#if defined(__x86_64__)

template <HalfOperation kOperation>
__attribute__((target("avx,f16c"))) void fold_256(const Half* lines, int count, float* sums) {
    __m256 sum[2] = {_mm256_loadu_ps(sums), _mm256_loadu_ps(sums + 8)};
    for (int i = 0; i < count; ++i)
        for (int v = 0; v < 2; ++v) {
            const __m256 value = _mm256_cvtph_ps(
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines + i * kHalfLine + 8 * v)));
            const __m256 exact = kOperation == HalfOperation::kAdd ? _mm256_add_ps(sum[v], value)
                                                                   : _mm256_mul_ps(sum[v], value);
            sum[v] = _mm256_cvtph_ps(_mm256_cvtps_ph(exact, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        }
    _mm256_storeu_ps(sums, sum[0]);
    _mm256_storeu_ps(sums + 8, sum[1]);
}

#endif

template <HalfOperation kOperation>
void fold_as(const Half* lines, int count, float* sums) {
#if defined(__x86_64__)
    if (has_f16c()) return fold_256<kOperation>(lines, count, sums);
#endif
    fold_plain<kOperation>(lines, count, sums);
}

HalfArithmetic host_half_arithmetic() {
#if defined(PTO_FP16_TARGET)
    if (kHostVectors == Vectors::k512 && has_fp16()) return HalfArithmetic::kFp16;
#endif
    if (kHostVectors == Vectors::k512) return HalfArithmetic::k512;
    return kHostVectors == Vectors::k256 ? HalfArithmetic::k256 : HalfArithmetic::kPlain;
}

template <HalfOperation kOperation>
void compute_as(const Half* a, const Half* b, Half* out, int64_t count, HalfArithmetic how) {
    switch (how) {
#if defined(PTO_FP16_TARGET)
        case HalfArithmetic::kFp16:
            return compute_fp16<kOperation>(a, b, out, count);
#endif
#if defined(__x86_64__)
        case HalfArithmetic::k512:
            return compute_512<kOperation>(a, b, out, count);
        case HalfArithmetic::k256:
            return compute_256<kOperation>(a, b, out, count);
#endif
        default:
            return compute_plain<kOperation>(a, b, out, count);
    }
}

}  // namespace

const HalfArithmetic kHostHalfArithmetic = host_half_arithmetic();

void compute(HalfOperation operation, const Half* a, const Half* b, Half* out, int64_t count,
             HalfArithmetic how) {
    switch (operation) {
        case HalfOperation::kAdd:
            return compute_as<HalfOperation::kAdd>(a, b, out, count, how);
        case HalfOperation::kSub:
            return compute_as<HalfOperation::kSub>(a, b, out, count, how);
        case HalfOperation::kMul:
            return compute_as<HalfOperation::kMul>(a, b, out, count, how);
        case HalfOperation::kDiv:
            return compute_as<HalfOperation::kDiv>(a, b, out, count, how);
    }
}

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

void fold_lines(HalfOperation operation, const Half* lines, int count, float* sums) {
    if (operation == HalfOperation::kAdd)
        fold_as<HalfOperation::kAdd>(lines, count, sums);
    else
        fold_as<HalfOperation::kMul>(lines, count, sums);
}

}  // namespace ptosim
