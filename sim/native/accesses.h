// Loads and stores by plain pointers in compiled code. The compiler makes a call for each access,
// as for the thread sanitizer, and the linker gives these calls names that end here: by them
// checkers see the accesses of kernels and of processors.
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
// linker.
std::vector<std::string> access_flags(bool gnu);
std::vector<std::string> access_link_flags();
// The same as a specs file for g++, for code that others compile and link: with -specs=FILE, a
// command that does both at once does not link the thread sanitizer's library. The level of
// optimisation stays that of the command.
std::string access_specs();
// What a library refers to that is linked so.
inline constexpr const char* kAccessSymbol = "__wrap___tsan_init";

// Gets the accesses of code that is no kernel's.
void listen_to_accesses(void (*listener)(const PlainAccess&));

}  // namespace ptosim
