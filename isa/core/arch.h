// Traits of architectures: one table (arch.def), a column for each architecture. Code reads a trait, never an
// architecture's name: a new architecture is described there, trait by trait, and nowhere else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim {

// Operands of vector instructions. It decides how tile instructions are implemented: their use of scratch tiles, their
// internal flags, their requirements on operands.
enum class VectorOperands : uint8_t { kMemory, kRegisters };
// The unit in which the time of a vector instruction is counted.
enum class VectorTiming : uint8_t { kRepeats, kFunctions };
// Unit that is held while a wait for a signal of another core is pending.
enum class WaitHolds : uint8_t { kCore, kPipe };
// To how many fraction bits f32 factors of a product can be rounded: 10 or 11.
enum class RoundedFactors : uint8_t { kTf32, kHf32 };
// The backend of the PTOAS assembler whose rules verify a .pto file; the assembler has these two.
enum class AssemblerBackend : uint8_t { kA3, kA5 };

std::string_view name(VectorOperands value);
std::string_view name(VectorTiming value);
std::string_view name(WaitHolds value);
std::string_view name(RoundedFactors value);
std::string_view name(AssemblerBackend value);

struct ArchTraits {
#define PTO_ARCH_TRAIT(NAME, TYPE, TEXT, ...) TYPE NAME;
#include "isa/core/arch.def"
#undef PTO_ARCH_TRAIT
};

// NOLINTBEGIN(bugprone-macro-parentheses)
#define PTO_ARCH_VALUE(VALUE, GRADE, SOURCE) VALUE
inline constexpr std::array<ArchTraits, kArchCount> kArchTraits{{
    {
#define PTO_ARCH_TRAIT(NAME, TYPE, TEXT, A2A3, A5, KIRIN) PTO_ARCH_VALUE A2A3,
#include "isa/core/arch.def"
#undef PTO_ARCH_TRAIT
    },
    {
#define PTO_ARCH_TRAIT(NAME, TYPE, TEXT, A2A3, A5, KIRIN) PTO_ARCH_VALUE A5,
#include "isa/core/arch.def"
#undef PTO_ARCH_TRAIT
    },
    {
#define PTO_ARCH_TRAIT(NAME, TYPE, TEXT, A2A3, A5, KIRIN) PTO_ARCH_VALUE KIRIN,
#include "isa/core/arch.def"
#undef PTO_ARCH_TRAIT
    },
}};
#undef PTO_ARCH_VALUE
// NOLINTEND(bugprone-macro-parentheses)

constexpr const ArchTraits& traits_of(Arch arch) { return kArchTraits[static_cast<size_t>(arch)]; }

// Condition of a row of a table: null for every architecture, or a trait that the architecture needs.
using ArchCondition = bool ArchTraits::*;
constexpr bool holds(ArchCondition condition, Arch arch) {
    return condition == nullptr || traits_of(arch).*condition;
}

// Trustworthiness of a value.
enum class TraitGrade : uint8_t {
    kCaptured,  // the vendor's headers or documents for this architecture say so
    kDerived,   // follows from them
    kAssumed,   // no source: a choice
};
std::string_view name(TraitGrade grade);

// The table as text, for the page of reference.
struct TraitValue {
    std::string text;
    TraitGrade grade;
    std::string_view source;
};
struct TraitRow {
    std::string_view name, text;
    std::array<TraitValue, kArchCount> values;
};
const std::vector<TraitRow>& trait_rows();
// ptosim isa --architectures.
std::string architectures_page();

// True if an instruction sees the results of earlier instructions of its pipe without a barrier.
constexpr bool works_in_order(Pipe pipe, Arch arch) {
    return pipe != Pipe::kV || traits_of(arch).vector_in_order;
}

}  // namespace ptosim
