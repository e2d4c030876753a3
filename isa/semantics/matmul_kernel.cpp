#include "isa/semantics/matmul_kernel.h"

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ptosim::semantics {

void multiply_add_plain(const float* a, const float* b, float* c, int m, int k, int n) {
    for (int i = 0; i < m; ++i)
        for (int p = 0; p < k; ++p)
            for (int j = 0; j < n; ++j)
                c[i * n + j] = std::fma(a[i * k + p], b[p * n + j], c[i * n + j]);
}

// Wraps: unsigned arithmetic has the same low bits.
void multiply_add_plain(const int32_t* a, const int32_t* b, int32_t* c, int m, int k, int n) {
    for (int i = 0; i < m; ++i)
        for (int p = 0; p < k; ++p) {
            const auto factor = static_cast<uint32_t>(a[i * k + p]);
            for (int j = 0; j < n; ++j)
                c[i * n + j] = static_cast<int32_t>(static_cast<uint32_t>(c[i * n + j]) +
                                                    factor * static_cast<uint32_t>(b[p * n + j]));
        }
}

namespace {

// Without fused instructions: only for products that are exact.
void multiply_add_exact(const float* a, const float* b, float* c, int m, int k, int n) {
    for (int i = 0; i < m; ++i)
        for (int p = 0; p < k; ++p) {
            const float factor = a[i * k + p];
            for (int j = 0; j < n; ++j) c[i * n + j] += factor * b[p * n + j];
        }
}

#if defined(__x86_64__)

// A block of kRows x (8 * kVectors) elements of c stays in registers over all of k.
template <int kRows, int kVectors>
__attribute__((target("avx2,fma"))) void block_fma(const float* a, const float* b, float* c, int k,
                                                   int n) {
    __m256 sum[kRows][kVectors];
    for (int r = 0; r < kRows; ++r)
        for (int v = 0; v < kVectors; ++v) sum[r][v] = _mm256_loadu_ps(c + r * n + 8 * v);
    for (int p = 0; p < k; ++p) {
        __m256 line[kVectors];
        for (int v = 0; v < kVectors; ++v) line[v] = _mm256_loadu_ps(b + p * n + 8 * v);
        for (int r = 0; r < kRows; ++r) {
            const __m256 factor = _mm256_broadcast_ss(a + r * k + p);
            for (int v = 0; v < kVectors; ++v)
                sum[r][v] = _mm256_fmadd_ps(factor, line[v], sum[r][v]);
        }
    }
    for (int r = 0; r < kRows; ++r)
        for (int v = 0; v < kVectors; ++v) _mm256_storeu_ps(c + r * n + 8 * v, sum[r][v]);
}

template <int kRows>
__attribute__((target("avx2,fma"))) void rows_fma(const float* a, const float* b, float* c, int k,
                                                  int n) {
    int j = 0;
    for (; j + 16 <= n; j += 16) block_fma<kRows, 2>(a, b + j, c + j, k, n);
    for (; j + 8 <= n; j += 8) block_fma<kRows, 1>(a, b + j, c + j, k, n);
    for (int r = 0; r < kRows; ++r)
        for (int rest = j; rest < n; ++rest) {
            float sum = c[r * n + rest];
            for (int p = 0; p < k; ++p) sum = __builtin_fmaf(a[r * k + p], b[p * n + rest], sum);
            c[r * n + rest] = sum;
        }
}

__attribute__((target("avx2,fma"))) void multiply_add_fma(const float* a, const float* b, float* c,
                                                          int m, int k, int n) {
    int i = 0;
    for (; i + 4 <= m; i += 4) rows_fma<4>(a + i * k, b, c + i * n, k, n);
    for (; i < m; ++i) rows_fma<1>(a + i * k, b, c + i * n, k, n);
}

__attribute__((target("avx2"))) void multiply_add_avx2(const int32_t* a, const int32_t* b,
                                                       int32_t* c, int m, int k, int n) {
    const int wide = n - n % 8;
    for (int i = 0; i < m; ++i)
        for (int p = 0; p < k; ++p) {
            const __m256i factor = _mm256_set1_epi32(a[i * k + p]);
            for (int j = 0; j < wide; j += 8) {
                auto* const target = reinterpret_cast<__m256i*>(c + i * n + j);
                const __m256i line =
                    _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + p * n + j));
                _mm256_storeu_si256(target, _mm256_add_epi32(_mm256_loadu_si256(target),
                                                             _mm256_mullo_epi32(factor, line)));
            }
            for (int j = wide; j < n; ++j)
                c[i * n + j] = static_cast<int32_t>(static_cast<uint32_t>(c[i * n + j]) +
                                                    static_cast<uint32_t>(a[i * k + p]) *
                                                        static_cast<uint32_t>(b[p * n + j]));
        }
}

bool has_fma() {
    static const bool available =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    return available;
}

#endif

}  // namespace

void multiply_add(const float* a, const float* b, float* c, int m, int k, int n,
                  bool exact_products) {
#if defined(__x86_64__)
    if (has_fma()) {
        multiply_add_fma(a, b, c, m, k, n);
        return;
    }
#endif
    if (exact_products)
        multiply_add_exact(a, b, c, m, k, n);
    else
        multiply_add_plain(a, b, c, m, k, n);
}

void multiply_add(const int32_t* a, const int32_t* b, int32_t* c, int m, int k, int n) {
#if defined(__x86_64__)
    if (has_fma()) {
        multiply_add_avx2(a, b, c, m, k, n);
        return;
    }
#endif
    multiply_add_plain(a, b, c, m, k, n);
}

}  // namespace ptosim::semantics
