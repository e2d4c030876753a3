// Tiles made of nothing but scalars: triangles, random numbers.
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

// Ones where column <= row + diagonal (lower) or column >= row + diagonal (upper), else zeros.
void TTRI(const Execution& e) {
    const Tile& to = e.tile(0);
    const int64_t diagonal = integer_of(e.scalar(1));
    const bool upper = e.instruction.attributes.upper;
    visit_arithmetic(to.dtype, [&](auto type) {
        using T = decltype(type);
        T one{};
        if constexpr (is_float_v<T>)
            one = round_to<T>(1.0F);
        else
            one = 1;
        for (int row = 0; row < to.valid_rows; ++row)
            for (int col = 0; col < to.valid_cols; ++col) {
                const int64_t edge = row + diagonal;
                const bool set = upper ? col >= edge : col <= edge;
                write_lane(to, e.bytes[0], row, col, set ? one : zero<T>());
            }
    });
}

namespace {

using Counter = std::array<uint32_t, 4>;

void advance(Counter& counter, uint32_t by) {
    uint64_t carry = by;
    for (uint32_t& word : counter) {
        carry += word;
        word = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
}

// Philox 4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
Counter philox(Counter c, std::array<uint32_t, 2> key, unsigned rounds) {
    for (unsigned i = 0; i < rounds; ++i) {
        const uint64_t a = uint64_t{0xD2511F53u} * c[0];
        const uint64_t b = uint64_t{0xCD9E8D57u} * c[2];
        c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(b),
             static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(a)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return c;
}

}  // namespace

// Operands (dst, key0, key1, counter0..3). A row is made in groups of 256 columns: lane l of a
// group uses the counter + l, and its four words are columns 4 l to 4 l + 3. The counter advances
// by 64 after a group, and after the last one of a row by the columns of its last 64
// (hw-native-sys/pto-isa include/pto/npu/a5/TRandom.hpp).
void TRANDOM(const Execution& e) {
    constexpr int kLanes = 64, kWords = 4, kGroup = kLanes * kWords;
    const Tile& to = e.tile(0);
    auto word = [&](unsigned i) { return static_cast<uint32_t>(integer_of(e.scalar(i))); };
    const std::array<uint32_t, 2> key{word(1), word(2)};
    Counter counter{word(3), word(4), word(5), word(6)};
    for (int row = 0; row < to.valid_rows; ++row)
        for (int group = 0; group < to.valid_cols; group += kGroup) {
            for (int lane = 0; lane < kLanes; ++lane) {
                Counter own = counter;
                advance(own, static_cast<uint32_t>(lane));
                const Counter words = philox(own, key, e.instruction.attributes.rounds);
                for (int i = 0; i < kWords; ++i) {
                    const int col = group + kWords * lane + i;
                    if (col < to.valid_cols)
                        write_lane(to, e.bytes[0], row, col, words[static_cast<size_t>(i)]);
                }
            }
            const bool last = group + kGroup >= to.valid_cols;
            advance(counter,
                    static_cast<uint32_t>(last ? (to.valid_cols - 1) % kLanes + 1 : kLanes));
        }
}

}  // namespace ptosim::semantics

namespace ptosim::rows {

namespace {

void random_form(const WrittenOperation& op) {
    for (const std::string_view word :
         {"key0", "key1", "counter0", "counter1", "counter2", "counter3"}) {
        if (!op.given(word)) continue;
        const WrittenType type = op.type(word);
        op.require(
            type.dtype == DType::kI32 || type.dtype == DType::kU32, "T02",
            "takes i32 or ui32 as '" + std::string(word) + "', not " + std::string(type.text));
    }
    const auto rounds = op.instruction.attributes.rounds;
    op.require(rounds == 7 || rounds == 10, "K09", "has 7 or 10 rounds");
}

}  // namespace

#include "isa/instructions/generate.def"
}  // namespace ptosim::rows
