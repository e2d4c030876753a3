// Fast paths against the plain functions that say what they mean.
#include <catch2/catch.hpp>

#include <bit>
#include <random>
#include <vector>

#include "isa/instruction_table.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/half_lanes.h"
#include "isa/semantics/matmul_kernel.h"

using namespace ptosim;
using namespace ptosim::semantics;

namespace {

// Bits of every kind: normal, subnormal, infinite, NaN.
template <typename T>
T random_value(std::mt19937& random) {
    const uint32_t bits = static_cast<uint32_t>(random());
    const uint32_t exponent = random() % 4 == 0 ? bits & 0x7F800000u : 0x3F800000u;
    const float value = std::bit_cast<float>((bits & 0x807FFFFFu) | exponent);
    return round_to<T>(value);
}

}  // namespace

TEST_CASE("the fast product has the bits of the plain one, for any shape and any values") {
    std::mt19937 random(1);
    for (const auto& [m, k, n] : {std::array{1, 1, 1}, std::array{4, 7, 16}, std::array{5, 33, 27},
                                  std::array{9, 16, 8}, std::array{16, 64, 40}}) {
        for (bool half : {false, true}) {
            std::vector<float> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)),
                c(static_cast<size_t>(m * n));
            auto fill = [&](std::vector<float>& values) {
                for (float& value : values)
                    value = half ? to_float(random_value<Half>(random))
                                 : to_float(random_value<BFloat16>(random));
            };
            fill(a);
            fill(b);
            fill(c);
            std::vector<float> plain = c, fast = c;
            multiply_add_plain(a.data(), b.data(), plain.data(), m, k, n);
            multiply_add(a.data(), b.data(), fast.data(), m, k, n, half);
            for (size_t i = 0; i < c.size(); ++i)
                REQUIRE(std::bit_cast<uint32_t>(canonical(plain[i])) ==
                        std::bit_cast<uint32_t>(canonical(fast[i])));
        }
    }
}

TEST_CASE("the fast integer product wraps like the plain one") {
    std::mt19937 random(2);
    const int m = 5, k = 40, n = 21;
    std::vector<int32_t> a(m * k), b(k * n), c(m * n);
    for (auto* values : {&a, &b, &c})
        for (int32_t& value : *values) value = static_cast<int32_t>(random());
    std::vector<int32_t> plain = c, fast = c;
    multiply_add_plain(a.data(), b.data(), plain.data(), m, k, n);
    multiply_add(a.data(), b.data(), fast.data(), m, k, n);
    CHECK(plain == fast);
}

TEST_CASE("products of bytes are the plain ones, at the ends of the range and for any depth") {
    std::mt19937 random(6);
    for (const auto& [m, k, n] :
         {std::array{1, 1, 1}, std::array{5, 40, 21}, std::array{16, 512, 8},
          std::array{3, 513, 17}, std::array{2, 4095, 5}}) {
        for (bool extreme : {false, true}) {
            std::vector<int32_t> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)),
                c(static_cast<size_t>(m * n));
            for (auto* values : {&a, &b})
                for (int32_t& value : *values)
                    value = extreme ? -128 : static_cast<int8_t>(random());
            for (int32_t& value : c) value = static_cast<int32_t>(random());
            std::vector<int32_t> plain = c, fast = c;
            multiply_add_plain(a.data(), b.data(), plain.data(), m, k, n);
            multiply_add_bytes(a.data(), b.data(), fast.data(), m, k, n);
            CHECK(plain == fast);
        }
    }
}

TEST_CASE("runs of f16 lanes convert like single ones") {
    std::vector<Half> all(65536), back(65536);
    for (unsigned i = 0; i < 65536; ++i) all[i].bits = static_cast<uint16_t>(i);
    std::vector<float> wide(65536);
    for (int count : {65536, 13}) {
        widen(all.data(), wide.data(), count);
        for (int i = 0; i < count; ++i)
            REQUIRE(std::bit_cast<uint32_t>(canonical(wide[static_cast<size_t>(i)])) ==
                    std::bit_cast<uint32_t>(to_float(all[static_cast<size_t>(i)])));
    }
    std::mt19937 random(5);
    for (float& value : wide)
        value = canonical(std::bit_cast<float>(static_cast<uint32_t>(random())));
    // Halfway cases of every exponent that f16 has.
    for (unsigned i = 0; i < 32768; ++i)
        wide[i] = canonical(std::bit_cast<float>((i << 13) + 0x38000000u - 0x1000u));
    narrow(wide.data(), back.data(), 65536);
    for (size_t i = 0; i < wide.size(); ++i) REQUIRE(back[i].bits == round_to_half(wide[i]).bits);
}

TEST_CASE("branch-free minimum and maximum are min_num and max_num") {
    std::mt19937 random(3);
    const float special[] = {0.0F,
                             -0.0F,
                             1.0F,
                             -1.0F,
                             INFINITY,
                             -INFINITY,
                             std::bit_cast<float>(0x7FC00000u),
                             std::bit_cast<float>(0xFF800001u)};
    auto check = [](float a, float b) {
        CHECK(std::bit_cast<uint32_t>(min_lane(a, b)) == std::bit_cast<uint32_t>(min_num(a, b)));
        CHECK(std::bit_cast<uint32_t>(max_lane(a, b)) == std::bit_cast<uint32_t>(max_num(a, b)));
        const Half x = round_to_half(a), y = round_to_half(b);
        CHECK(min_lane(x, y).bits == min_num(x, y).bits);
        CHECK(max_lane(x, y).bits == max_num(x, y).bits);
    };
    for (float a : special)
        for (float b : special) check(a, b);
    for (int i = 0; i < 2000; ++i) check(random_value<float>(random), random_value<float>(random));
}

TEST_CASE("chunked loops give what one lane at a time gives, on windows of any width") {
    std::mt19937 random(4);
    for (int cols : {1, 8, 255, 256, 257, 600}) {
        for (int pitch : {0, 40}) {
            Tile tile = make_tile(Space::kUB, DType::kF32, 3, (cols + 7) / 8 * 8);
            tile.valid_cols = cols;
            tile.pitch += pitch;
            const size_t size = tile.byte_size();
            std::vector<std::byte> a(size), b(size), out(size, std::byte{0xA5});
            for (size_t i = 0; i + 4 <= size; i += 4) {
                store(a.data() + i, random_value<float>(random));
                store(b.data() + i, random_value<float>(random));
            }
            std::vector<std::byte> expected = out;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < cols; ++c)
                    write_lane(tile, expected.data(), r, c,
                               mul_lane(read_lane<float>(tile, a.data(), r, c),
                                        read_lane<float>(tile, b.data(), r, c)));
            Instruction instruction(Opcode::kTMUL);
            instruction.add(tile).add(tile).add(tile);
            Execution execution{instruction, {out.data(), a.data(), b.data()}, Numerics::kIEEE};
            info(Opcode::kTMUL).semantics(execution);
            CHECK(out == expected);
            // In place.
            execution.bytes = {a.data(), a.data(), b.data()};
            info(Opcode::kTMUL).semantics(execution);
            for (int r = 0; r < 3; ++r)
                CHECK(std::memcmp(a.data() + tile.index(r, 0) * 4,
                                  out.data() + tile.index(r, 0) * 4,
                                  static_cast<size_t>(cols) * 4) == 0);
        }
    }
}
