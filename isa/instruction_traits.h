// What is special about an instruction: the last field of its row. Every trait has a default that a
// plain instruction leaves alone; a row that differs ends in TRAITS(.in_place = ..., ...).
//
// A trait is data where data can say it, and otherwise a function of the row's family
// (isa/instructions/), which the row names.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isa/arch.h"
#include "isa/instruction_table.h"

namespace ptosim {

// One value for each way in which instructions are implemented: those of hw-native-sys/pto-isa
// include/pto/npu/a2a3, of vector instructions on memory, and of a5, of ones on registers.
template <typename T>
struct PerArch {
    T a2a3{}, a5{};
    constexpr const T& operator[](Arch arch) const {
        return traits_of(arch).vector_operands == VectorOperands::kMemory ? a2a3 : a5;
    }
};

// A flag that the implementation of an instruction sets and waits for by itself.
struct InternalFlag {
    Pipe source = Pipe::kS;
    Pipe destination = Pipe::kS;
    uint8_t id = 0;
};

// Where a valid region without elements is legal and leaves nothing to do.
struct EmptyRegion {
    uint8_t operands = 0;      // whose valid regions are asked, one bit each: one of them is enough
    bool rows_only = false;    // it needs rows; a row without elements counts
    bool memory_only = false;  // where vector instructions work on registers it needs an element
};

class WrittenOperation;   // isa/assembler_rules.h
struct AssemblerScratch;  // isa/assembler_rules.h

struct InstructionTraits {
    // Whether elements are numbers to it. If not, it takes them as they are, and subnormals and
    // NaN stay what they are under every profile.
    bool computes_floats = true;
    // Profile rule flush-subnormals-a5: f32 operands that are subnormal are zeros.
    bool flushes_subnormals_a5 = false;

    EmptyRegion empty{};

    // Pipe pairs and ids of the implementations in hw-native-sys/pto-isa include/pto/npu/{a2a3,a5};
    // some are used for some types or shapes only, so that a clash is a possible one.
    PerArch<std::span<const InternalFlag>> internal_flags{};
    // Whether the scratch operand is only there for the sake of other architectures: a5 keeps in
    // registers what a2a3 keeps there.
    PerArch<bool> scratch_untouched{};

    // ---- the assembler (isa/assembler_rules.h)
    // What it asks of an operation beyond the legality rules; null: nothing.
    void (*assembler_rule)(const WrittenOperation&) = nullptr;
    // Its scratch tile, if it has one; null: the assembler makes none and asks nothing of one.
    const AssemblerScratch* assembler_scratch = nullptr;
    // It counts a pair of 4-bit numbers as one element; the instruction counts numbers.
    bool assembler_counts_pairs = false;
    // Operands whose bytes the planner may give to the result, one bit each: the instruction works
    // element by element (hw-native-sys/PTOAS
    // docs/designs/ptoas-largest-first-fit-four-gates-memplan-design.md).
    uint8_t in_place = 0;
    // Legality rules that the assembler does not verify: it takes the file, and the tile library
    // behind it or the hardware refuses. Codes, or codes of one operand: "L01 S04:src".
    std::string_view unverified{};
    std::string_view unverified_a5{};  // besides, on a5

    // ---- the C++ API (isa/cpp_forms.h)
    // Names of the forms that its functions have, where operands and attributes do not tell; "-":
    // it has a function of its own.
    std::string_view cpp_forms{};
    std::string_view cpp_algorithm{};   // the enumeration of its precisions, without "Algorithm"
    bool cpp_scalar_of_result = false;  // its scalar has the element type of dst, not of src
};

inline const InstructionTraits& traits(Opcode opcode) { return *info(opcode).traits; }

}  // namespace ptosim
