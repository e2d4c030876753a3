#include "isa/assembly/verify/verifier.h"

#include <algorithm>
#include <array>
#include <utility>

#include "isa/assembly/context/core_assignment.h"
#include "isa/assembly/program/frame.h"
#include "isa/assembly/verify/bound_operation.h"
#include "isa/core/arch.h"
#include "isa/core/checked.h"
#include "isa/legality/legality.h"
#include "isa/numeric/round_up.h"
#include "isa/table/instruction_traits.h"
#include "isa/table/layout_override.h"

namespace ptosim::assembly {

namespace {

// Rules about extents: a value that is known at run time only may satisfy them.
bool is_about_extents(std::string_view code) {
    static constexpr std::string_view kCodes[] = {"S02", "S03", "S04", "S05", "S06", "S07",
                                                  "S08", "S09", "S11", "S12", "S13", "S14",
                                                  "S15", "G10", "G11", "L04"};
    return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

// Rules of every instruction that the assembler does not verify, as in InstructionTraits.
//   L04  whole blocks of 32 bytes: verified of pto.alloc_tile only
//   L05  the size of inner boxes
//   T02  scalars that lose their fraction
//   T12  the type of quantisation parameters
//   S03  empty regions of sources
//   S07, S11  valid regions of second sources and of products
//   T10  the type of scales
constexpr std::string_view kUnverified =
    "L04 L05 T02:scalar T12 S03:src S07 S11 T10:a_scale T10:b_scale";

// True if a list of codes, or of codes of one operand ("L01 S04:src"), has this one.
bool lists(std::string_view list, std::string_view code, std::string_view operand) {
    while (!list.empty()) {
        const size_t end = std::min(list.find(' '), list.size());
        const std::string_view entry = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        const size_t colon = std::min(entry.find(':'), entry.size());
        if (entry.substr(0, colon) == code &&
            (colon == entry.size() || entry.substr(colon + 1) == operand))
            return true;
    }
    return false;
}

// True for errors that the assembler accepts, and that the tile library after it or the hardware refuses.
bool is_unverified(const Diagnostic& found, const InstructionInfo& row, Arch arch) {
    const InstructionTraits& traits = *row.traits;
    const bool a5 = traits_of(arch).assembler_backend == AssemblerBackend::kA5;
    return lists(kUnverified, found.code, found.operand) ||
           lists(traits.unverified, found.code, found.operand) ||
           (a5 && lists(traits.unverified_a5, found.code, found.operand));
}

// Changes the operand of a problem so that the rule holds. Returns false if no such change exists.
bool repair(Instruction& instruction, const InstructionInfo& row, const Problem& problem) {
    if (problem.operand < 0 || problem.operand >= instruction.operand_count) return false;
    const auto operand = static_cast<unsigned>(problem.operand);
    if (!instruction.operands[operand].is_tile()) return false;
    Tile& tile = instruction.operands[operand].tile;
    const Tile before = tile;
    if (problem.code == "L04") {  // whole blocks, whole boxes
        const int32_t block = static_cast<int32_t>(kTileAlignment * 8 / bits(tile.dtype));
        if (tile.boxed()) {
            tile.rows = round_up(tile.rows, tile.box_rows());
            tile.cols = round_up(tile.cols, tile.box_cols());
        } else {
            int32_t& inner = tile.outer == OuterLayout::kRowMajor ? tile.cols : tile.rows;
            inner = round_up(inner, block);
        }
        tile.pitch =
            std::max(tile.pitch, tile.outer == OuterLayout::kRowMajor ? tile.cols : tile.rows);
    } else if (problem.code == "L01") {
        for (size_t space = 0; space < kSpaceCount; ++space)
            if ((row.operands[operand].spaces & in_space(static_cast<Space>(space))) != 0)
                tile.space = static_cast<Space>(space);
    } else if (problem.code == "T10") {
        tile.dtype = DType::kE8M0;
    } else if (problem.code == "T12") {
        tile.dtype = DType::kU64;
    }
    return !(tile == before);
}

// The tile that a view without static extents is taken to fit.
const Tile* first_tile(const Instruction& instruction) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile()) return &instruction.operands[i].tile;
    return nullptr;
}

bool assume_tile(Tile& tile) {
    bool all_constant = true;
    const auto assume = [&](int32_t& valid, int32_t whole) {
        if (valid >= 0) return;
        valid = whole;
        all_constant = false;
    };
    assume(tile.valid_rows, tile.rows);
    assume(tile.valid_cols, tile.cols);
    return all_constant;
}

// Extents of the type, with dense strides in the order of the layout; open extents are taken from the tile of the same
// operation.
bool assume_view(GlobalView& view, const Value& value, const Tile* tile) {
    const Type& type = *value.type;
    bool all_constant = true;
    view.dtype = type.dtype.value_or(view.dtype);
    if (!value.of_parameter) view.layout = value.layout;  // else that of the tile
    for (unsigned i = 0; i < type.rank && i < GlobalView::kRank; ++i) {
        const unsigned dim =
            GlobalView::kRank - std::min<unsigned>(type.rank, GlobalView::kRank) + i;
        const int64_t extent = type.dims[i];
        all_constant = all_constant && extent >= 0;
        const int32_t open = tile == nullptr ? 1
                             : dim == 4      ? tile->valid_cols
                             : dim == 3      ? tile->valid_rows
                                             : 1;
        view.shape[dim] =
            extent >= 0 ? static_cast<int32_t>(std::min<int64_t>(extent, INT32_MAX)) : open;
    }
    std::array<unsigned, GlobalView::kRank> innermost_first{4, 3, 2, 1, 0};
    if (view.layout == GlobalLayout::kDN) std::swap(innermost_first[0], innermost_first[1]);
    int64_t stride = 1;
    for (const unsigned dim : innermost_first) {
        view.stride[dim] = stride;
        stride = saturating_product(stride, view.shape[dim]);
    }
    return all_constant;
}

}  // namespace

void Verifier::on_instruction(const Operation& op, const InstructionInfo& row,
                              const IssuePlan& plan, std::span<const Item* const> operands) {
    check([&] { verify_instruction(op, row, plan, operands); });
}

void Verifier::verify_instruction(const Operation& op, const InstructionInfo& row,
                                  const IssuePlan& plan, std::span<const Item* const> chosen) {
    Instruction instruction = plan.prototype;
    bool all_constant = true;
    // Addresses are not known here: different tiles are taken to be apart.
    constexpr uint32_t kApart = 1u << 22, kTiles = 1u << 10;
    for (size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i] != nullptr && instruction.operands[i].is_tile()) {
            Tile& tile = instruction.operands[i].tile;
            tile.address = plan.operands[i].slot % kTiles * kApart;
            all_constant = assume_tile(tile) && all_constant;
        }
    for (size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] == nullptr || !instruction.operands[i].is_global()) continue;
        GlobalView view;
        all_constant =
            assume_view(view, value(*chosen[i]), first_tile(instruction)) && all_constant;
        if (plan.operands[i].layout) view.layout = *plan.operands[i].layout;
        instruction.operands[i] = view;
        const bool from_tile =
            plan.operands[i].layout_from_tile || value(*chosen[i]).of_parameter;
        if (from_tile && !plan.operands[i].layout)
            adopt_layout(instruction, static_cast<unsigned>(i));
    }
    const bool shapes_are_known = all_constant;
    for (size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] == nullptr || !instruction.operands[i].is_scalar()) continue;
        const Slot slot = plan.operands[i].slot;
        if (is_constant(slot))
            instruction.operands[i].scalar.bits = constant_value(slot);
        else
            all_constant = false;
    }
    verify_types(op, row, instruction);
    if (row.traits->assembler_rule != nullptr)
        row.traits->assembler_rule(BoundOperation(context_, op, row, instruction, plan, chosen));
    if (row.traits->assembler_counts_pairs)
        for (Operand& operand : instruction.operands)
            if (operand.is_tile() && bits(operand.tile.dtype) == 4) {
                operand.tile.cols *= 2;
                operand.tile.valid_cols *= 2;
                operand.tile.pitch *= 2;
            }
    override_layout(instruction, options_.arch);
    if (plan.columns == ColumnWalk::kFirst) warn_of_first_element(op, row);
    walk_columns(instruction, plan.columns);
    check_rules(op, row, instruction, all_constant);
    const std::optional<CoreType> core = core_of_plan(plan);
    if (context_.section_core && core && *core != *context_.section_core) {
        Diagnostic found = diagnostic_at(
            op.location, "L01",
            std::string(row.name) + " runs on an " + std::string(ptosim::name(*core)) +
                ", but is in code for an " + std::string(ptosim::name(*context_.section_core)),
            "put it into a section or function of the other core type");
        found.category = Category::kIllegal;
        found.instruction = row.name;
        context_.warnings.push_back(std::move(found));
    }
    if (shapes_are_known) verify_scratch(op, row, instruction);
}

void Verifier::verify_types(const Operation& op, const InstructionInfo& row,
                            const Instruction& instruction) {
    const DTypeSet refused = row.traits->assembler_refuses[options_.arch];
    unsigned source = 0;
    const Operand* const typed = rules::first_typed_source(instruction, row, source);
    if (typed == nullptr || !refused.contains(rules::dtype_of(*typed))) return;
    const DTypeSet accepted = row.types[static_cast<size_t>(options_.arch)] - refused;
    fail(op, "T03",
         "'" + std::string(op.name) + "' takes " + to_text(accepted) + " on " +
             std::string(ptosim::name(options_.arch)) + ", and " +
             rules::operand_text(row, source) + " is " +
             std::string(ptosim::name(rules::dtype_of(*typed))));
}

// Warns of an operation that the assembler accepts but that the tile library executes differently than intended.
void Verifier::warn_of_first_element(const Operation& op, const InstructionInfo& row) {
    Diagnostic found =
        diagnostic_at(op.location, "L02",
                      std::string(row.name) +
                          " processes only the first element of a column (DN) with a dynamic valid region: the tile "
                          "library treats its rows as rows of one element in one block",
                      "state the valid region in the type, or view the column as a row (treshape)");
    found.category = Category::kIllegal;
    found.instruction = row.name;
    context_.warnings.push_back(std::move(found));
}

// All rules of the row: a requirement of the tile library alone
// is a warning, and counts as met for the rules after it.
void Verifier::check_rules(const Operation& op, const InstructionInfo& row, Instruction instruction,
                           bool all_constant) {
    constexpr int kMostRepairs = 16;
    const auto passes = [&](const LegalityRule& rule) {
        for (int i = 0; i < kMostRepairs; ++i) {
            Problem problem;
            if (rule(instruction, row, options_.arch, problem)) return true;
            if (!all_constant && is_about_extents(problem.code)) return false;
            note_problem(op, row, problem);
            if (!repair(instruction, row, problem)) return false;
        }
        return false;
    };
    if (!passes(rules::check_operands)) return;
    for (const LegalityRule* rule : row.rules)
        if (rule != nullptr) passes(*rule);
}

// An error, or a warning if the assembler accepts it.
void Verifier::note_problem(const Operation& op, const InstructionInfo& row,
                            const Problem& problem) {
    Diagnostic found = diagnostic_at(op.location, problem.code, problem.message, problem.hint);
    found.category = problem.code[0] == 'U' ? Category::kUnsupported : Category::kIllegal;
    found.instruction = row.name;
    if (problem.operand >= 0 && static_cast<size_t>(problem.operand) < row.operands.size())
        found.operand = row.operands[static_cast<size_t>(problem.operand)].name;
    if (!is_unverified(found, row, options_.arch)) throw Failure{std::move(found)};
    const bool already_reported = std::any_of(
        context_.warnings.begin(), context_.warnings.end(), [&](const Diagnostic& other) {
            return other.location == found.location && other.message == found.message;
        });
    if (!already_reported) context_.warnings.push_back(std::move(found));
}

void Verifier::verify_scratch(const Operation& op, const InstructionInfo& row,
                              const Instruction& instruction) {
    const AssemblerScratch* const rule = row.traits->assembler_scratch;
    if (rule == nullptr || rule->lacks == nullptr) return;
    ScratchUse use{instruction};
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
        if (!instruction.operands[i].is_tile()) continue;
        const Tile& tile = instruction.operands[i].tile;
        if (row.operands[i].role == OperandRole::kTmp)
            use.tmp = &tile;
        else if (row.operands[i].role == OperandRole::kOut)
            use.dst = use.dst == nullptr ? &tile : use.dst;
        else
            use.src = use.src == nullptr ? &tile : use.src;
    }
    const Tile* const tmp = use.tmp;
    if (tmp == nullptr || use.dst == nullptr ||
        (traits_of(options_.arch).assembler_backend == AssemblerBackend::kA5 && !rule->asked_on_a5))
        return;
    const std::string lacks = rule->lacks(use);
    if (!lacks.empty())
        fail(op, "S16", "the scratch tile of " + std::string(row.name) + " " + lacks,
             "it is " + std::to_string(tmp->valid_rows) + "x" + std::to_string(tmp->valid_cols) +
                 " of " + std::to_string(tmp->rows) + "x" + std::to_string(tmp->cols) + " " +
                 std::string(ptosim::name(tmp->dtype)));
}

}  // namespace ptosim::assembly
