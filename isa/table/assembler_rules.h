// The assembler's requirements on an operation beyond the legality rules of its instruction, and the scratch tiles that
// it adds if a text omits them. Rows name these rules as traits; rules of a family are in
// isa/instructions/FAMILY_rules.cpp.
//
// Source of all of them: the verifiers and passes of hw-native-sys/PTOAS v0.60 (lib/PTO/IR/PTO.cpp,
// lib/PTO/Transforms/PTOMaterializeImplicitTmp.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/core/arch.h"
#include "isa/table/instruction_table.h"

namespace ptosim {

// The type of an operand as the text writes it.
struct WrittenType {
    std::string_view text;
    std::optional<DType> dtype;     // of its elements
    std::span<const int64_t> dims;  // of a view; negative where the text leaves an extent open
    Tile tile;                      // valid rows and columns are negative where they are open
};

// A note of a refusal by a rule that v0.27 does not have.
inline constexpr std::string_view kNewerRule = "releases of the assembler up to v0.27 accept this";

// An operation of the text with its instruction.
class WrittenOperation {
 public:
    WrittenOperation(const InstructionInfo& info, const Instruction& meant, Arch chip)
        : row{info}, instruction{meant}, arch{traits_of(chip)} {}

    const InstructionInfo& row;
    const Instruction& instruction;
    const ArchTraits& arch;
    bool for_a5() const { return arch.assembler_backend == AssemblerBackend::kA5; }

    // Operands have the names of the row; a name that the row does not have is never given.
    std::optional<unsigned> index(std::string_view operand) const;
    virtual bool given(std::string_view operand) const = 0;
    virtual WrittenType type(std::string_view operand) const = 0;  // of one that is given
    virtual bool same_value(std::string_view a, std::string_view b) const = 0;
    // The value of an integer that the text states.
    virtual std::optional<int64_t> constant(std::string_view operand) const = 0;
    virtual bool has_attribute(std::string_view key) const = 0;
    virtual bool has_results() const = 0;

    // Null if the operand is not given or is not a tile.
    const Tile* tile(std::string_view operand) const;
    // True if its type states the valid region; also true for operands other than tiles.
    bool is_static(std::string_view operand) const;
    // Refuses the operation with "'pto.tadd' <what>" unless `good`.
    void require(bool good, std::string_view code, const std::string& what) const {
        if (!good) refuse(code, what, false);
    }
    // The same for a rule that v0.27 lacks, if operations accepted by that release have a meaning in the tile library:
    // the toolkit's assembler only warns.
    void require_lately(bool good, std::string_view code, const std::string& what) const {
        if (!good) refuse(code, what, true);
    }

 protected:
    ~WrittenOperation() = default;
    [[noreturn]] virtual void refuse(std::string_view code, const std::string& what,
                                     bool newer_rule) const = 0;
};

using AssemblerRule = void (*)(const WrittenOperation&);

// An instruction with its scratch, its first destination and its first source; null if it has none.
struct ScratchUse {
    const Instruction& instruction;
    const Tile* tmp = nullptr;
    const Tile* dst = nullptr;
    const Tile* src = nullptr;
};

// The scratch tile of an instruction on architectures that use it.
struct AssemblerScratch {
    // The tile that the assembler makes; nothing if the instruction needs none. Negative extents are open. Null: the
    // assembler makes none for this instruction.
    std::optional<Tile> (*made)(const Instruction&) = nullptr;
    // Shortcoming of a scratch tile of the text; empty if it is sufficient. Null: nothing is required. `tmp` and `dst`
    // are present.
    std::string (*lacks)(const ScratchUse&) = nullptr;
    bool asked_on_a5 = false;  // although a5 leaves scratch alone
    // In the text it comes after the lists to merge, not at the row's position.
    bool behind_lists = false;
};

}  // namespace ptosim
