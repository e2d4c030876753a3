// The tiles of bench_instructions on the CPU simulator of a pto-isa checkout, compiled by
// bench.py --pto-isa with clang 19 against that checkout's headers. Prints a JSON list.
#include <pto/pto-inst.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

using namespace pto;

namespace {

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool first = true;

// The median of five: how often a second, times `work`. The result counts as used, and the source
// as changed, each time.
template <class Result, class F>
void measure(const char* name, const char* unit, double work, Result& result, F&& once) {
    once();
    std::vector<double> rates;
    for (int i = 0; i < 5; ++i) {
        const double begin = processor_seconds();
        double end = begin;
        int count = 0;
        for (; end - begin < 0.05; end = processor_seconds(), ++count) {
            once();
            asm volatile("" ::"r"(result.data()) : "memory");
        }
        rates.push_back(count * work / (end - begin) * 1e-9);
    }
    std::sort(rates.begin(), rates.end());
    std::printf("%s {\"name\": \"%s\", \"rate\": %.4g, \"unit\": \"%s\"}", first ? "" : ",\n", name,
                rates[2], unit);
    first = false;
}

template <class T, int kRows, int kCols>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, kRows, kCols>,
                            Stride<kRows * kCols, kRows * kCols, kRows * kCols, kCols, 1>>;

void vectors() {
    constexpr int kRows = 64, kCols = 128;
    using Floats = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, kRows, kCols>;
    using Halves = Tile<TileType::Vec, half, kRows, kCols, BLayout::RowMajor, kRows, kCols>;
    using Sums = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor, kRows, 1>;
    static std::vector<float> values(kRows * kCols, 0.5F);
    Matrix<float, kRows, kCols> global(values.data());
    Floats a, b, c;
    Halves h;
    Sums sums;
    TASSIGN(a, 0x0);
    TASSIGN(b, 0x8000);
    TASSIGN(c, 0x10000);
    TASSIGN(h, 0x18000);
    TASSIGN(sums, 0x1C000);
    TLOAD(a, global);
    TLOAD(b, global);
    constexpr double kElements = kRows * kCols;
    measure("TADD f32", "Gelem/s", kElements, c, [&] { TADD(c, a, b); });
    measure("TMUL f32", "Gelem/s", kElements, c, [&] { TMUL(c, a, b); });
    measure("TEXP f32", "Gelem/s", kElements, c, [&] { TEXP(c, a); });
    measure("TCVT f16 from f32", "Gelem/s", kElements, h,
            [&] { TCVT(h, a, RoundMode::CAST_RINT); });
    measure("TROWSUM f32", "Gelem/s", kElements, sums, [&] { TROWSUM(sums, a, c); });
    measure("TLOAD f32 64x128 ND", "GB/s", 4 * kElements, a, [&] { TLOAD(a, global); });
}

template <class T>
void product(const char* name) {
    constexpr int kSide = 128;
    using FromA = Tile<TileType::Mat, T, kSide, kSide, BLayout::ColMajor, kSide, kSide,
                       SLayout::RowMajor, 512>;
    static std::vector<T> values(kSide * kSide, static_cast<T>(0.5F));
    Matrix<T, kSide, kSide> global(values.data());
    FromA from_a, from_b;
    TileLeft<T, kSide, kSide, kSide, kSide> a;
    TileRight<T, kSide, kSide, kSide, kSide> b;
    TileAcc<float, kSide, kSide, kSide, kSide> c;
    TASSIGN(from_a, 0x0);
    TASSIGN(from_b, 0x10000);
    TASSIGN(a, 0x0);
    TASSIGN(b, 0x0);
    TASSIGN(c, 0x0);
    TLOAD(from_a, global);
    TLOAD(from_b, global);
    TMOV(a, from_a);
    TMOV(b, from_b);
    TMATMUL(c, a, b);
    measure(name, "GFLOP/s", 2.0 * kSide * kSide * kSide, c, [&] { TMATMUL_ACC(c, c, a, b); });
}

}  // namespace

int main() {
    std::printf("[");
    vectors();
    product<half>("TMATMUL_ACC f16 128");
    product<float>("TMATMUL_ACC f32 128");
    std::printf("]\n");
}
