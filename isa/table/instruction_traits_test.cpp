// Traits that a row could forget or state without effect: conditions that all rows must meet.
#include "isa/table/instruction_traits.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>

#include "isa/legality/legality.h"
#include "isa/table/profile_rules.h"

using namespace ptosim;

namespace {

bool has_rule(const InstructionInfo& row, const LegalityRule& rule) {
    return std::find(row.rules.begin(), row.rules.end(), &rule) != row.rules.end();
}

bool has_scratch(const InstructionInfo& row) {
    return std::any_of(row.operands.begin(), row.operands.end(), [](const OperandInfo& operand) {
        return operand.role == OperandRole::kTmp && (operand.kinds & kTileOperand) != 0;
    });
}

}  // namespace

TEST_CASE("every row has traits, and what they say of operands is about operands that it has") {
    for (const InstructionInfo& row : instruction_table()) {
        INFO(row.name);
        REQUIRE(row.traits != nullptr);
        const InstructionTraits& own = *row.traits;
        for (unsigned i = 0; i < 8; ++i) {
            if ((own.empty.operands >> i & 1) == 0) continue;
            REQUIRE(i < row.operands.size());
            CHECK((row.operands[i].kinds & kTileOperand) != 0);
        }
        CHECK((own.touched != nullptr || own.reaches_beyond == nullptr));
        CHECK((own.undefined.check != nullptr || own.undefined.applies == nullptr));
        // An instruction that computes nothing has no results to check.
        if (row.semantics == nullptr) {
            CHECK(own.computes_floats);
            CHECK(own.undefined.check == nullptr);
            CHECK(own.implementation_defined == nullptr);
            CHECK(own.profile_rules.empty());
        }
    }
}

TEST_CASE("a row with the rule `scratch` says how much, and only such a row does") {
    for (const InstructionInfo& row : instruction_table()) {
        INFO(row.name);
        const bool asked = has_rule(row, rules::scratch);
        const auto& scratch_bytes = row.traits->scratch_bytes;
        CHECK(asked == (scratch_bytes.a2a3 != nullptr || scratch_bytes.a5 != nullptr));
        if (row.traits->scratch_untouched.a5) CHECK(scratch_bytes.a5 == nullptr);
        if (asked) CHECK(has_scratch(row));
        if (!row.traits->scratch_types.empty()) CHECK(asked);
        if (row.traits->vector_with_scratch) CHECK(has_scratch(row));
        if (row.traits->scratch_untouched.a5) CHECK(has_scratch(row));
        CHECK_FALSE(row.traits->scratch_untouched.a2a3);
    }
}

TEST_CASE("only a row with the rule `apart` says when operands must be apart") {
    for (const InstructionInfo& row : instruction_table()) {
        INFO(row.name);
        if (row.traits->apart_everywhere || row.traits->apart_if != nullptr)
            CHECK(has_rule(row, rules::apart));
    }
}

TEST_CASE("rows name profile rules that exist, in the order of their table") {
    const auto all = profile_rules();
    for (const InstructionInfo& row : instruction_table()) {
        std::istringstream words{std::string(row.traits->profile_rules)};
        const ProfileRule* last = nullptr;
        for (std::string word; words >> word;) {
            INFO(row.name << " " << word);
            const ProfileRule* const rule = find_profile_rule(word);
            REQUIRE(rule != nullptr);
            CHECK((last == nullptr || last < rule));
            last = rule;
        }
    }
    CHECK_FALSE(all.empty());
}

TEST_CASE("an implementation that sets a flag inside names two pipes") {
    for (const InstructionInfo& row : instruction_table())
        for (const Arch arch : {Arch::kA2A3, Arch::kA5})
            for (const InternalFlag& flag : row.traits->internal_flags[arch]) {
                INFO(row.name);
                CHECK(flag.source != flag.destination);
            }
}
