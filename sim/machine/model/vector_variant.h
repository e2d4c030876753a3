// Selects the curve of a vector instruction, on chips whose vector functions have curves (a5): by the width of its
// elements, the types of a conversion, or its precision.
#pragma once

#include <span>
#include <string_view>

#include "isa/table/instruction_table.h"

namespace ptosim {

enum class VectorVariant : uint8_t {
    kB16,  // elements of 8 and 16 bits
    kB32,
    kPrecise16,  // the slow, more exact variant of the function
    kPrecise32,
    kWiden16,   // conversions: 16 to 32 bits
    kNarrow32,  // 32 to 16 bits
    kNarrow32To8,
    kNarrow16To8,
    kNarrow16To4,
    kWiden8,
    kWiden4,
    kCount,
};

struct VectorVariantInfo {
    VectorVariant variant;
    std::string_view name;  // in the paths of parameters
    std::string_view description;
};

// The variants of an instruction that a chip file may define.
std::span<const VectorVariantInfo> vector_variants(Opcode opcode);
VectorVariant vector_variant(const Instruction& instruction);

}  // namespace ptosim
