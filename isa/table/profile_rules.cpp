#include "isa/table/profile_rules.h"

#include <algorithm>
#include <array>

#include "isa/table/instruction_traits.h"

namespace ptosim {

namespace {

using enum Numerics;

constexpr std::array kRules{
#define PTO_PROFILE_RULE(name, profile, grade, text, source) \
    ProfileRule{name, profile, Grade::grade, text, source},
#include "isa/table/profile_rules.def"
#undef PTO_PROFILE_RULE
};

}  // namespace

std::string_view name(Grade grade) { return grade == Grade::kCaptured ? "captured" : "assumed"; }

std::span<const ProfileRule> profile_rules() { return kRules; }

bool shows_in(const ProfileRule& rule, Opcode opcode) {
    std::string_view rest = traits(opcode).profile_rules;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        if (rest.substr(0, end) == rule.name) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

const ProfileRule* find_profile_rule(std::string_view name) {
    for (const ProfileRule& rule : kRules)
        if (rule.name == name) return &rule;
    return nullptr;
}

}  // namespace ptosim
