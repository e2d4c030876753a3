// Fast paths compared with the plain functions that define their results.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "isa/numeric/formats.h"
#include "isa/numeric/half_lanes.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/matmul_kernel.h"
#include "isa/semantics/matmul_operands.h"
#include "isa/semantics/view_lines.h"
#include "isa/table/instruction_table.h"

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

template <typename T>
T at(const std::vector<T>& matrix, int row, int col, int pitch) {
    return matrix[static_cast<size_t>(row * pitch + col)];
}

// Rows of whole vectors, filled up with zeros.
template <typename T>
std::vector<T> in_vectors(const std::vector<T>& dense, int rows, int cols) {
    std::vector<T> result(static_cast<size_t>(rows * whole_vectors(cols)));
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            result[static_cast<size_t>(i * whole_vectors(cols) + j)] = at(dense, i, j, cols);
    return result;
}

// Panels of 64 columns of each `group` rows, the last one as wide as whole vectors of 16 need.
std::vector<float> in_panels(const std::vector<float>& dense, int rows, int cols, int group) {
    std::vector<float> result;
    for (int first = 0; first < rows; first += group)
        for (int panel = 0; panel < cols; panel += 64)
            for (int i = first; i < std::min(rows, first + group); ++i)
                for (int j = panel; j < std::min(panel + 64, whole_vectors(cols)); ++j)
                    result.push_back(j < cols ? at(dense, i, j, cols) : 0.0F);
    return result;
}

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(canonical(value)); }

float element(const Tile& tile, const std::vector<std::byte>& bytes, int row, int col) {
    const int64_t at = tile.index(row, col) * bits(tile.dtype);
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + at / 8, (bits(tile.dtype) + 7) / 8);
    raw = raw >> at % 8 & (~uint64_t{0} >> (64 - bits(tile.dtype)));
    if (tile.dtype == DType::kI8) return static_cast<int8_t>(raw);
    return static_cast<float>(decode(tile.dtype, raw));
}

}  // namespace

TEST_CASE("the fast product has the bits of the plain one, for any shape and any values") {
    std::mt19937 random(1);
    for (const auto& [m, k, n] :
         {std::array{1, 1, 1}, std::array{4, 7, 16}, std::array{5, 33, 27}, std::array{9, 16, 8},
          std::array{16, 64, 40}, std::array{13, 9, 64}, std::array{3, 20, 80},
          std::array{8, 5, 100}, std::array{2, 3, 161}}) {
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
            std::vector<float> plain = c;
            multiply_add_plain(a.data(), b.data(), plain.data(), m, k, n);
            const std::vector<float> panels = in_panels(b, k, n, k);
            for (Vectors vectors : {Vectors::kPlain, Vectors::k256, Vectors::k512}) {
                if (vectors > kHostVectors) continue;
                std::vector<float> fast = in_vectors(c, m, n);
                multiply_add(a.data(), k, panels.data(),
                             {fast.data(), whole_vectors(n), kVectorColumns}, m, k, n, half,
                             vectors);
                for (int i = 0; i < m; ++i)
                    for (int j = 0; j < n; ++j)
                        REQUIRE(bits_of(at(plain, i, j, n)) ==
                                std::bit_cast<uint32_t>(at(fast, i, j, whole_vectors(n))));
            }
        }
    }
}

TEST_CASE("operands of products are unpacked as their tiles' indices say, for every type") {
    std::mt19937 random(8);
    using enum OuterLayout;
    for (DType type : {DType::kF32, DType::kF16, DType::kBF16, DType::kE4M3, DType::kE5M2,
                       DType::kHIF8, DType::kE8M0, DType::kE2M1, DType::kE1M2, DType::kI8}) {
        for (const auto& [outer, inner] : {std::pair{kRowMajor, InnerLayout::kRowMajor},
                                           {kColMajor, InnerLayout::kRowMajor},
                                           {kRowMajor, InnerLayout::kColMajor},
                                           {kColMajor, InnerLayout::kColMajor}}) {
            for (const auto& [rows, cols] :
                 {std::pair{1, 1}, {16, 64}, {19, 37}, {64, 16}, {70, 130}, {5, 200}}) {
                const Tile tile = make_tile(Space::kL0A, type, (rows + 63) / 64 * 64,
                                            (cols + 63) / 64 * 64, outer, inner);
                std::vector<std::byte> bytes(tile.byte_size());
                for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
                std::vector<float> dense(static_cast<size_t>(rows * cols));
                unpack_rows(tile, bytes.data(), rows, cols, dense.data(), cols);
                const int group = 64;
                std::vector<float> panels(static_cast<size_t>(rows * whole_vectors(cols)), 7.0F);
                unpack_panels(tile, bytes.data(), rows, cols, group, panels.data());
                std::vector<float> expected;
                for (int i = 0; i < rows; ++i)
                    for (int j = 0; j < cols; ++j) expected.push_back(element(tile, bytes, i, j));
                for (size_t i = 0; i < dense.size(); ++i)
                    REQUIRE(bits_of(dense[i]) == bits_of(expected[i]));
                const std::vector<float> in_order = in_panels(expected, rows, cols, group);
                for (size_t i = 0; i < panels.size(); ++i)
                    REQUIRE(bits_of(panels[i]) == bits_of(in_order[i]));
            }
        }
    }
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
            std::vector<int32_t> plain = c, fast = in_vectors(c, m, n);
            multiply_add_plain(a.data(), b.data(), plain.data(), m, k, n);
            const std::vector<float> wide_a(a.begin(), a.end());
            const std::vector<float> wide_b(b.begin(), b.end());
            const std::vector<float> panels = in_panels(wide_b, k, n, kByteTerms);
            multiply_add_bytes(wide_a.data(), k, panels.data(), fast.data(), m, k, n);
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < n; ++j)
                    REQUIRE(at(plain, i, j, n) == at(fast, i, j, whole_vectors(n)));
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

TEST_CASE("arithmetic of runs of f16 lanes is that of single ones, on every host") {
    std::vector<Half> values;
    for (unsigned exponent = 0; exponent < 32; ++exponent)
        for (unsigned fraction : {0u, 1u, 0x155u, 0x200u, 0x3FFu})
            for (unsigned sign : {0u, 0x8000u})
                values.push_back({static_cast<uint16_t>(sign | exponent << 10 | fraction)});
    std::vector<Half> a, b;
    for (Half x : values)
        for (Half y : values) {
            a.push_back(x);
            b.push_back(y);
        }
    std::mt19937 random(9);
    for (int i = 0; i < 100'013; ++i) {  // an odd rest
        a.push_back({static_cast<uint16_t>(random())});
        b.push_back({static_cast<uint16_t>(random())});
    }
    const auto count = static_cast<int64_t>(a.size());
    const auto check = [&](HalfOperation operation, auto plain) {
        for (HalfArithmetic how : {HalfArithmetic::kPlain, HalfArithmetic::k256,
                                   HalfArithmetic::k512, HalfArithmetic::kFp16}) {
            if (how > kHostHalfArithmetic) continue;
            std::vector<Half> out(a.size()), in_place = a;
            compute(operation, a.data(), b.data(), out.data(), count, how);
            compute(operation, in_place.data(), b.data(), in_place.data(), count, how);
            for (size_t i = 0; i < a.size(); ++i) {
                REQUIRE(out[i].bits == plain(a[i], b[i]).bits);
                REQUIRE(in_place[i].bits == out[i].bits);
            }
        }
    };
    check(HalfOperation::kAdd, [](Half x, Half y) { return add(x, y); });
    check(HalfOperation::kSub, [](Half x, Half y) { return sub(x, y); });
    check(HalfOperation::kMul, [](Half x, Half y) { return mul(x, y); });
    check(HalfOperation::kDiv, [](Half x, Half y) {
        return round_to_half(static_cast<double>(to_float(x)) / static_cast<double>(to_float(y)));
    });
}

TEST_CASE("functions of 16-bit lanes are those of single ones, computed or looked up") {
    const Tile tile = make_tile(Space::kUB, DType::kF16, 256, 256);
    std::vector<std::byte> in(tile.byte_size()), out(tile.byte_size());
    for (unsigned i = 0; i < 65536; ++i) store(in.data() + 2 * i, static_cast<uint16_t>(i));
    Instruction instruction(Opcode::kTEXP);
    instruction.add(tile).add(tile);
    const Execution execution{instruction, {out.data(), in.data()}, Numerics::kIEEE};
    for (int round = 0; round < 2; ++round) {
        std::fill(out.begin(), out.end(), std::byte{0});
        info(Opcode::kTEXP).semantics(execution);
        for (unsigned i = 0; i < 65536; ++i)
            REQUIRE(load<uint16_t>(out.data() + 2 * i) ==
                    exp_rn(Half{static_cast<uint16_t>(i)}).bits);
    }
}

TEST_CASE("lines move between views of any dimensions and tiles as indices say") {
    std::mt19937 random(12);
    for (DType type : {DType::kI8, DType::kF16, DType::kF32, DType::kI64}) {
        const auto size = static_cast<int64_t>(bits(type)) / 8;
        for (const auto& [rows, cols] : {std::pair{1, 1}, {3, 32}, {37, 45}, {128, 256}, {30, 16}}) {
            for (bool nz : {false, true}) {
                Tile tile = make_tile(Space::kL1, type, (rows + 15) / 16 * 16, (cols + 31) / 32 * 32,
                                      nz ? OuterLayout::kColMajor : OuterLayout::kRowMajor,
                                      nz ? InnerLayout::kRowMajor : InnerLayout::kNone);
                tile.valid_rows = rows;
                tile.valid_cols = cols;
                GlobalView view;
                view.dtype = type;
                view.shape = {2, 2, 3, 11, cols};
                view.stride = {4000 * 44, 4000 * 22, 4000 * 7, 400, 1};
                if (rows > 100) view.shape[3] = 200;
                std::vector<std::byte> in(static_cast<size_t>(size * 4000 * 100)), out(tile.byte_size());
                for (std::byte& byte : in) byte = static_cast<std::byte>(random());
                REQUIRE(copy_view_lines(view, in.data(), tile, out.data(), rows, cols, Way::kToTile));
                std::vector<std::byte> back(in.size());
                REQUIRE(copy_view_lines(view, back.data(), tile, out.data(), rows, cols, Way::kToView));
                std::vector<std::byte> expected(in.size());
                for (int i = 0; i < rows; ++i)
                    for (int j = 0; j < cols; ++j) {
                        const int64_t at = view.matrix_offset(i, j) * size;
                        REQUIRE(std::memcmp(out.data() + tile.index(i, j) * size, in.data() + at,
                                            static_cast<size_t>(size)) == 0);
                        std::memcpy(expected.data() + at, in.data() + at, static_cast<size_t>(size));
                    }
                REQUIRE(back == expected);
            }
        }
    }
}

namespace {

// Zeros of both signs, NaNs, infinities, and little else: rows of them have ties and NaNs alone.
template <typename T>
T special_value(std::mt19937& random) {
    constexpr float kValues[] = {0.0F, -0.0F, -1.0F, -INFINITY, INFINITY, std::numeric_limits<float>::quiet_NaN()};
    return round_to<T>(kValues[random() % (random() % 4 == 0 ? std::size(kValues) : 3)]);
}

template <typename T, typename F>
void check_row_reduction(Opcode opcode, F step, std::mt19937& random, Numerics numerics = Numerics::kIEEE) {
    constexpr DType kType = dtype_of<T>();
    for (const auto& [rows, special] : {std::pair{1, false}, {3, false}, {16, false}, {21, false}, {21, true}}) {
        for (int cols : {1, 2, 7, 64, 65, 150}) {
            Tile from = make_tile(Space::kUB, kType, rows, (cols + 31) / 32 * 32);
            from.valid_cols = cols;
            const Tile to = make_tile(Space::kUB, kType, 32, 1, OuterLayout::kColMajor);
            std::vector<std::byte> in(from.byte_size()), out(to.byte_size());
            for (size_t i = 0; i + sizeof(T) <= in.size(); i += sizeof(T)) {
                if constexpr (is_float_v<T>)
                    store(in.data() + i, special ? special_value<T>(random) : random_value<T>(random));
                else
                    store(in.data() + i, static_cast<T>(random()));
            }
            Instruction instruction(opcode);
            instruction.add(to).add(from).add(from);
            instruction.operands[0].tile.valid_rows = rows;
            const Execution execution{
                instruction, {out.data(), in.data(), in.data()}, numerics};
            info(opcode).semantics(execution);
            for (int r = 0; r < rows; ++r) {
                T expected = read_lane<T>(from, in.data(), r, 0);
                if constexpr (is_float_v<T>) expected = round_to<T>(to_float(expected));
                for (int c = 1; c < cols; ++c)
                    expected = step(expected, read_lane<T>(from, in.data(), r, c));
                const T found = read_lane<T>(to, out.data(), r, 0);
                REQUIRE(std::memcmp(&found, &expected, sizeof(T)) == 0);
            }
        }
    }
}

template <typename T>
void check_row_reductions(std::mt19937& random) {
    check_row_reduction<T>(
        Opcode::kTROWSUM, [](T a, T b) { return add_lane(a, b); }, random);
    check_row_reduction<T>(
        Opcode::kTROWPROD, [](T a, T b) { return mul_lane(a, b); }, random);
    check_row_reduction<T>(
        Opcode::kTROWMAX, [](T a, T b) { return max_lane(a, b); }, random);
    check_row_reduction<T>(
        Opcode::kTROWMIN, [](T a, T b) { return min_lane(a, b); }, random);
    for (Numerics numerics : {Numerics::kA2A3, Numerics::kA5}) {  // a NaN stays
        check_row_reduction<T>(Opcode::kTROWMAX, Greatest{numerics}, random, numerics);
        check_row_reduction<T>(Opcode::kTROWMIN, Least{numerics}, random, numerics);
    }
}

}  // namespace

TEST_CASE("reductions of many rows at once go along each row in its order, for every type") {
    std::mt19937 random(11);
    check_row_reductions<float>(random);
    check_row_reductions<Half>(random);
    check_row_reductions<BFloat16>(random);
    check_row_reductions<int8_t>(random);
    check_row_reductions<uint16_t>(random);
    check_row_reductions<int32_t>(random);
    check_row_reductions<int64_t>(random);
}
