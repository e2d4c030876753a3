// References of a benchmark: this host's arithmetic and its memory, measured here.
#pragma once

#include <cstddef>
#include <functional>

namespace ptosim::bench {

// Seconds of processor time of the calling thread: what other programs take does not count.
double thread_seconds();

// The fastest fused multiply-adds that one thread of this host does, in floating-point operations
// (two per fma) for one call of about `flops` of them. Returns how many it did.
double spin_fma(double flops);

// Plain loops, compiled for the widest vectors of this host, as a user would write them.
void plain_add(const float* a, const float* b, float* out, size_t count);
void plain_mul(const float* a, const float* b, float* out, size_t count);

// Eigen's f32 product of 512 x 512 matrices on one thread, compiled for this host alone.
double eigen_gemm_gflops();

// Calls both in turns, each for at least `slice` seconds at a time, `rounds` times over. The
// ratio is taken within each round, so that what slows the machine for a while slows both.
struct Comparison {
    double seconds = 0;            // per call, the median
    double reference_seconds = 0;  // per call, the median
    double ratio = 0;              // median of reference_seconds / seconds
    double worst = 0, best = 0;    // the same ratio in the worst and best round
};
Comparison compare(const std::function<void()>& work, const std::function<void()>& reference,
                   int rounds, double slice);

}  // namespace ptosim::bench
