// Rules that hold for every instruction, and rules of types and shapes that families share.
#include "isa/legality/legality.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "isa/core/arch.h"
#include "isa/table/access.h"
#include "isa/table/instruction_traits.h"

namespace ptosim::rules {

bool fail(Problem& problem, std::string_view code, int operand, std::string message,
          std::string hint) {
    problem.code = code;
    problem.operand = operand;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    return false;
}

bool holds_lanes(const Tile& tile, const Tile& of) {
    return tile.rows >= of.valid_rows && tile.cols >= of.valid_cols;
}

std::string operand_text(const InstructionInfo& row, unsigned operand) {
    return "operand '" + std::string(row.operands[operand].name) + "'";
}

std::string shape_text(int64_t rows, int64_t cols) {
    return std::to_string(rows) + "x" + std::to_string(cols);
}

std::string valid_text(const Tile& tile) { return shape_text(tile.valid_rows, tile.valid_cols); }

bool wrong_type(Problem& problem, const InstructionInfo& row, std::string_view code,
                unsigned operand, DType found, DTypeSet allowed) {
    return fail(problem, code, static_cast<int>(operand),
                operand_text(row, operand) + " is " + std::string(name(found)) + "; " +
                    std::string(row.name) + " takes " + to_text(allowed));
}

bool wrong_valid(Problem& problem, const InstructionInfo& row, std::string_view code,
                 unsigned operand, const Tile& tile, const std::string& needed) {
    return fail(problem, code, static_cast<int>(operand),
                operand_text(row, operand) + " has the valid region " + valid_text(tile) + "; " +
                    needed + " is needed");
}

bool given(const Instruction& instruction, unsigned operand) {
    return operand < instruction.operand_count && instruction.operands[operand].present();
}

bool same_lanes(const Tile& a, const Tile& b) {
    return a.valid_rows == b.valid_rows && a.valid_cols == b.valid_cols;
}

namespace {

std::string spaces_text(uint16_t spaces) {
    std::string text;
    for (unsigned i = 0; i < kSpaceCount; ++i)
        if ((spaces >> i & 1) != 0) {
            if (!text.empty()) text += " or ";
            text += name(static_cast<Space>(i));
        }
    return text;
}

std::string kinds_text(uint8_t kinds) {
    std::string text;
    auto add = [&](const char* word) { text += (text.empty() ? "" : " or ") + std::string(word); };
    if ((kinds & kTileOperand) != 0) add("a tile");
    if ((kinds & kGlobalOperand) != 0) add("a view of global memory");
    if ((kinds & kScalarOperand) != 0) add("a scalar");
    return text;
}

uint8_t kind_of(const Operand& operand) {
    switch (operand.kind) {
        case Operand::Kind::kTile:
            return kTileOperand;
        case Operand::Kind::kGlobal:
            return kGlobalOperand;
        case Operand::Kind::kScalar:
            return kScalarOperand;
        case Operand::Kind::kNone:
            break;
    }
    return 0;
}

bool check_kinds(const Instruction& instruction, const InstructionInfo& row, Problem& problem) {
    const unsigned expected = static_cast<unsigned>(row.operands.size());
    if (instruction.operand_count > expected)
        return fail(problem, "T00", -1,
                    std::string(row.name) + " takes at most " + std::to_string(expected) +
                        " operands, but was given " + std::to_string(instruction.operand_count));
    for (unsigned i = 0; i < expected; ++i) {
        const OperandInfo& wanted = row.operands[i];
        const bool given = i < instruction.operand_count && instruction.operands[i].present();
        if (!given && wanted.optional) continue;
        if (!given)
            return fail(
                problem, "T00", static_cast<int>(i),
                operand_text(row, i) + " is missing: " + kinds_text(wanted.kinds) + " is needed");
        if ((kind_of(instruction.operands[i]) & wanted.kinds) == 0)
            return fail(problem, "T00", static_cast<int>(i),
                        operand_text(row, i) + " is " +
                            kinds_text(kind_of(instruction.operands[i])) + ", but " +
                            kinds_text(wanted.kinds) + " is needed");
    }
    return true;
}

}  // namespace

bool check_tile(const Tile& tile, bool scratch, bool filled, const std::string& who, int operand,
                Problem& problem) {
    if (tile.rows <= 0 || tile.cols <= 0)
        return fail(problem, "S02", operand,
                    who + " has the shape " + shape_text(tile.rows, tile.cols) +
                        "; rows and columns must be positive");
    // Nothing is inside of everything.
    const bool empty = tile.valid_rows == 0 || tile.valid_cols == 0;
    const bool inside = tile.valid_rows >= 0 && (empty || tile.valid_rows <= tile.rows) &&
                        tile.valid_cols >= 0 && (empty || tile.valid_cols <= tile.cols);
    if (!inside && !scratch)
        return fail(problem, "S02", operand,
                    who + " has a valid region of " + valid_text(tile) + " in a tile of " +
                        shape_text(tile.rows, tile.cols));
    if (tile.boxed() && tile.fractal != 512 && tile.fractal != 1024 && tile.fractal != 32)
        return fail(problem, "L05", operand,
                    who + " has inner boxes of " + std::to_string(tile.fractal) +
                        " bytes; 512, 1024 (accumulators) and 32 (MX scales) exist");
    Tile dense = tile;
    set_dense_pitch(dense);
    // In these memories, instructions may pack boxes around the valid region (isa/table/physical_layout.h).
    const bool packs = tile.space == Space::kL0A || tile.space == Space::kL0B ||
                       tile.space == Space::kL0C;
    if (tile.pitch < dense.pitch && !packs)
        return fail(problem, "S02", operand,
                    who + " has a pitch of " + std::to_string(tile.pitch) +
                        " elements, less than its own extent of " + std::to_string(dense.pitch));
    if (tile.address % kTileAlignment != 0)
        return fail(problem, "A04", operand,
                    who + " is at address " + std::to_string(tile.address) +
                        ", which is not a multiple of " + std::to_string(kTileAlignment));
    if (!tile.boxed()) {
        // In UB, a pair of 4-bit elements counts twice (include/pto/common/pto_tile.hpp).
        const uint64_t least = tile.space == Space::kUB ? 8 : 4;
        const uint64_t line_bits =
            static_cast<uint64_t>(tile.pitch) * std::max<uint64_t>(least, bits(tile.dtype));
        const bool bytes_only = filled && tile.byte_size() % 32 == 0;
        if (line_bits % (32 * 8) != 0 && !bytes_only)
            return fail(
                problem, "L04", operand,
                who +
                    (tile.outer == OuterLayout::kRowMajor ? " has rows of " : " has columns of ") +
                    std::to_string(line_bits / 8) + " bytes; multiples of 32 are needed",
                "make the physical tile larger and keep its valid region");
    } else if (tile.cols % tile.box_cols() != 0 ||
               (tile.space != Space::kUB && tile.fractal != 32 && tile.rows != 1 &&
                tile.rows % tile.box_rows() != 0)) {
        return fail(problem, "L04", operand,
                    who + " is " + shape_text(tile.rows, tile.cols) +
                        ", which is not made of whole inner boxes of " +
                        shape_text(tile.box_rows(), tile.box_cols()));
    }
    return true;
}

const Operand* first_typed_source(const Instruction& instruction, const InstructionInfo& row,
                                  unsigned& index) {
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const OperandRole role = row.operands[i].role;
        if (role != OperandRole::kIn && role != OperandRole::kInOut) continue;
        if (!row.operands[i].typed) continue;
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile() || operand.is_global()) {
            index = i;
            return &operand;
        }
    }
    index = 0;
    return instruction.operand_count > 0 ? &instruction.operands[0] : nullptr;
}

DType dtype_of(const Operand& operand) {
    if (operand.is_tile()) return operand.tile.dtype;
    if (operand.is_global()) return operand.global.dtype;
    return operand.scalar.dtype;
}

namespace {

// Exponents and packed pairs have no largest element.
bool is_unordered(const InstructionInfo& row, DType type) {
    return row.traits->orders_elements && (type == DType::kE8M0 || bits(type) == 4);
}

// The valid columns of its only row, contiguous in UB, go on after the tile. The device uses them: rows of CANN's PyPTO
// (tileop/vector/sort.h) are merged by tiles whose type is shorter than their valid region.
bool reaches_beyond_its_row(const Tile& tile) {
    return tile.space == Space::kUB && !tile.boxed() && tile.rows == 1 && tile.valid_rows == 1 && tile.valid_cols > tile.cols;
}

// A run goes on with a warning (S02) if a tile of one row is used beyond it.
std::optional<Problem> row_that_is_too_short(const Instruction& instruction, const InstructionInfo& row) {
    if (row.traits->any_bytes) return std::nullopt;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_tile() || row.operands[i].role == OperandRole::kTmp || !reaches_beyond_its_row(operand.tile)) continue;
        Problem problem;
        fail(problem, "S02", static_cast<int>(i),
             operand_text(row, i) + " has a valid region of " + valid_text(operand.tile) + " in a tile of " +
                 shape_text(operand.tile.rows, operand.tile.cols) + ": the bytes after it are used",
             "give the tile as many columns as its valid region may have");
        problem.goes_on = true;
        return problem;
    }
    return std::nullopt;
}

bool operands_are_well_formed(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                              Problem& problem) {
    const DTypeSet& types = row.types[static_cast<size_t>(arch)];
    if (row.semantics != nullptr && types.empty())
        return fail(problem, "P01", -1,
                    std::string(row.name) + " does not exist on " + std::string(name(arch)));
    if (!check_kinds(instruction, row, problem)) return false;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_tile()) continue;
        const std::string who = operand_text(row, i);
        const int at = static_cast<int>(i);
        if ((row.operands[i].spaces & in_space(operand.tile.space)) == 0)
            return fail(problem, "L01", at,
                        who + " is in " + std::string(name(operand.tile.space)) + "; " +
                            std::string(row.name) + " takes it from " +
                            spaces_text(row.operands[i].spaces));
        if (row.traits->any_bytes) continue;
        const bool scratch = row.operands[i].role == OperandRole::kTmp;
        const bool filled =
            row.pipe == PipeRule::kFill && operand.tile.space == Space::kL1 && i == 0;
        if (!check_tile(operand.tile, scratch || reaches_beyond_its_row(operand.tile), filled, who, at, problem)) return false;
    }
    if (row.traits->any_bytes) return true;  // a vector function may also access none
    unsigned source = 0;
    const Operand* typed = first_typed_source(instruction, row, source);
    if (row.semantics != nullptr && typed != nullptr && !types.contains(dtype_of(*typed)))
        return fail(problem, is_unordered(row, dtype_of(*typed)) ? "T07" : "T03",
                    static_cast<int>(source),
                    operand_text(row, source) + " is " + std::string(name(dtype_of(*typed))) +
                        "; " + std::string(row.name) + " on " + std::string(name(arch)) +
                        " takes " + to_text(types));
    return true;
}

}  // namespace

const LegalityRule check_operands{
    "check_operands", "P01 T00 S02 A04 L04 L05 L01 T03 T07",
    "operands exist, are of the right kind, in a memory that takes them, and well formed",
    &operands_are_well_formed};

namespace {

bool skipped(const InstructionInfo& row, const Instruction& instruction, unsigned i) {
    return !instruction.operands[i].is_tile() || row.operands[i].role == OperandRole::kTmp;
}

}  // namespace

bool check_scalar(const Instruction& instruction, const InstructionInfo& row, unsigned i,
                  DType element, Problem& problem) {
    const DType given = instruction.operands[i].scalar.dtype;
    if (is_integer(given) || !is_integer(element)) return true;
    return fail(problem, "T02", static_cast<int>(i),
                operand_text(row, i) + " is " + std::string(name(given)) +
                    ", but the elements are " + std::string(name(element)),
                "convert the scalar to " + std::string(name(element)) + " first");
}

bool check_row_major(const Instruction& instruction, const InstructionInfo& row, unsigned i,
                     bool column_allowed, Problem& problem) {
    const Tile& tile = instruction.tile(i);
    const bool row_major = tile.outer == OuterLayout::kRowMajor;
    const bool column = column_allowed && !row_major && tile.cols == 1;
    if (!tile.boxed() && (row_major || column)) return true;
    return fail(
        problem, "L02", static_cast<int>(i),
        operand_text(row, i) + " has layout " + std::string(layout_name(tile)) + "; " +
            std::string(row.name) + " takes ND" + (column_allowed ? ", or DN with one column" : ""),
        column_allowed ? "" : "view it with another layout (treshape) if its bytes allow it");
}

bool check_not_empty(const Instruction& instruction, const InstructionInfo& row, unsigned i,
                     Problem& problem) {
    const Tile& tile = instruction.tile(i);
    if (tile.valid_rows > 0 && tile.valid_cols > 0) return true;
    return fail(problem, "S03", static_cast<int>(i),
                operand_text(row, i) + " has an empty valid region (" + valid_text(tile) + ")");
}

namespace {

// The last check of a rule: the error is reported, and the instruction continues.
bool check_scalars(const Instruction& instruction, const InstructionInfo& row, DType element,
                   Problem& problem) {
    for (unsigned i = 1; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_scalar() &&
            !check_scalar(instruction, row, i, element, problem)) {
            problem.message += ": its fraction is left out";
            problem.goes_on = true;
            return false;
        }
    return true;
}

bool check_same_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                      Problem& problem) {
    const DType element = dtype_of(instruction.operands[0]);
    for (unsigned i = 1; i < instruction.operand_count; ++i) {
        const Operand& operand = instruction.operands[i];
        if (skipped(row, instruction, i) || operand.tile.dtype == element) continue;
        return fail(problem, "T01", static_cast<int>(i),
                    operand_text(row, i) + " is " + std::string(name(operand.tile.dtype)) +
                        ", but " + operand_text(row, 0) + " is " + std::string(name(element)) +
                        "; " + std::string(row.name) + " converts nothing",
                    "convert with TCVT first");
    }
    return check_scalars(instruction, row, element, problem);
}

}  // namespace

const LegalityRule same_types{
    "same_types", "T01 T02",
    "all tiles have the element type of the destination; scalars are converted to it, and are no "
    "floats where it is an integer",
    &check_same_types};

namespace {

bool check_scalar_type(const Instruction& instruction, const InstructionInfo& row, Arch,
                       Problem& problem) {
    return check_scalars(instruction, row, dtype_of(instruction.operands[0]), problem);
}

}  // namespace

const LegalityRule scalar_type{
    "scalar_type", "T02",
    "scalars are converted to the element type, and are no floats where it is an integer",
    &check_scalar_type};

namespace {

bool check_same_valid(const Instruction& instruction, const InstructionInfo& row, Arch,
                      Problem& problem) {
    for (unsigned i = 1; i < instruction.operand_count; ++i) {
        if (skipped(row, instruction, i)) continue;
        const Tile& tile = instruction.tile(i);
        if (same_lanes(tile, instruction.tile(0))) continue;
        problem.goes_on = holds_lanes(tile, instruction.tile(0));
        return fail(problem, "S04", static_cast<int>(i),
                    operand_text(row, i) + " has the valid region " + valid_text(tile) + ", but " +
                        operand_text(row, 0) + " has " + valid_text(instruction.tile(0)));
    }
    return true;
}

}  // namespace

const LegalityRule same_valid{"same_valid", "S04",
                              "all tiles have the valid region of the destination (a run goes on "
                              "with a warning if they hold it)",
                              &check_same_valid};

namespace {

bool check_unboxed(const Instruction& instruction, const InstructionInfo& row, Arch,
                   Problem& problem) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (!skipped(row, instruction, i) && !check_row_major(instruction, row, i, false, problem))
            return false;
    return true;
}

}  // namespace

const LegalityRule unboxed{"unboxed", "L02", "tiles are row-major without inner boxes (ND)",
                           &check_unboxed};

namespace {

// hw-native-sys/pto-isa include/pto/npu/a2a3/TRowReduceOps.hpp, TRowReduceCheck.
bool check_row_reduction(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                         Problem& problem) {
    if (!check_row_major(instruction, row, 0, true, problem) ||
        !check_row_major(instruction, row, 1, false, problem))
        return false;
    if (does_nothing(instruction, arch)) return true;
    if (!check_not_empty(instruction, row, 1, problem)) return false;
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    const bool columns =
        dst.valid_cols == 1 || (traits_of(arch).reduces_into_wide_rows && dst.valid_cols > 1);
    if (columns && dst.valid_rows == src.valid_rows) return true;
    return fail(problem, "S06", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(dst) +
                    "; the reduction of " + valid_text(src) + " gives " +
                    shape_text(src.valid_rows, 1));
}

}  // namespace

const LegalityRule row_reduction{
    "row_reduction", "L02 S03 S06",
    "dst has one column (a5: at least one) and the rows of src, which is ND and not empty",
    &check_row_reduction};

namespace {

bool check_column_reduction(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                            Problem& problem) {
    if (!check_row_major(instruction, row, 0, false, problem) ||
        !check_row_major(instruction, row, 1, false, problem))
        return false;
    if (does_nothing(instruction, arch)) return true;
    if (!check_not_empty(instruction, row, 1, problem)) return false;  // of column_argument
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (dst.valid_rows == 1 && dst.valid_cols == src.valid_cols) return true;
    return fail(problem, "S06", 0,
                operand_text(row, 0) + " has the valid region " + valid_text(dst) +
                    "; the reduction of " + valid_text(src) + " gives " +
                    shape_text(1, src.valid_cols));
}

}  // namespace

const LegalityRule column_reduction{"column_reduction", "L02 S06",
                                    "dst has one row and the columns of src, both ND",
                                    &check_column_reduction};

std::vector<const LegalityRule*> all_rules() {
    std::vector<const LegalityRule*> all{&check_operands};
    for (const InstructionInfo& row : instruction_table())
        for (const LegalityRule* rule : row.rules)
            if (rule != nullptr) all.push_back(rule);
    std::sort(all.begin(), all.end(),
              [](const LegalityRule* a, const LegalityRule* b) { return a->name < b->name; });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace ptosim::rules

namespace ptosim {

bool check_legality(const Instruction& instruction, Arch arch, Problem& problem) {
    const InstructionInfo& row = info(instruction.opcode);
    if (!rules::check_operands(instruction, row, arch, problem)) return false;
    std::optional<Problem> passed_over = rules::row_that_is_too_short(instruction, row);
    for (const LegalityRule* rule : row.rules) {
        if (rule == nullptr || rule->holds(instruction, row, arch, problem)) continue;
        if (!problem.goes_on) return false;
        if (!passed_over) passed_over = std::exchange(problem, {});
    }
    if (!passed_over) return true;
    problem = std::move(*passed_over);
    return false;
}

}  // namespace ptosim
