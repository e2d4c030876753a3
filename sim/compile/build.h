// `ptosim build`: compiles C++ kernels and their hosts with the host machine's compiler.
//
// A source with kernels is preprocessed, rewritten (sim/compile/rewrite.h) and compiled three times: as the host's part,
// as AIC and as AIV. The device parts become shared libraries that are embedded into the output as images
// (sim/native/image.h). Other sources are compiled for the host only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim {

struct BuildOptions {
    // Cores for which a kernel source is compiled. kGuess: both if it tests its core type (__DAV_CUBE__, __DAV_VEC__,
    // ...) or uses the units of both, else the type whose units it uses.
    enum class Cores { kGuess, kAIC, kAIV, kBoth };

    std::vector<std::string> sources;
    std::string output;  // an executable, or a shared library if it ends in ".so"
    Arch arch = Arch::kA2A3;
    Cores cores = Cores::kGuess;
    std::string compiler;                 // empty: c++, or the newest clang++ with intrinsics
    // The folder of a tile library's own headers (pto/pto-inst.hpp), which implement its instructions with intrinsics;
    // empty: this simulator's headers.
    std::string library_headers;
    // A checkout of asc-devkit with headers for kernels (sim/compile/ascendc.h); empty: none.
    std::string ascendc;
    // Ascend C: synchronisation of the scalar unit and of pipe V that the device's compiler inserts
    // (sim/native/auto_sync.h).
    bool auto_sync = true;
    // Kernels that are compiled as tiles have functions of threads. Found in their sources.
    bool thread_functions = false;
    // Kernels are the code of one thread (--enable-simt).
    bool threads = false;
    std::vector<std::string> flags;       // of every compilation
    std::vector<std::string> link_flags;  // libraries, objects, -L, -Wl,...
    std::string work;                     // intermediate files; default: .ptosim next to the output
    unsigned jobs = 0;                    // 0: one per processor
    bool device_only = false;             // no host part
    // The code of kernels of one core type stays an object, which is linked later (sim/compile/device_objects.h).
    bool relocatable = false;
    // Compile every source for the device even if it contains no kernel words, because an option told the device's
    // compiler to.
    bool all_kernels = false;
    // A source compiled for both core types only by default, which neither tests its core type nor uses the units of
    // one type, has kernels without effect on the other type. The device's compiler has the same result: a launch takes
    // clusters, and each AIV of one is a sub-block.
    bool idle_cores = false;
    // A source that uses only the vector unit and reads no sub-block has kernels for AIVs.
    bool infer_vector_kernels = false;
    // Kernels report loads and stores by plain pointers (sim/native/accesses.h).
    bool report_accesses = false;
    // Kernels report their branches (sim/native/branches.h).
    bool report_branches = false;
    bool verbose = false;  // print commands

    // True if kernels are compiled in the device's language (include/cce/language.hpp), not as tiles.
    bool uses_intrinsics() const { return !library_headers.empty() || !ascendc.empty(); }
};

// Parses the words after `ptosim build`. Throws DiagnosticError (I00, H04).
BuildOptions parse_build(const std::vector<std::string>& words);

// Throws DiagnosticError (H02) unless the folder contains a tile library's headers, or is empty.
void require_library_headers(const std::string& folder);
// Ascend C that includes a tile library needs the library's own headers, because this simulator's are another level:
// takes the folder of an -I that contains pto/pto-inst.hpp as `library_headers` if none is given.
void find_library_headers(BuildOptions& options);

// Throws DiagnosticError (H04) if kernels of threads cannot be compiled with these options.
void check_threads(BuildOptions& options);

// Builds everything that is out of date. Returns the number of files made. Throws DiagnosticError: H02 if a compiler or
// linker fails (its messages have been printed), H03 for an unreadable launch, H04 for options that do not fit, I02 if
// the output cannot be written.
unsigned build(const BuildOptions& options);

// Throws DiagnosticError (H02) if this installation has no libptosim to link `output` with.
void require_library(const std::string& output);

// The kernels of sources as the content of a library (sim/native/image.h), from the compile cache if present. Throws
// like build().
std::string build_kernels(BuildOptions options);

// One source with kernels as an object: its host part, its images and their registration. Any linker can combine such
// objects with libptosim.
struct KernelObject {
    std::string content;                    // of the file
    std::vector<std::string> dependencies;  // files from which it was made, each once
};
// Taken from the compile cache if present. Throws like build().
KernelObject build_object(BuildOptions options);
// One source for one core type as an object that link_device_binary() takes, without a host part.
KernelObject build_device_object(BuildOptions options);

}  // namespace ptosim
