#include "tests/bench/measure.h"

#include <time.h>

#include <algorithm>
#include <vector>

namespace ptosim::bench {

double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

namespace {

// Chains that do not depend on one another, enough of them to fill the pipelines. This file alone
// is compiled with contraction: here a product and a sum are meant to be one instruction.
template <typename Vector>
[[gnu::always_inline]] inline float fma_chains(long steps) {
    constexpr int kChains = 12;
    Vector sum[kChains];
    for (int i = 0; i < kChains; ++i) sum[i] = Vector{} + static_cast<float>(i);
    Vector factor = Vector{} + 0.999F;
    Vector term = Vector{} + 0.001F;
    asm volatile("" : "+m"(factor), "+m"(term));
    for (long step = 0; step < steps; ++step)
        for (int i = 0; i < kChains; ++i) sum[i] = sum[i] * factor + term;
    for (int i = 1; i < kChains; ++i) sum[0] += sum[i];
    return sum[0][0];
}

template <typename Vector>
constexpr double flops_per_step() {
    return 2.0 * 12 * sizeof(Vector) / sizeof(float);
}

typedef float Wide __attribute__((vector_size(64)));
typedef float Middle __attribute__((vector_size(32)));
typedef float Narrow __attribute__((vector_size(16)));

#if defined(__x86_64__)
__attribute__((target("avx512f"))) float spin_wide(long steps) { return fma_chains<Wide>(steps); }
__attribute__((target("avx2,fma"))) float spin_middle(long steps) {
    return fma_chains<Middle>(steps);
}
#endif

volatile float sink;

template <typename Vector, typename Spin>
double spin(double flops, Spin&& run) {
    const auto steps = static_cast<long>(flops / flops_per_step<Vector>()) + 1;
    sink = run(steps);
    return static_cast<double>(steps) * flops_per_step<Vector>();
}

}  // namespace

double spin_fma(double flops) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") != 0) return spin<Wide>(flops, spin_wide);
    if (__builtin_cpu_supports("fma") != 0) return spin<Middle>(flops, spin_middle);
#endif
    return spin<Narrow>(flops, [](long steps) { return fma_chains<Narrow>(steps); });
}

#if defined(__x86_64__)
#define PTO_WIDEST __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define PTO_WIDEST
#endif

PTO_WIDEST void plain_add(const float* a, const float* b, float* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[i] = a[i] + b[i];
}

PTO_WIDEST void plain_mul(const float* a, const float* b, float* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[i] = a[i] * b[i];
}

namespace {

// Seconds per call, over as many calls as fill the slice.
double time_calls(const std::function<void()>& call, long calls) {
    const double begin = thread_seconds();
    for (long i = 0; i < calls; ++i) call();
    return (thread_seconds() - begin) / static_cast<double>(calls);
}

long calls_in(const std::function<void()>& call, double slice) {
    for (long calls = 1;; calls *= 4) {
        const double each = time_calls(call, calls);
        if (each * static_cast<double>(calls) > slice / 4)
            return std::max(1L, static_cast<long>(slice / each));
    }
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

Comparison compare(const std::function<void()>& work, const std::function<void()>& reference,
                   int rounds, double slice) {
    const long work_calls = calls_in(work, slice);
    const long reference_calls = calls_in(reference, slice);
    std::vector<double> seconds, reference_seconds, ratios;
    for (int round = 0; round < rounds; ++round) {
        reference_seconds.push_back(time_calls(reference, reference_calls));
        seconds.push_back(time_calls(work, work_calls));
        ratios.push_back(reference_seconds.back() / seconds.back());
    }
    Comparison result;
    result.seconds = median(seconds);
    result.reference_seconds = median(reference_seconds);
    result.ratio = median(ratios);
    result.worst = *std::min_element(ratios.begin(), ratios.end());
    result.best = *std::max_element(ratios.begin(), ratios.end());
    return result;
}

}  // namespace ptosim::bench
