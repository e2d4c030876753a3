// Differences between the results of a hardware profile and the `ieee` profile, and choices of `ieee` where sources
// define nothing.
//
// Every difference is one named row here, and one test of Execution::numerics in the semantics of the instruction that
// the row names. A rule of a hardware profile is `captured` if a suite that the vendor publishes for that hardware
// compares exactly (whole numbers, raw bits, no tolerance), passes with the rule and fails under `ieee` (measured:
// tests/evidence/pto_isa.json, tests/evidence/gym.json). It is `documented` if the vendor's documents for that hardware
// state the result. Nothing else may be called bit-accurate for that hardware.
#pragma once

#include <span>
#include <string_view>

#include "isa/core/execution.h"
#include "isa/core/opcode.h"

namespace ptosim {

enum class Grade : uint8_t {
    kCaptured,    // an exact suite of the vendor passes with it, and fails without
    kDocumented,  // the vendor's documents for the hardware state it
    kAssumed,     // follows from public code, or is a neutral choice
};
std::string_view name(Grade grade);
std::string_view name(Numerics profile);  // as --numerics has it

struct ProfileRule {
    std::string_view name;  // "tscatter-clears"
    Numerics profile;       // kIEEE: a choice of the default profile itself
    Grade grade;
    std::string_view text;    // what happens
    std::string_view source;  // repository and file
    std::string_view replaces{};  // the rule of ieee in whose place it is, if that is one
    std::string_view capture{};   // results of the capture kit that show it
};
std::span<const ProfileRule> profile_rules();
const ProfileRule* find_profile_rule(std::string_view name);
// True if the bits of a board of that architecture are open: the rule is assumed, and neither another rule of its
// profile nor one of both replaces it.
bool is_open(const ProfileRule& rule, Numerics board);
// True if the row of an instruction names the rule (trait `profile_rules`).
bool shows_in(const ProfileRule& rule, Opcode opcode);

}  // namespace ptosim
