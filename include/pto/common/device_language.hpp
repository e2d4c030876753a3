// Names that a device compiler predefines: qualifiers, number types, flags and intrinsics. `ptosim build` includes it
// first.
#pragma once

#include "pto/common/intrinsics.hpp"
#include "pto/common/local_pointer.hpp"
#include "pto/common/raw_copies.hpp"
#include "cce/vector_registers.hpp"

#include "cce/unsupported.hpp"
#ifdef PTO_NPU_ARCH_A2A3
#include "cce/packed_intrinsics.hpp"
#else
#include "cce/memory_forms.hpp"
#endif
