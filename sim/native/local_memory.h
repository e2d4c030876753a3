// Pointers into UB in compiled kernels: code for address space 256 of clang (include/cce/language.hpp) accesses memory
// relative to the segment base GS of its thread.
#pragma once

namespace ptosim {

// Sets byte 0 of UB for code that this thread runs from now on. Does nothing on hosts without such segments.
void set_local_base(void* base);

}  // namespace ptosim
