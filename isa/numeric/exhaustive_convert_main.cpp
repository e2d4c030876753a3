// Compares convert_run() with convert_bits() for every float, or with the single typed elements, which take a tenth of
// the time. To be run on purpose, after a change to convert_run.cpp.
//
//     exhaustive_convert [--typed] [TYPE...]      f16 bf16 e4m3 e5m2 e2m1 e1m2 i4 i8 u8 i16 u16; without one, all
//
// To nearest even, with and without saturation. Prints a line for each type; exits with 1 if an element differed.
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "isa/numeric/convert.h"

namespace {

using namespace ptosim;

constexpr size_t kBlock = 4096;

template <DType To, Saturation Sat>
uint64_t differences(bool typed) {
    static float sources[kBlock];
    static uint8_t packed[kBlock * 2];
    uint64_t wrong = 0;
    for (uint64_t next = 0; next < uint64_t{1} << 32; next += kBlock) {
        for (size_t i = 0; i < kBlock; ++i) sources[i] = std::bit_cast<float>(static_cast<uint32_t>(next + i));
        convert_run(To, packed, DType::kF32, sources, kBlock, RoundMode::kRint, Sat);
        for (size_t i = 0; i < kBlock; ++i) {
            uint64_t expected;
            if (typed)
                expected = to_bits<To>(convert<To, DType::kF32, RoundMode::kRint, Sat>(sources[i]));
            else
                expected = convert_bits(To, DType::kF32, next + i, RoundMode::kRint, Sat);
            uint64_t found = 0;
            if constexpr (bits(To) == 4)
                found = packed[i / 2] >> (i % 2 * 4) & 15;
            else
                std::memcpy(&found, packed + i * bits(To) / 8, bits(To) / 8);
            if (found == expected) continue;
            if (++wrong <= 10)
                std::printf("WRONG %08llx: %llx, not %llx\n", static_cast<unsigned long long>(next + i),
                            static_cast<unsigned long long>(found), static_cast<unsigned long long>(expected));
        }
    }
    return wrong;
}

template <DType To>
uint64_t compare(bool typed, const std::vector<std::string_view>& wanted) {
    bool asked = wanted.empty();
    for (const std::string_view word : wanted) asked |= word == name(To);
    if (!asked) return 0;
    const auto begin = std::chrono::steady_clock::now();
    const uint64_t wrong = differences<To, Saturation::kOff>(typed) + differences<To, Saturation::kOn>(typed);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    std::printf("%s: 2 times 4294967296 floats, %llu wrong, %.0f s\n", std::string(name(To)).c_str(),
                static_cast<unsigned long long>(wrong), time.count());
    std::fflush(stdout);
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string_view> words(argv + 1, argv + argc);
    const bool typed = std::erase(words, "--typed") > 0;
    using enum DType;
    const uint64_t wrong = compare<kF16>(typed, words) + compare<kBF16>(typed, words) + compare<kE4M3>(typed, words) +
                           compare<kE5M2>(typed, words) + compare<kE2M1>(typed, words) +
                           compare<kE1M2>(typed, words) + compare<kI4>(typed, words) + compare<kI8>(typed, words) +
                           compare<kU8>(typed, words) + compare<kI16>(typed, words) + compare<kU16>(typed, words);
    return wrong == 0 ? 0 : 1;
}
