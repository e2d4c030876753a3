// What can be said about an instruction without running it: the rules of its row, on what types
// and constants tell of its operands.
#include <algorithm>

#include "isa/assembly/binder_state.h"
#include "isa/assembly/frame.h"

namespace ptosim::assembly {

namespace {

// Rules about extents, which a value that is known at run time only may keep.
bool is_about_extents(std::string_view code) {
    static constexpr std::string_view kCodes[] = {"S02", "S03", "S04", "S05", "S06", "S07",
                                                  "S08", "S09", "S11", "S12", "S13", "S14",
                                                  "S15", "G10", "G11", "L04"};
    return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

}  // namespace

// The tile that a view without static extents is taken to fit.
const Tile* Binder::first_tile(const Instruction& instruction) {
    for (unsigned i = 0; i < instruction.operand_count; ++i)
        if (instruction.operands[i].is_tile()) return &instruction.operands[i].tile;
    return nullptr;
}

bool Binder::assume_tile(Tile& tile) {
    bool known = true;
    const auto assume = [&](int32_t& valid, int32_t whole) {
        if (valid >= 0) return;
        valid = whole;
        known = false;
    };
    assume(tile.valid_rows, tile.rows);
    assume(tile.valid_cols, tile.cols);
    return known;
}

// Extents of the type, and dense strides; what is open is that of the tile beside it.
bool Binder::assume_view(GlobalView& view, const Value& value, const Tile* tile) {
    const Type& type = *value.type;
    bool known = true;
    view.dtype = type.dtype.value_or(view.dtype);
    view.layout = value.layout;
    for (unsigned i = 0; i < type.rank && i < GlobalView::kRank; ++i) {
        const unsigned dim = GlobalView::kRank - std::min<unsigned>(type.rank, GlobalView::kRank) + i;
        const int64_t extent = type.dims[i];
        known = known && extent >= 0;
        const int32_t open = tile == nullptr ? 1
                             : dim == 4      ? tile->valid_cols
                             : dim == 3      ? tile->valid_rows
                                             : 1;
        view.shape[dim] = extent >= 0 ? static_cast<int32_t>(extent) : open;
    }
    int64_t stride = 1;
    for (int i = GlobalView::kRank - 1; i >= 0; --i) {
        view.stride[i] = stride;
        stride *= view.shape[i];
    }
    return known;
}

void Binder::verify(const Operation& op, const InstructionInfo& row, const IssuePlan& plan,
                    std::span<const Item* const> chosen) {
    Instruction instruction = plan.prototype;
    bool known = true;
    for (size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i] != nullptr && instruction.operands[i].is_tile())
            known = assume_tile(instruction.operands[i].tile) && known;
    for (size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] == nullptr || !instruction.operands[i].is_global()) continue;
        GlobalView view;
        known = assume_view(view, value(*chosen[i]), first_tile(instruction)) && known;
        if (plan.operands[i].layout) view.layout = *plan.operands[i].layout;
        instruction.operands[i] = view;
        if (plan.operands[i].layout_from_tile && !plan.operands[i].layout)
            adopt_layout(instruction, static_cast<unsigned>(i));
    }
    for (size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] == nullptr || !instruction.operands[i].is_scalar()) continue;
        const Slot slot = plan.operands[i].slot;
        if (is_constant(slot))
            instruction.operands[i].scalar.bits = constant_value(slot);
        else
            known = false;
    }
    Problem problem;
    if (check_legality(instruction, options_.arch, problem)) return;
    if (!known && is_about_extents(problem.code)) return;
    Diagnostic found = diagnostic_at(op.location, problem.code, problem.message, problem.hint);
    found.category = problem.code[0] == 'U' ? Category::kUnsupported : Category::kIllegal;
    found.instruction = row.name;
    if (problem.operand >= 0 && static_cast<size_t>(problem.operand) < row.operands.size())
        found.operand = row.operands[static_cast<size_t>(problem.operand)].name;
    throw Failure{std::move(found)};
}

}  // namespace ptosim::assembly
