#include "sim/core/unit_flags.h"

#include <algorithm>

namespace ptosim {

namespace {

constexpr uint64_t kUnit = 512;

// The accumulator that an instruction hands over, in units; none if it has no tile in L0C.
struct Product {
    uint64_t begin = 0, end = 0;
    bool fills = false;  // M: else FIX, which drains it
};

Product product_of(const Instruction& instruction) {
    for (unsigned i = 0; i < std::min<unsigned>(2, instruction.operand_count); ++i) {
        const Operand& operand = instruction.operands[i];
        if (!operand.is_tile() || operand.tile.space != Space::kL0C) continue;
        const uint64_t begin = operand.tile.address, bytes = operand.tile.byte_size();
        return {begin / kUnit, (begin + bytes + kUnit - 1) / kUnit, i == 0};
    }
    return {};
}

bool is_final(const Instruction& instruction) {
    return instruction.attributes.phase == UnitFlagPhase::kFinal;
}

}  // namespace

bool UnitFlags::held(const Instruction& instruction) const {
    const Product product = product_of(instruction);
    for (uint64_t unit = product.begin; unit < product.end; ++unit)
        if (changing_.test(unit) || full_.test(unit) == product.fills) return true;
    return false;
}

void UnitFlags::start(const Instruction& instruction) {
    if (!is_final(instruction)) return;
    const Product product = product_of(instruction);
    for (uint64_t unit = product.begin; unit < product.end; ++unit) changing_.set(unit);
}

void UnitFlags::complete(const Instruction& instruction, uint64_t sequence) {
    if (!is_final(instruction)) return;
    const Product product = product_of(instruction);
    for (uint64_t unit = product.begin; unit < product.end; ++unit) {
        changing_.reset(unit);
        full_.set(unit, product.fills);
    }
    sequence_ = sequence;
    pipe_ = product.fills ? Pipe::kM : Pipe::kFIX;
    changed_.notify();
}

}  // namespace ptosim
