// Traits that distinguish an instruction: the last field of its row. Every trait has a default for plain instructions;
// a row that differs ends in TRAITS(.in_place = ..., ...).
//
// A trait is data if possible, and otherwise a function of the row's family (isa/instructions/), which the row names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/core/arch.h"
#include "isa/table/access.h"
#include "isa/table/instruction_table.h"

namespace ptosim {

// One value for each implementation in hw-native-sys/pto-isa: include/pto/npu/a2a3,
// whose vector instructions work on memory, and a5, where they work on registers.
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

// Conditions under which a valid region without elements is legal and leaves nothing to do.
struct EmptyRegion {
    uint8_t operands = 0;      // bit i: operand i; it is enough that one of them is empty
    bool rows_only = false;    // only a region without rows is empty; rows of no elements are not
    bool memory_only = false;  // only where vector instructions work on memory
};

// Data-dependent undefined behaviour (isa/core/behaviour.h).
namespace semantics {
class UndefinedCheck;
class ImplementationDefinedCheck;
}  // namespace semantics
struct UndefinedBehaviour {
    bool (*applies)(const Instruction&) = nullptr;  // null: whatever the instruction
    void (*check)(semantics::UndefinedCheck&) = nullptr;
};

// A target (operand 0) whose rows and columns change places when it is written from `from`: layout
// names as layout_name() has them.
struct LayoutOverride {
    ArchCondition on = nullptr;
    Space from{};
    std::string_view from_layout;
    Space to{};
    std::string_view declared, used;
};

// The field of a tile that an instruction derives the pitch of boxes from (isa/table/physical_layout.h).
enum class PitchFrom : uint8_t {
    kShape,     // its rows or columns; of a window, those of the tile that it is a window of
    kValid,     // its valid region, in whole boxes
    kLeftRows,  // the valid rows of the left factor, in whole boxes
    kBoth,      // the valid region of a compact tile, the shape of any other
    kOpenRows,  // the shape, if fewer rows are valid and the tile's type says so: else as kValid
};
enum class PitchCase : uint8_t { kAlways, kTransposedBytes, kIntoBoxes, kUnrepeated };
// The first that fits an operand holds.
struct PitchRule {
    Space of{};                   // the operand's memory
    Space other = Space::kCount;  // that of the tile at the other end of a move; kCount: any
    PitchFrom from = PitchFrom::kShape;
    PitchCase when = PitchCase::kAlways;
};

// An operand that the implementation writes before its last read of another one. If they share bytes, the later reads
// return the written data.
struct EarlyWrite {
    enum class Unless : uint8_t { kNever, kSameAddress, kSameElements };
    uint8_t written = 0, read = 0;  // operands
    Unless unless = Unless::kNever;
    bool (*applies)(const Instruction&) = nullptr;  // null: always
};

// Split of a move out of L0C to both vector cores into one for each.
enum class DualSplit : uint8_t {
    kSource,   // halves of the source
    kBoxes,    // halves of the source, in whole boxes if the target is boxed
    kWindows,  // two windows of the source, one after the other
};

// Relation of an instruction to registers of the core (isa/table/mode_registers.h).
enum class RegisterUse : uint8_t {
    kNone,
    kSetsMap,
    kSetsRepetition,
    kSetsPadding,
    kSetsQuantisation,
    kTakesImage,
};

class WrittenOperation;   // isa/table/assembler_rules.h
struct AssemblerScratch;  // isa/table/assembler_rules.h

struct InstructionTraits {
    // ---- computation
    // True if it computes with its elements as numbers. If not, it moves them unchanged: subnormals and NaN are kept
    // under every profile.
    bool computes_floats = true;
    // True if it compares elements by size: e8m0 and packed pairs have no order (T07).
    bool orders_elements = false;
    // Profile rule flush-subnormals-a5: f32 operands that are subnormal are zeros.
    bool flushes_subnormals_a5 = false;
    // Undefined behaviour that depends on its data, and implementation-defined results except from subnormal
    // operands.
    UndefinedBehaviour undefined{};
    void (*implementation_defined)(semantics::ImplementationDefinedCheck&) = nullptr;

    // True if the saturation mode decides the result for values out of range.
    bool (*obeys_saturation)(const Instruction&, Arch) = nullptr;

    // Names of the rules of isa/table/profile_rules.def that affect it, in the order of that table.
    std::string_view profile_rules{};

    // ---- footprint of its operands
    // True if its tiles are plain bytes, with any address and any distance between rows.
    bool any_bytes = false;
    EmptyRegion empty{};
    // The parts of a tile operand that it touches, if they differ from the operand's valid region.
    TouchedTiles (*touched)(const Instruction&, unsigned operand) = nullptr;
    // True if these reach beyond the valid region.
    bool (*reaches_beyond)(const Instruction&, unsigned operand) = nullptr;
    // Bytes of UB that have other values after it if `unset` bytes have others before it, in order.
    // Null: all that it writes depend on all that it reads.
    std::vector<UnsetBytes> (*depending)(const Execution&,
                                         std::span<const UnsetBytes> unset) = nullptr;
    std::optional<ClearedTail> (*cleared_tail)(const Instruction&) = nullptr;
    std::span<const LayoutOverride> layout_overrides{};
    // Pitches of operands in L0A, L0B and L0C; an operand without a rule is used as declared.
    PerArch<std::span<const PitchRule>> pitches{};
    DualSplit dual_split = DualSplit::kSource;
    // True if the implementation on memory takes tiles of one column as well (isa/table/column_walk.h).
    bool walks_columns = false;

    // ---- parameters of the rules `scratch`, `apart` and `read_in_time`
    // Bytes from the address of its scratch operand on that the implementation uses (hw-native-sys/pto-isa docs/isa,
    // the page of each: "tmp"). 0, or no function: unknown, or none (scratch_untouched).
    PerArch<uint64_t (*)(const Instruction&)> scratch_bytes{};
    // Element types for which it has a scratch operand on a2a3; empty: all.
    DTypeSet scratch_types{};
    // Bytes that each row of it needs; null: its rows may be of any length.
    uint64_t (*scratch_row_bytes)(const Instruction&) = nullptr;
    // Computes the result with less scratch; null: the result stays the same, and the data after the scratch is
    // overwritten.
    void (*with_less_scratch)(const Execution&) = nullptr;
    // True if operands must be apart on every architecture, under this condition (null: any).
    bool apart_everywhere = false;
    bool (*apart_if)(const Instruction&) = nullptr;
    // Operands that are written early (hw-native-sys/pto-isa include/pto/npu/a2a3).
    PerArch<std::span<const EarlyWrite>> early_writes{};
    // Computes the result for operands that share bytes; returns false if it is unknown. Null: always unknown.
    bool (*with_shared_bytes)(const Execution&, const EarlyWrite&) = nullptr;

    // ---- implementation
    // Pipe pairs and ids of the implementations in hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}. Some are used only
    // for some types or shapes, so that a reported clash is a possible one.
    PerArch<std::span<const InternalFlag>> internal_flags{};
    // True if only other architectures need the scratch operand: a5 keeps in registers the data that a2a3 keeps there.
    PerArch<bool> scratch_untouched{};
    // The same, decided for one instruction by its operands.
    bool (*scratch_untouched_if)(const Instruction&, Arch) = nullptr;
    // True if the scalar unit writes the scratch operand before the instruction starts on its own pipe, and the pipe
    // waits for it: earlier work of that pipe is not ordered before this write.
    PerArch<bool> scratch_by_scalar_unit{};
    // Address in UB that the implementation uses in place of a missing scratch tile; 0: none.
    PerArch<uint32_t> fixed_scratch{};
    // True if a scratch tile makes it an instruction of the vector pipe.
    bool vector_with_scratch = false;
    // True if the scalar unit reads the operand, before the instruction starts on its own pipe: earlier work of that
    // pipe is not ordered before this read.
    bool (*read_by_scalar_unit)(const Instruction&, unsigned operand, Arch) = nullptr;
    // Pipes that the implementation lets drain before it begins. It is complete before the scalar unit continues, so
    // that everything later, on any pipe, is ordered after it. Null or empty: the program is responsible for all order.
    std::span<const Pipe> (*awaited_pipes)(const Instruction&, Arch) = nullptr;
    RegisterUse registers = RegisterUse::kNone;
    // True if it reduces rows of certain shapes by folding blocks (isa/table/folded_rows.h), where the architecture
    // does.
    bool folds_rows = false;
    // True if chips give it a rate for each pair of element types, not one for each width.
    bool rate_by_types = false;

    // ---- the assembler (isa/table/assembler_rules.h)
    // It has no operation of this name.
    bool not_in_assembler = false;
    // Element types of the row's TYPES with which it refuses the operation.
    PerArch<DTypeSet> assembler_refuses{};
    // Its requirements on an operation beyond the legality rules; null: nothing.
    void (*assembler_rule)(const WrittenOperation&) = nullptr;
    // Its scratch tile, if it has one; null: the assembler makes none and has no requirement for one.
    const AssemblerScratch* assembler_scratch = nullptr;
    // True if the assembler counts a pair of 4-bit numbers as one element, while the instruction counts numbers.
    bool assembler_counts_pairs = false;
    // Operands whose bytes the planner may give to the result, one bit each: the instruction works
    // element by element (hw-native-sys/PTOAS
    // docs/designs/ptoas-largest-first-fit-four-gates-memplan-design.md).
    uint8_t in_place = 0;
    // Legality rules that the assembler does not verify: it accepts the file, and the tile library after it or the
    // hardware refuses it. Codes, or codes of one operand: "L01 S04:src".
    std::string_view unverified{};
    std::string_view unverified_a5{};  // besides, on a5

    // ---- the C++ API (isa/pages/cpp_forms.h)
    // Names of the forms of its functions, if operands and attributes do not determine them; "-": it has a separate
    // function.
    std::string_view cpp_forms{};
    std::string_view cpp_algorithm{};   // the enumeration of its precisions, without "Algorithm"
    bool cpp_scalar_of_result = false;  // its scalar has the element type of dst, not of src
};

inline const InstructionTraits& traits(Opcode opcode) { return *info(opcode).traits; }

}  // namespace ptosim
