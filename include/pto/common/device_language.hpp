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
#include "cce/c310_matrix.hpp"
#include "cce/memory_forms.hpp"

using pto::ptosim_detail::intrinsics::load_cbuf_to_ca, pto::ptosim_detail::intrinsics::load_cbuf_to_cb;
using pto::ptosim_detail::intrinsics::load_cbuf_to_ca_mx, pto::ptosim_detail::intrinsics::load_cbuf_to_cb_mx;
using pto::ptosim_detail::intrinsics::load_cbuf_to_ca_s4, pto::ptosim_detail::intrinsics::load_cbuf_to_cb_s4;
using pto::ptosim_detail::intrinsics::mad, pto::ptosim_detail::intrinsics::mad_mx;
#ifdef PTOSIM_THREAD_FUNCTIONS  // the source has some
#include "cce/simt.hpp"
#endif
#endif
