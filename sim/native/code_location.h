// Where an address in compiled code comes from, as far as its library says.
#pragma once

#include <cstdint>
#include <string>

namespace ptosim {

struct CodeLocation {
    std::string file;  // empty: compiled without lines, or addr2line (binutils) is not installed
    uint32_t line = 0;
    std::string function;  // readable; empty: not known
};

// Bytes from where its library begins in memory.
uint64_t offset_in_library(const void* code);
// `code`: what a call that was made from there returns to. Starts a program: for what is reported
// once.
CodeLocation location_of(const void* code);

}  // namespace ptosim
