// What compiled code loads and stores by plain pointers. g++ and clang++ make a call for each
// access where their flags say so (instrumentation of the kernel address sanitizer, all of it as
// calls); these calls end here: by them checkers see what kernels and processors access.
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

// Flags of a compilation, with the lines by which findings name the code.
std::vector<std::string> access_flags(bool gnu);

// Gets the accesses of code that is no kernel's.
void listen_to_accesses(void (*listener)(const PlainAccess&));

}  // namespace ptosim
