// What compiled code loads and stores by plain pointers. g++ and clang++ make a call for each
// access where their flags say so; these calls end here: by them checkers see what kernels access,
// and what processors do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosim {

struct PlainAccess {
    const void* address = nullptr;
    uint64_t size = 0;  // bytes
    bool writes = false;
    const void* code = nullptr;  // what the call returns to
};

// Flags of a compilation of kernels, with the lines by which findings name the code; and of their
// linker. (Of processors: sim/mpmd/python/ptosim_mpmd/instrumentation.py.)
std::vector<std::string> access_flags(bool gnu);
std::vector<std::string> access_link_flags();
// What a library refers to that is linked so.
inline constexpr const char* kAccessSymbol = "__wrap___tsan_init";

// Gets the accesses of code that is no kernel's.
void listen_to_accesses(void (*listener)(const PlainAccess&));

}  // namespace ptosim
