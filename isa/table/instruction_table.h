// The instruction table: the single source for names, operands, types, pipe, meaning and cost of an instruction. The
// rows are in isa/instructions/, one file for each family; special properties are in isa/table/instruction_traits.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/core/arch.h"
#include "isa/core/execution.h"
#include "isa/core/instruction.h"

namespace ptosim {

// A set of element types.
class DTypeSet {
 public:
    constexpr DTypeSet() = default;
    constexpr DTypeSet(std::initializer_list<DType> types) {
        for (DType type : types) mask_ |= 1u << static_cast<unsigned>(type);
    }
    constexpr bool contains(DType type) const { return (mask_ >> static_cast<unsigned>(type)) & 1; }
    constexpr bool empty() const { return mask_ == 0; }
    constexpr DTypeSet operator|(DTypeSet other) const {
        other.mask_ |= mask_;
        return other;
    }
    constexpr DTypeSet operator-(DTypeSet other) const {
        other.mask_ = mask_ & ~other.mask_;
        return other;
    }

 private:
    uint32_t mask_ = 0;
};
std::string to_text(DTypeSet set);  // "f32, f16"

// The types of the set that the architecture has.
constexpr DTypeSet types_on(Arch arch, DTypeSet set) {
    if (!traits_of(arch).bf16) set = set - DTypeSet{DType::kBF16};
    if (!traits_of(arch).small_floats)
        set = set - DTypeSet{DType::kE4M3, DType::kE5M2, DType::kE8M0,
                             DType::kHIF8, DType::kE2M1, DType::kE1M2};
    return set;
}

enum class OperandRole : uint8_t {
    kOut,    // written
    kIn,     // read
    kInOut,  // read and written
    kTmp,    // scratch: contents undefined before and after
};

// Kinds of operand that a position takes.
enum OperandKinds : uint8_t { kTileOperand = 1, kGlobalOperand = 2, kScalarOperand = 4 };

// A set of memories.
constexpr uint16_t in_space(Space space) {
    return static_cast<uint16_t>(1u << static_cast<unsigned>(space));
}
inline constexpr uint16_t kAnySpace = 0xFFFF;

struct OperandInfo {
    std::string_view name;  // "dst", "src0", "scalar"
    OperandRole role = OperandRole::kIn;
    uint8_t kinds = kTileOperand;
    bool optional = false;
    uint16_t spaces = kAnySpace;  // where a tile may be: in_space() bits
    // True if the row's type sets speak about this operand, if it is the first such source.
    bool typed = true;
};

// Rule that derives an instruction's pipe from its operands (hw-native-sys/pto-isa include/pto/common/event.hpp and
// PTOAS PTOSyncUtils.cpp).
enum class PipeRule : uint8_t {
    kScalar,  // S
    kVector,  // V
    kCube,    // M
    kLoad,    // MTE2
    kStore,   // MTE3; FIX from L0C
    kMove,  // L1 to L0A/L0B/bias/UB: MTE1; L1 to fixpipe or out of L0C: FIX; UB to UB: V; UB to L1:
            // MTE3
    kFill,  // V on UB, MTE2 on L1
    kGather,   // MTE2; V where a5's vector unit gathers into UB by itself
    kScatter,  // MTE3; V on a5
    kFlag,     // the pipe named by the instruction's attributes
};

// Shape of an instruction's cost; sim/machine/timing has one rule per class and models/ its rates.
enum class TimingClass : uint8_t {
    kScalar,          // issue only
    kFlag,            // set, wait, barrier
    kVector,          // one pass over the destination by 256-byte repeats
    kVectorRow,       // a reduction or broadcast along rows: cost per row and repeat
    kVectorCol,       // a reduction or broadcast along columns: dependent passes, row by row
    kVectorSort,      // sorts and merges: by element
    kVectorGather,    // by element
    kVectorFunction,  // the operations of a program on vector registers
    kThreads,         // threads: the cycles that they took
    kIntrinsic,       // a vector intrinsic: by its repeats
    kCube,            // multiply-add of fractals
    kLoad,            // global memory to UB or L1
    kStore,           // UB, L1 or L0C to global memory
    kLocalMove,       // between on-chip memories
};

struct InstructionInfo;
struct InstructionTraits;
struct Problem {
    std::string code;     // "T01"
    std::string message;  // what was found
    std::string hint;
    int operand = -1;  // index, or -1
    // The hardware does not check this and goes on, with results that no document defines.
    bool goes_on = false;
};
// Condition that an instruction must meet before it runs. A rule examines one instruction, has no effect, and reports
// the first error: it fills `problem` and returns false. Rules that families share are declared in
// isa/legality/legality.h; the others are in their family's sources.
struct LegalityRule {
    std::string_view name;   // "same_types"
    std::string_view codes;  // those that it reports (isa/core/diagnostics.tsv), separated by spaces
    std::string_view text;   // what must hold
    bool (*holds)(const Instruction&, const InstructionInfo&, Arch, Problem& problem);

    bool operator()(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                    Problem& problem) const {
        return holds(instruction, row, arch, problem);
    }
};

struct InstructionInfo {
    static constexpr unsigned kMaxRules = 6;

    Opcode opcode{};
    std::string_view name;      // "TADD"
    std::string_view assembly;  // ".pto" name without "pto.": "tadd"; empty if it has none
    std::string_view aliases;   // other .pto spellings, separated by spaces
    std::span<const OperandInfo> operands;
    AttributeSet attributes;
    PipeRule pipe = PipeRule::kVector;
    TimingClass timing = TimingClass::kVector;
    std::array<DTypeSet, kArchCount> types;  // of the first typed source; empty: not on this arch
    // In the order types, shapes, layouts, profile; null after the last.
    std::array<const LegalityRule*, kMaxRules> rules{};
    Semantics semantics = nullptr;  // null: synchronisation and scalar-unit instructions
    std::string_view summary;
    const InstructionTraits* traits = nullptr;  // never null in the table
};

// Row by row, in the order of the opcodes; after a null for kCount, the rows of intrinsics.
extern const InstructionInfo* const kInstructionRows[];
inline const InstructionInfo& info(Opcode opcode) {
    return *kInstructionRows[static_cast<size_t>(opcode)];
}

// The rows of tile instructions, in that order.
class InstructionTable {
 public:
    class Iterator {
     public:
        explicit Iterator(const InstructionInfo* const* at) : at_{at} {}
        const InstructionInfo& operator*() const { return **at_; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator==(const Iterator&) const = default;

     private:
        const InstructionInfo* const* at_;
    };
    Iterator begin() const { return Iterator(kInstructionRows); }
    Iterator end() const { return Iterator(kInstructionRows + kOpcodeCount); }
    static constexpr size_t size() { return kOpcodeCount; }
};
inline InstructionTable instruction_table() { return {}; }
// By "TADD" or "tadd" or an alias; null for an unknown word.
const InstructionInfo* find_instruction(std::string_view word);
// By the name of a row of either level, as recordings have it.
const InstructionInfo* find_instruction_or_intrinsic(std::string_view name);

// The pipe that executes this instruction on this architecture.
Pipe pipe_of(const Instruction& instruction, Arch arch);
// The core type whose pipe that is; nothing for instructions both have (TLOAD into UB or L1 is
// decided by the space of its tile).
std::optional<CoreType> core_of(const Instruction& instruction);

}  // namespace ptosim
