// Products of 8-bit integers by the float product of Eigen.
#include <Eigen/Core>
#include <algorithm>

#include "isa/semantics/matmul_kernel.h"

namespace ptosim::semantics {

void multiply_add_bytes(const int32_t* a, const int32_t* b, int32_t* c, int m, int k, int n) {
    using Integers = Eigen::Matrix<int32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    constexpr int kTerms = 512;  // 512 * 128 * 128 = 2^23
    const Eigen::Map<const Integers> left(a, m, k), right(b, k, n);
    thread_local Floats wide_left, wide_right, sum;
    for (int first = 0; first < k; first += kTerms) {
        const int terms = std::min(kTerms, k - first);
        wide_left = left.middleCols(first, terms).cast<float>();
        wide_right = right.middleRows(first, terms).cast<float>();
        sum.noalias() = wide_left * wide_right;
        const float* from = sum.data();
        const int64_t count = int64_t{m} * n;
        for (int64_t i = 0; i < count; ++i)
            c[i] = static_cast<int32_t>(static_cast<uint32_t>(c[i]) +
                                        static_cast<uint32_t>(static_cast<int32_t>(from[i])));
    }
}

}  // namespace ptosim::semantics
