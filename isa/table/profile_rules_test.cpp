// The table of profile rules, and the rules that are done.
#include "isa/table/profile_rules.h"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/table/instruction_table.h"

using namespace ptosim;

TEST_CASE("profile rules have unique names, texts and sources") {
    std::set<std::string_view> names;
    for (const ProfileRule& rule : profile_rules()) {
        INFO(rule.name);
        CHECK(names.insert(rule.name).second);
        CHECK(find_profile_rule(rule.name) == &rule);
        CHECK_FALSE(rule.text.empty());
        CHECK_FALSE(rule.source.empty());
        unsigned rows = 0;
        for (const InstructionInfo& row : instruction_table()) rows += shows_in(rule, row.opcode);
        CHECK(rows > 0);
    }
    CHECK(find_profile_rule("nonsense") == nullptr);
}

TEST_CASE("a rule is open on a board unless one of the board's profile replaces it") {
    const auto open = [](const char* rule, Numerics board) {
        return is_open(*find_profile_rule(rule), board);
    };
    CHECK_FALSE(open("minimum-skips-nan", Numerics::kA2A3));  // extremes-keep-nan
    CHECK_FALSE(open("minimum-skips-nan", Numerics::kA5));
    CHECK(open("product-rounds", Numerics::kA2A3));
    CHECK_FALSE(open("product-rounds", Numerics::kA5));  // product-fused
    CHECK(open("product-fused", Numerics::kA5));
    CHECK_FALSE(open("product-fused", Numerics::kA2A3));
    CHECK_FALSE(open("tscatter-clears", Numerics::kA2A3));  // captured
    for (const ProfileRule& rule : profile_rules()) {
        INFO(rule.name);
        if (rule.replaces.empty()) continue;
        const ProfileRule* const other = find_profile_rule(rule.replaces);
        REQUIRE(other != nullptr);
        CHECK(other->profile == Numerics::kIEEE);
        CHECK(rule.profile != Numerics::kIEEE);
    }
}

TEST_CASE("rules name results that the capture kit has") {
    // Results of products of matrices, in models/capture/host.cpp.
    std::set<std::string> results{"products_in_order", "accumulation_starts_at_c", "bias_after_dot"};
#define NUMBERS(NAME, ...) results.insert(#NAME);
#include "models/capture/numbers.def"
#undef NUMBERS
    std::set<std::string> named;
    for (const ProfileRule& rule : profile_rules()) {
        std::istringstream words{std::string(rule.capture)};
        for (std::string word; words >> word; named.insert(word)) {
            INFO(rule.name << " " << word);
            CHECK(results.count(word) == 1);
        }
    }
    CHECK(named == results);
}

TEST_CASE("tscatter-clears: a2a3 and a5 zero the destination, ieee leaves it") {
    const Tile tile = make_tile(Space::kUB, DType::kI32, 1, 8);
    Tile indices = tile;
    indices.valid_cols = 1;
    Instruction instruction(Opcode::kTSCATTER);
    instruction.add(tile).add(tile).add(indices);
    for (Numerics numerics : {Numerics::kIEEE, Numerics::kA2A3, Numerics::kA5}) {
        std::vector<int32_t> dst(8, 5), src(8, 9), index(8, 2);
        Execution execution{
            instruction,
            {reinterpret_cast<std::byte*>(dst.data()), reinterpret_cast<std::byte*>(src.data()),
             reinterpret_cast<std::byte*>(index.data())},
            numerics};
        info(Opcode::kTSCATTER).semantics(execution);
        const int32_t other = numerics == Numerics::kIEEE ? 5 : 0;
        CHECK(dst == std::vector<int32_t>{other, other, 9, other, other, other, other, other});
    }
}

// 1 / sqrt(x) with one rounding and with two, by numpy: in 64-bit long doubles, and in f32.
TEST_CASE("rsqrt-of-two-steps: a5 rounds the square root, ieee does not") {
    Instruction instruction(Opcode::kTRSQRT);
    const Tile tile = make_tile(Space::kUB, DType::kF32, 1, 8);
    instruction.add(tile).add(tile);
    for (Numerics numerics : {Numerics::kIEEE, Numerics::kA2A3, Numerics::kA5}) {
        std::vector<uint32_t> src(8, 0x3f40e63c), dst(8, 0);
        src[1] = 0x3e9b3c5a;
        Execution execution{
            instruction,
            {reinterpret_cast<std::byte*>(dst.data()), reinterpret_cast<std::byte*>(src.data())},
            numerics};
        info(Opcode::kTRSQRT).semantics(execution);
        CHECK(dst[0] == (numerics == Numerics::kA5 ? 0x3f9374ebu : 0x3f9374ecu));
        CHECK(dst[1] == (numerics == Numerics::kA5 ? 0x3fe875e1u : 0x3fe875e0u));
    }
}

TEST_CASE("l1-lines-end-in-zeros: a5 fills up 32 bytes, ieee leaves them") {
    Tile tile = make_tile(Space::kL1, DType::kI8, 1, 96);
    tile.valid_cols = 40;
    GlobalView view;
    view.dtype = DType::kI8;
    view.shape[4] = 40;
    Instruction instruction(Opcode::kTLOAD);
    instruction.add(tile).add(view);
    for (Numerics numerics : {Numerics::kIEEE, Numerics::kA5}) {
        std::vector<int8_t> dst(96, 5), src(40, 9);
        Execution execution{
            instruction,
            {reinterpret_cast<std::byte*>(dst.data()), reinterpret_cast<std::byte*>(src.data())},
            numerics};
        info(Opcode::kTLOAD).semantics(execution);
        CHECK(dst[39] == 9);
        CHECK(dst[40] == (numerics == Numerics::kA5 ? 0 : 5));
        CHECK(dst[63] == (numerics == Numerics::kA5 ? 0 : 5));
        CHECK(dst[64] == 5);
    }
}

// 0x3b1e is 0.8896: its root 0.9434 (0x3b8c) and 1 / that 1.0596 by numpy's float16; rounded once,
// 1.0605.
TEST_CASE("rsqrt-of-two-steps: of f16, both steps round to f16") {
    Instruction instruction(Opcode::kTRSQRT);
    const Tile tile = make_tile(Space::kUB, DType::kF16, 1, 16);
    instruction.add(tile).add(tile);
    for (Numerics numerics : {Numerics::kIEEE, Numerics::kA5}) {
        std::vector<uint16_t> src(16, 0x3b1e), dst(16, 0);
        Execution execution{
            instruction,
            {reinterpret_cast<std::byte*>(dst.data()), reinterpret_cast<std::byte*>(src.data())},
            numerics};
        info(Opcode::kTRSQRT).semantics(execution);
        CHECK(dst[0] == (numerics == Numerics::kA5 ? 0x3c3d : 0x3c3e));
    }
}
