// Instrumentation of compiled kernels: events of scalar code that the compiler makes visible by a call, with the flags of
// each compiler. All events of clang below tiles come from one pass (-fsanitize-coverage), so that they cost one
// traversal of the code; docs/internals.md lists the calls and their receivers.
#pragma once

#include <string>
#include <vector>

namespace ptosim {

struct Instrumentation {
    bool gnu = false;          // g++
    bool below_tiles = false;  // intrinsics: pointers to UB are in an address space
    bool accesses = false;     // loads and stores by pointers
    bool branches = false;     // blocks and comparisons (sim/native/branches.h)
};

// Flags of the compilation of a kernel, and of the linking of its library.
std::vector<std::string> compile_flags(const Instrumentation& instrumentation);
std::vector<std::string> link_flags(const Instrumentation& instrumentation);
// Text that distinguishes code of this instrumentation in the compile cache.
std::string identity_text(const Instrumentation& instrumentation);

}  // namespace ptosim
