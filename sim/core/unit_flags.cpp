#include "sim/core/unit_flags.h"

#include <algorithm>

namespace ptosim {

namespace {

struct Product {
    const Tile* tile = nullptr;
    bool fills = false;  // M: else FIX, which drains it
};

// The accumulator that an instruction hands over; none if it has no tile in L0C.
Product product_of(const Instruction& instruction) {
    for (unsigned i = 0; i < std::min<unsigned>(2, instruction.operand_count); ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.is_tile() && operand.tile.space == Space::kL0C) return {&operand.tile, i == 0};
    }
    return {};
}

}  // namespace

bool UnitFlags::held(const Instruction& instruction) const {
    const Product product = product_of(instruction);
    if (product.tile == nullptr) return false;
    const size_t begin = product.tile->address / kUnit;
    const size_t end = (product.tile->address + product.tile->byte_size() + kUnit - 1) / kUnit;
    for (size_t unit = begin; unit < std::min(end, full_.size()); ++unit)
        if (full_[unit] == product.fills) return true;
    return false;
}

void UnitFlags::complete(const Instruction& instruction, uint64_t sequence) {
    const Product product = product_of(instruction);
    if (product.tile == nullptr || instruction.attributes.phase != UnitFlagPhase::kFinal) return;
    const size_t begin = product.tile->address / kUnit;
    const size_t end = (product.tile->address + product.tile->byte_size() + kUnit - 1) / kUnit;
    for (size_t unit = begin; unit < std::min(end, full_.size()); ++unit)
        full_[unit] = product.fills;
    sequence_ = sequence;
    pipe_ = product.fills ? Pipe::kM : Pipe::kFIX;
    changed_.notify();
}

}  // namespace ptosim
