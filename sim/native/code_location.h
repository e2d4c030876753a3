// Source location of an address in compiled code, as far as its library contains it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosim {

struct CodeLocation {
    std::string file;  // empty: compiled without lines, or addr2line (binutils) is not installed
    uint32_t line = 0;
    std::string function;  // demangled; empty: unknown
    std::vector<CodeLocation> callers{};  // into whose code this is inlined, the nearest first
};

// Offset from the begin of its library in memory.
uint64_t offset_in_library(const void* code);
// `code`: the return address of a call. `file`: the library's, if the one that was loaded may be
// closed by now. This starts a program, so it is meant for reports that are made once.
CodeLocation location_of(const void* code, std::string file = {});

}  // namespace ptosim
