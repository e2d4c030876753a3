#include "isa/assembly/bind/scratch_tiles.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "isa/table/assembler_rules.h"
#include "isa/table/instruction_traits.h"

namespace ptosim::assembly {

namespace {

bool leaves_places(std::span<const Operation> operations) {
    return std::any_of(operations.begin(), operations.end(), [](const Operation& op) {
        const bool allocates = op.name == "pto.alloc_tile" || op.name == "pto.alloc_multi_tile";
        if (allocates && op.clause("addr") == nullptr) return true;
        return std::any_of(op.regions.begin(), op.regions.end(), [](const Region& region) {
            return std::any_of(region.blocks.begin(), region.blocks.end(),
                               [](const Block& block) { return leaves_places(block.operations); });
        });
    });
}

}  // namespace

std::string scratch_type(const Tile& tile) {
    const auto shape = [](int32_t rows, int32_t cols) {
        return std::to_string(rows) + "x" + std::to_string(cols);
    };
    std::string text =
        "!pto.tile_buf<vec, " + shape(tile.rows, tile.cols) + "x" + std::string(name(tile.dtype));
    if (tile.valid_rows != tile.rows || tile.valid_cols != tile.cols)
        text += ", valid=" + shape(tile.valid_rows, tile.valid_cols);
    return text + ">";
}

// Gives an instruction the scratch tile that the text leaves out, if the text
// leaves addresses to the assembler; otherwise no free address is known.
// Where vector instructions work in registers, scratch is not touched.
void ScratchTiles::add_scratch(const Operation& op, const InstructionInfo& row, IssuePlan& plan) {
    if (!leaves_addresses_) leaves_addresses_ = leaves_places(module_.operations);
    if (traits_of(options_.arch).vector_operands != VectorOperands::kMemory || !*leaves_addresses_)
        return;
    const auto role = std::find_if(row.operands.begin(), row.operands.end(), [](const auto& info) {
        return info.role == OperandRole::kTmp && (info.kinds & kTileOperand) != 0;
    });
    const auto at = static_cast<size_t>(role - row.operands.begin());
    if (role == row.operands.end() || plan.operands[at].kind != Operand::Kind::kNone) return;
    const AssemblerScratch* const rule = row.traits->assembler_scratch;
    if (rule == nullptr || rule->made == nullptr) return;
    const std::optional<Tile> tile = rule->made(plan.prototype);
    if (!tile) return;
    TilePlacement home;
    home.operation = &op;
    home.step = here();
    home.planned = true;
    home.where = op.location;
    home.bytes = tile->byte_size();
    home.is_scratch = true;
    const size_t behind = rule->behind_lists ? plan.operands.size() : at;
    for (size_t i = 0; i < behind && i < row.operands.size(); ++i)
        home.scratch_operand += plan.operands[i].kind != Operand::Kind::kNone &&
                                row.operands[i].role == OperandRole::kIn;
    context_.placements.push_back(home);
    OperandPlan& operand = plan.operands[at];
    operand.kind = Operand::Kind::kTile;
    operand.slot = new_tile();
    plan.prototype.operands[at] = *tile;
    plan.prototype.operand_count =
        std::max(plan.prototype.operand_count, static_cast<uint8_t>(at + 1));
    Step& step = emit(StepCode::kTile, op);
    step.r = operand.slot;
    step.index = added(program_.tiles, *tile);
}

}  // namespace ptosim::assembly
