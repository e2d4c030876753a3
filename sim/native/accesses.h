// Loads and stores by plain pointers in compiled code. The compiler inserts a call for each access, as for the thread
// sanitizer, and the linker redirects these calls to functions here, so that checkers receive the accesses of kernels
// and of processors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosim {

struct PlainAccess {
    const void* address = nullptr;
    uint64_t size = 0;  // bytes
    bool writes = false;
    const void* code = nullptr;   // return address of the call
    const void* frame = nullptr;  // of the called function
};

// Flags for compiling and linking kernels. They include line information, by which findings locate the code.
std::vector<std::string> access_flags(bool gnu);
std::vector<std::string> access_link_flags();
// Flags for linking code whose loads and stores another pass reports: those of memcpy and similar functions.
std::vector<std::string> copy_link_flags();
// The same flags as a specs file for g++, for code that others compile and link. With -specs=FILE, a command that does
// both at once does not link the thread sanitizer's library. The level of optimisation remains that of the command.
std::string access_specs();
// Symbol to which a library refers if it was linked with these flags.
inline constexpr const char* kAccessSymbol = "__wrap___tsan_init";

// Sets the receiver of accesses by code outside of kernels.
void listen_to_accesses(void (*listener)(const PlainAccess&));

}  // namespace ptosim
