// Checks a function of functions.h for every float against MPFR. It takes minutes to hours and is meant to be run
// manually after a change to functions.cpp.
//
//     exhaustive_f32 exp|log|sqrt|rsqrt|recip [--plain] [first last]
//
// --plain tests instead that the array form gives the bits of the plain function, which takes seconds: for changes of
// the array forms alone, and for hosts with other vectors (exhaustive_f32_256, exhaustive_f32_0). first and last are
// bit patterns (hexadecimal, inclusive; default all). Prints a line of progress every 2^24 arguments (--plain: 2^28)
// and each wrong result; exits with 1 if there was one.
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "isa/numeric/functions.h"
#include "isa/numeric/mpfr_oracle.h"
#include "isa/numeric/wide.h"

namespace {

constexpr size_t kBlock = 4096;

void compute(std::string_view name, const float* x, float* y, float* y_run, size_t count) {
    using namespace ptosim;
    for (size_t i = 0; i < count; ++i) {
        y[i] = name == "exp"     ? exp_rn(x[i])
               : name == "log"   ? log_rn(x[i])
               : name == "sqrt"  ? sqrt_rn(x[i])
               : name == "rsqrt" ? rsqrt_rn(x[i])
                                 : recip_rn(x[i]);
        y_run[i] = y[i];
    }
    if (name == "exp") exp_rn(x, y_run, count);
    if (name == "log") log_rn(x, y_run, count);
    if (name == "rsqrt") rsqrt_rn(x, y_run, count);
    if (name == "sqrt")
        widest([=] {
            for (size_t i = 0; i < count; ++i) y_run[i] = sqrt_rn(x[i]);
        });
    if (name == "recip")
        widest([=] {
            for (size_t i = 0; i < count; ++i) y_run[i] = recip_rn(x[i]);
        });
}

uint32_t expected_bits(double value) {
    if (value != value) return ptosim::kCanonicalNanF32;
    return std::bit_cast<uint32_t>(static_cast<float>(value));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view name = argc > 1 ? argv[1] : "";
    ptosim::oracle::Function function = nullptr;
    for (const auto& row : ptosim::oracle::kFunctions) {
        if (row.name == name) function = row.function;
    }
    if (function == nullptr) {
        std::fprintf(stderr,
                     "usage: exhaustive_f32 exp|log|sqrt|rsqrt|recip [--plain] [first last]\n");
        return 2;
    }
    const bool plain = argc > 2 && std::string_view(argv[2]) == "--plain";
    argc -= plain ? 1 : 0;
    argv += plain ? 1 : 0;
    uint64_t next = argc > 2 ? std::strtoull(argv[2], nullptr, 16) : 0;
    const uint64_t last = argc > 3 ? std::strtoull(argv[3], nullptr, 16) : 0xFFFFFFFF;

    ptosim::oracle::Mpfr mpfr(ptosim::oracle::kF32);
    static float x[kBlock], y[kBlock], y_run[kBlock];
    const auto start = std::chrono::steady_clock::now();
    uint64_t done = 0;
    uint64_t wrong = 0;
    const uint64_t report = uint64_t{1} << (plain ? 28 : 24);
    uint64_t next_report = report;
    while (next <= last) {
        const size_t count =
            static_cast<size_t>(last - next + 1 < kBlock ? last - next + 1 : kBlock);
        for (size_t i = 0; i < count; ++i) {
            x[i] = std::bit_cast<float>(static_cast<uint32_t>(next + i));
        }
        compute(name, x, y, y_run, count);
        for (size_t i = 0; i < count; ++i) {
            const auto got = std::bit_cast<uint32_t>(y[i]);
            const uint32_t expected = plain ? got : expected_bits(mpfr.unary(function, x[i]));
            const auto got_run = std::bit_cast<uint32_t>(y_run[i]);
            if (got == expected && got_run == expected) continue;
            ++wrong;
            std::printf("WRONG %.*s(%08x) = %08x, run %08x, expected %08x\n",
                        static_cast<int>(name.size()), name.data(), static_cast<unsigned>(next + i),
                        got, got_run, expected);
        }
        next += count;
        done += count;
        if (done >= next_report || next > last) {
            next_report += report;
            const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
            std::printf("%.*s: up to %08x, %llu done, %llu wrong, %.0f s, %.3f M/s\n",
                        static_cast<int>(name.size()), name.data(), static_cast<unsigned>(next - 1),
                        static_cast<unsigned long long>(done),
                        static_cast<unsigned long long>(wrong), time.count(),
                        static_cast<double>(done) / time.count() / 1e6);
            std::fflush(stdout);
        }
    }
    return wrong == 0 ? 0 : 1;
}
