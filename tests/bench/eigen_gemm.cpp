// A matrix product by somebody else, to set the peak in perspective.
#include <Eigen/Core>

#include "tests/bench/measure.h"

namespace ptosim::bench {

double eigen_gemm_gflops() {
    constexpr int kSize = 512;
    using Matrix = Eigen::MatrixXf;
    const Matrix a = Matrix::Random(kSize, kSize), b = Matrix::Random(kSize, kSize);
    Matrix c(kSize, kSize);
    const Comparison result =
        compare([&] { c.noalias() = a * b; }, [] { spin_fma(1e6); }, 5, 0.02);
    return 2.0 * kSize * kSize * kSize / result.seconds * 1e-9;
}

}  // namespace ptosim::bench
