#include "isa/semantics/matmul_kernel.h"

#include <algorithm>
#include <cmath>

#include "isa/numeric/floats.h"

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

// One panel of b: `width` columns, a multiple of kVectorColumns.
struct Panel {
    const float* a;
    int64_t a_pitch;
    const float* b;
    Accumulator c;
    int m, k, width;
};

// Without wide instructions: a vector of c at a time.
template <typename MultiplyAdd>
void panel_by_vectors(const Panel& p, MultiplyAdd multiply_add) {
    for (int i = 0; i < p.m; ++i) {
        for (int col = 0; col < p.width; col += kVectorColumns) {
            float* const c = p.c.data + i * p.c.row + col / kVectorColumns * p.c.vector;
            float sum[kVectorColumns];
            for (int j = 0; j < kVectorColumns; ++j) sum[j] = p.c.zero ? 0.0F : c[j];
            for (int row = 0; row < p.k; ++row) {
                const float factor = p.a[i * p.a_pitch + row];
                const float* const terms = p.b + int64_t{row} * p.width + col;
                for (int j = 0; j < kVectorColumns; ++j)
                    sum[j] = multiply_add(factor, terms[j], sum[j]);
            }
            for (int j = 0; j < kVectorColumns; ++j) c[j] = canonical(sum[j]);
        }
    }
}

void panel_fused(const Panel& p) {
    panel_by_vectors(p, [](float a, float b, float c) { return std::fma(a, b, c); });
}

// Only for products that are exact.
void panel_exact(const Panel& p) {
    panel_by_vectors(p, [](float a, float b, float c) { return c + a * b; });
}

#if defined(__x86_64__)

// Whole, before arrays are given places: sums that loops index would else pass through memory.
#if defined(__clang__)
#define PTOSIM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PTOSIM_UNROLL _Pragma("GCC unroll 8")
#endif

// A block of kRows x kVectors vectors of c stays in registers over all of k.
template <int kRows, int kVectors>
__attribute__((target("avx512f"))) void block_512(const Panel& p, int row) {
    __m512 sum[kRows][kVectors];
    const int64_t c_row = p.c.row, c_vector = p.c.vector, a_pitch = p.a_pitch;
    float* const c = p.c.data + row * c_row;
    const float* const a = p.a + row * a_pitch;
    const float* b = p.b;
    PTOSIM_UNROLL for (int r = 0; r < kRows; ++r) {
        PTOSIM_UNROLL for (int v = 0; v < kVectors; ++v) sum[r][v] =
            p.c.zero ? _mm512_setzero_ps() : _mm512_loadu_ps(c + r * c_row + v * c_vector);
    }
    const int depth = p.k, width = p.width;
    for (int step = 0; step < depth; ++step, b += width) {
        __m512 line[kVectors];
        PTOSIM_UNROLL for (int v = 0; v < kVectors; ++v) line[v] = _mm512_loadu_ps(b + 16 * v);
        PTOSIM_UNROLL for (int r = 0; r < kRows; ++r) {
            const __m512 factor = _mm512_set1_ps(a[r * a_pitch + step]);
            PTOSIM_UNROLL for (int v = 0; v < kVectors; ++v) sum[r][v] =
                _mm512_fmadd_ps(factor, line[v], sum[r][v]);
        }
    }
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(kCanonicalNanF32));
    // Quiet and signalling NaNs are replaced; other classes of numbers are kept.
    const __m512i replace = _mm512_set1_epi32(0x11111100);
    PTOSIM_UNROLL for (int r = 0; r < kRows; ++r) {
        PTOSIM_UNROLL for (int v = 0; v < kVectors; ++v) _mm512_storeu_ps(
            c + r * c_row + v * c_vector, _mm512_fixupimm_ps(nan, sum[r][v], replace, 0));
    }
}

// The same with one vector of 16 columns as two halves.
template <int kRows>
__attribute__((target("avx2,fma"))) void block_256(const Panel& p, int row, int col) {
    __m256 sum[kRows][2];
    float* const c = p.c.data + row * p.c.row + col / 16 * p.c.vector;
    const float* const a = p.a + row * p.a_pitch;
    const float* b = p.b + col;
    for (int r = 0; r < kRows; ++r)
        for (int v = 0; v < 2; ++v)
            sum[r][v] = p.c.zero ? _mm256_setzero_ps() : _mm256_loadu_ps(c + r * p.c.row + 8 * v);
    for (int step = 0; step < p.k; ++step, b += p.width) {
        const __m256 line[2] = {_mm256_loadu_ps(b), _mm256_loadu_ps(b + 8)};
        for (int r = 0; r < kRows; ++r) {
            const __m256 factor = _mm256_broadcast_ss(a + r * p.a_pitch + step);
            for (int v = 0; v < 2; ++v) sum[r][v] = _mm256_fmadd_ps(factor, line[v], sum[r][v]);
        }
    }
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(kCanonicalNanF32));
    for (int r = 0; r < kRows; ++r)
        for (int v = 0; v < 2; ++v) {
            const __m256 is_nan = _mm256_cmp_ps(sum[r][v], sum[r][v], _CMP_UNORD_Q);
            _mm256_storeu_ps(c + r * p.c.row + 8 * v, _mm256_blendv_ps(sum[r][v], nan, is_nan));
        }
}

// 24 and 12 sums: more than the two multipliers' latency, and room for the factors.
constexpr int kBlockRows = 6;

template <int kVectors>
void rows_512(const Panel& p) {
    int row = 0;
    for (; row + kBlockRows <= p.m; row += kBlockRows) block_512<kBlockRows, kVectors>(p, row);
    for (; row + 2 <= p.m; row += 2) block_512<2, kVectors>(p, row);
    for (; row < p.m; ++row) block_512<1, kVectors>(p, row);
}

void panel_512(const Panel& p) {
    switch (p.width / 16) {
        case 4:
            return rows_512<4>(p);
        case 3:
            return rows_512<3>(p);
        case 2:
            return rows_512<2>(p);
        default:
            return rows_512<1>(p);
    }
}

void panel_256(const Panel& p) {
    for (int col = 0; col < p.width; col += 16) {
        int row = 0;
        for (; row + kBlockRows <= p.m; row += kBlockRows) block_256<kBlockRows>(p, row, col);
        for (; row + 2 <= p.m; row += 2) block_256<2>(p, row, col);
        for (; row < p.m; ++row) block_256<1>(p, row, col);
    }
}

#endif

using PanelKernel = void (*)(const Panel&);

PanelKernel kernel_for(bool exact_products, [[maybe_unused]] Vectors vectors) {
#if defined(__x86_64__)
    if (vectors == Vectors::k512) return panel_512;
    if (vectors == Vectors::k256) return panel_256;
#endif
    return exact_products ? panel_exact : panel_fused;
}

void multiply_panels(const float* a, int64_t a_pitch, const float* b, const Accumulator& c, int m,
                     int k, int n, PanelKernel kernel) {
    for (int col = 0; col < n; col += kPanelColumns) {
        Accumulator part = c;
        part.data += col / kVectorColumns * c.vector;
        kernel({a, a_pitch, b + int64_t{col} * k, part, m, k, panel_width(col, n)});
    }
}

}  // namespace

void multiply_add(const float* a, int64_t a_pitch, const float* b, const Accumulator& c, int m,
                  int k, int n, bool exact_products, Vectors vectors) {
    multiply_panels(a, a_pitch, b, c, m, k, n, kernel_for(exact_products, vectors));
}

void multiply_add_bytes(const float* a, int64_t a_pitch, const float* b, int32_t* c, int m, int k,
                        int n) {
    thread_local AlignedFloats scratch;
    const int64_t count = int64_t{m} * whole_vectors(n);
    float* const sum = scratch.resize(count);
    for (int first = 0; first < k; first += kByteTerms) {
        const int terms = std::min(kByteTerms, k - first);
        multiply_panels(a + first, a_pitch, b + int64_t{first} * whole_vectors(n),
                        {sum, whole_vectors(n), kVectorColumns, true}, m, terms, n,
                        kernel_for(true, kHostVectors));
        widest([=] {
            for (int64_t i = 0; i < count; ++i)
                c[i] = static_cast<int32_t>(static_cast<uint32_t>(c[i]) +
                                            static_cast<uint32_t>(static_cast<int32_t>(sum[i])));
        });
    }
}

}  // namespace ptosim::semantics
