// Where a hardware profile's results differ from the `ieee` profile, and where `ieee` itself
// had to choose because no source says.
//
// Every difference is one named row here, and one test of Execution::numerics in the semantics of
// the instruction that the row names. A rule of a hardware profile is `captured` if a suite that
// the vendor publishes for that hardware compares exactly (whole numbers, raw bits, no tolerance),
// passes with the rule and fails under `ieee` (measured: tests/CONFORMANCE_PTO_ISA.md,
// CONFORMANCE_GYM.md). Nothing else may be called bit-accurate for that hardware.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include "isa/opcode.h"
#include "isa/semantics.h"

namespace ptosim {

enum class Grade : uint8_t {
    kCaptured,  // an exact suite of the vendor passes with it, and fails without
    kAssumed,   // follows from public code or documents, or is a neutral choice
};
std::string_view name(Grade grade);

// The instructions that a rule is about.
class Opcodes {
 public:
    constexpr Opcodes(Opcode opcode) : list_{opcode}, count_{1} {}  // NOLINT
    constexpr Opcodes(std::initializer_list<Opcode> list) {
        for (const Opcode opcode : list) list_[count_++] = opcode;
    }
    constexpr const Opcode* begin() const { return list_.data(); }
    constexpr const Opcode* end() const { return list_.data() + count_; }
    constexpr bool contains(Opcode opcode) const {
        return std::find(begin(), end(), opcode) != end();
    }

 private:
    std::array<Opcode, 16> list_{};
    unsigned count_ = 0;
};

struct ProfileRule {
    std::string_view name;  // "tscatter-clears"
    Opcodes opcodes;        // where it shows
    Numerics profile;       // kIEEE: a choice of the default profile itself
    Grade grade;
    std::string_view text;    // what happens
    std::string_view source;  // repository and file
};
std::span<const ProfileRule> profile_rules();
const ProfileRule* find_profile_rule(std::string_view name);

}  // namespace ptosim
