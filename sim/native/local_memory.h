// Pointers into UB in compiled kernels: code for address space 256 of clang (include/cce/language.hpp)
// reads and writes relative to the segment base GS of its thread.
#pragma once

namespace ptosim {

// Code that this thread runs from now on has byte 0 of its UB there. Does nothing on hosts without
// such segments.
void set_local_base(void* base);

}  // namespace ptosim
