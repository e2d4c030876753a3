// Which element types an architecture has.
#pragma once

#include "isa/arch.h"
#include "isa/instruction_table.h"

namespace ptosim {

// The types of the set that the architecture has.
constexpr DTypeSet types_on(Arch arch, DTypeSet set) {
    if (!traits_of(arch).bf16) set = set - DTypeSet{DType::kBF16};
    if (!traits_of(arch).small_floats)
        set = set - DTypeSet{DType::kE4M3, DType::kE5M2, DType::kE8M0,
                             DType::kHIF8, DType::kE2M1, DType::kE1M2};
    return set;
}

}  // namespace ptosim
