#include "isa/profile_rules.h"

#include <array>

namespace ptosim {

namespace {

using enum Numerics;
using enum Opcode;

constexpr Opcodes kProducts{kTMATMUL,         kTMATMUL_ACC, kTMATMUL_BIAS, kTGEMV,
                            kTGEMV_ACC,       kTGEMV_BIAS,  kTMATMUL_MX,   kTMATMUL_MX_ACC,
                            kTMATMUL_MX_BIAS, kTGEMV_MX,    kTGEMV_MX_ACC, kTGEMV_MX_BIAS};

constexpr std::array kRules{
#define PTO_PROFILE_RULE(name, profile, grade, text, source, ...) \
    ProfileRule{name, {__VA_ARGS__}, profile, Grade::grade, text, source},
#include "isa/profile_rules.def"
#undef PTO_PROFILE_RULE
};

}  // namespace

std::string_view name(Grade grade) { return grade == Grade::kCaptured ? "captured" : "assumed"; }

std::span<const ProfileRule> profile_rules() { return kRules; }

const ProfileRule* find_profile_rule(std::string_view name) {
    for (const ProfileRule& rule : kRules)
        if (rule.name == name) return &rule;
    return nullptr;
}

}  // namespace ptosim
