// The table of profile rules, and the rules that are done.
#include "isa/profile_rules.h"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

#include "isa/instruction_table.h"

using namespace ptosim;

TEST_CASE("profile rules have unique names, texts and sources") {
    std::set<std::string_view> names;
    for (const ProfileRule& rule : profile_rules()) {
        INFO(rule.name);
        CHECK(names.insert(rule.name).second);
        CHECK(find_profile_rule(rule.name) == &rule);
        CHECK_FALSE(rule.text.empty());
        CHECK_FALSE(rule.source.empty());
        CHECK(rule.implemented == rule.reason.empty());
    }
    CHECK(find_profile_rule("nonsense") == nullptr);
}

TEST_CASE("tscatter-clears: a2a3 zeroes the destination, ieee leaves it") {
    const Tile tile = make_tile(Space::kUB, DType::kI32, 1, 8);
    Tile indices = tile;
    indices.valid_cols = 1;
    Instruction instruction(Opcode::kTSCATTER);
    instruction.add(tile).add(tile).add(indices);
    for (Numerics numerics : {Numerics::kIEEE, Numerics::kA2A3}) {
        std::vector<int32_t> dst(8, 5), src(8, 9), index(8, 2);
        Execution execution{
            instruction,
            {reinterpret_cast<std::byte*>(dst.data()), reinterpret_cast<std::byte*>(src.data()),
             reinterpret_cast<std::byte*>(index.data())},
            numerics};
        info(Opcode::kTSCATTER).semantics(execution);
        const int32_t other = numerics == Numerics::kA2A3 ? 0 : 5;
        CHECK(dst == std::vector<int32_t>{other, other, 9, other, other, other, other, other});
    }
}
