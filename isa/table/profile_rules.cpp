#include "isa/table/profile_rules.h"

#include <algorithm>
#include <array>

#include "isa/table/instruction_traits.h"

namespace ptosim {

namespace {

using enum Numerics;

constexpr std::array kRules{
#define PTO_PROFILE_RULE(rule, numerics, how, what, file, ...) \
    ProfileRule{.name = rule,                                  \
                .profile = numerics,                           \
                .grade = Grade::how,                           \
                .text = what,                                  \
                .source = file __VA_OPT__(, ) __VA_ARGS__},
#include "isa/table/profile_rules.def"
#undef PTO_PROFILE_RULE
};

}  // namespace

std::string_view name(Grade grade) {
    return grade == Grade::kCaptured     ? "captured"
           : grade == Grade::kDocumented ? "documented"
                                         : "assumed";
}

std::string_view name(Numerics profile) {
    static constexpr std::string_view kNames[] = {"ieee", "a2a3", "a5", "a5-templates"};
    return kNames[static_cast<size_t>(profile)];
}

std::span<const ProfileRule> profile_rules() { return kRules; }

bool is_open(const ProfileRule& rule, Numerics board) {
    if (rule.grade != Grade::kAssumed) return false;
    if (rule.profile != kIEEE) return rule.profile == board;
    return std::none_of(kRules.begin(), kRules.end(), [&](const ProfileRule& other) {
        return other.profile == board && other.replaces == rule.name;
    });
}

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
