// Vocabulary for the rows of vector operations. As in isa/instructions, a source ends with its rows.
#pragma once

#include "isa/intrinsics/vector_lanes.h"

namespace ptosim::vector_operations {}

namespace ptosim::vector_rows {

using enum DType;
using namespace ptosim::vector_operations;

// Operations that move bits take any type.
inline constexpr DTypeSet kVectorFloats{kF16, kF32, kBF16};
inline constexpr DTypeSet kVectorInts{kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64};
inline constexpr DTypeSet kVectorNumbers = kVectorFloats | kVectorInts;
inline constexpr DTypeSet kVectorLanes =
    kVectorNumbers | DTypeSet{kE4M3, kE5M2, kE8M0, kHIF8, kE2M1, kE1M2, kI4};
inline constexpr DTypeSet kVectorConverted = kVectorLanes;
inline constexpr DTypeSet kVector32{kI32, kU32};
inline constexpr DTypeSet kVectorBytes8{kU8};

#define PTO_VECTOR_OPCODE(NAME) extern const VectorOperationInfo NAME;
#include "isa/vector_opcodes.def"
#undef PTO_VECTOR_OPCODE

}  // namespace ptosim::vector_rows

#define PTO_VECTOR_OPERATION(NAME, SIGNATURE, TYPES, UNIT, TIMED_AS, LANEWISE, SUMMARY) \
    constinit const VectorOperationInfo NAME{VectorOpcode::k##NAME,                     \
                                             #NAME,                                     \
                                             SIGNATURE,                                 \
                                             TYPES,                                     \
                                             VectorUnit::UNIT,                          \
                                             Opcode::k##TIMED_AS,                       \
                                             &vector_operations::NAME,                  \
                                             SUMMARY,                                   \
                                             LANEWISE};
