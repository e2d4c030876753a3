#include "sim/machine/model/vector_variant.h"

#include <algorithm>

#include "isa/table/instruction_traits.h"

namespace ptosim {
namespace {

using V = VectorVariant;

constexpr VectorVariantInfo kAll[] = {
    {V::kB16, "b16", "elements of up to 16 bits"},
    {V::kB32, "b32", "elements of 32 bits"},
    {V::kPrecise16, "precise16", "high precision, elements of 16 bits"},
    {V::kPrecise32, "precise32", "high precision, elements of 32 bits"},
    {V::kWiden16, "widen16", "16 to 32 bits"},
    {V::kNarrow32, "narrow32", "32 to 16 bits"},
    {V::kNarrow32To8, "narrow32to8", "32 to 8 bits"},
    {V::kNarrow16To8, "narrow16to8", "16 to 8 bits"},
    {V::kNarrow16To4, "narrow16to4", "16 to 4 bits"},
    {V::kWiden8, "widen8", "from 8 bits"},
    {V::kWiden4, "widen4", "from 4 bits"},
};

VectorVariant conversion(unsigned from, unsigned to) {
    if (from == to) return to >= 32 ? V::kB32 : V::kB16;
    if (from == 4) return V::kWiden4;
    if (from == 8) return V::kWiden8;
    if (from == 16) return to > 16 ? V::kWiden16 : to == 8 ? V::kNarrow16To8 : V::kNarrow16To4;
    return to >= 16 ? V::kNarrow32 : V::kNarrow32To8;
}

}  // namespace

std::span<const VectorVariantInfo> vector_variants(Opcode opcode) {
    const std::span<const VectorVariantInfo> all(kAll);
    if (traits(opcode).rate_by_types) return all;
    return all.first(info(opcode).attributes.has(kAttrPrecision) ? 4 : 2);
}

VectorVariant vector_variant(const Instruction& instruction) {
    const unsigned to = bits(instruction.operands[0].tile.dtype);
    if (traits(instruction.opcode).rate_by_types)
        return conversion(bits(instruction.tile(1).dtype), to);
    const bool wide = to >= 32;
    if (instruction.attributes.high_precision &&
        info(instruction.opcode).attributes.has(kAttrPrecision))
        return wide ? V::kPrecise32 : V::kPrecise16;
    return wide ? V::kB32 : V::kB16;
}

}  // namespace ptosim
