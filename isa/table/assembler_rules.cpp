#include "isa/table/assembler_rules.h"

namespace ptosim {

std::optional<unsigned> WrittenOperation::index(std::string_view operand) const {
    for (unsigned i = 0; i < row.operands.size(); ++i)
        if (row.operands[i].name == operand) return i;
    return std::nullopt;
}

const Tile* WrittenOperation::tile(std::string_view operand) const {
    if (!given(operand)) return nullptr;
    const Operand& found = instruction.operands[*index(operand)];
    return found.is_tile() ? &found.tile : nullptr;
}

bool WrittenOperation::is_static(std::string_view operand) const {
    if (tile(operand) == nullptr) return true;
    const WrittenType written = type(operand);
    return written.tile.valid_rows >= 0 && written.tile.valid_cols >= 0;
}

}  // namespace ptosim
