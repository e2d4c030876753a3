// `ptosim build`: C++ kernels and their hosts, compiled with the machine's own compiler.
//
// A source with kernels is preprocessed, rewritten (sim/native/rewrite.h) and compiled as the
// host's part, as AIC and as AIV; the device parts become shared libraries that are embedded into
// the output as images (sim/native/image.h). Other sources are the host's alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/core/pipe.h"

namespace ptosim {

struct BuildOptions {
    // For which cores a kernel source is compiled. kGuess: for both if it asks which core it is
    // (__DAV_CUBE__, __DAV_VEC__, ...) or uses the units of both, else for the one whose units it
    // uses.
    enum class Cores { kGuess, kAIC, kAIV, kBoth };

    std::vector<std::string> sources;
    std::string output;  // an executable, or a shared library if it ends in ".so"
    Arch arch = Arch::kA2A3;
    Cores cores = Cores::kGuess;
    std::string compiler;                 // empty: c++, or the newest clang++ with intrinsics
    // The folder of a tile library's own headers (pto/pto-inst.hpp), which implement its instructions
    // with intrinsics; empty: those of this simulator.
    std::string library_headers;
    // A checkout of asc-devkit whose headers kernels are compiled with (sim/native/ascendc.h); empty: none.
    std::string ascendc;
    // Ascend C: synchronisation of the scalar unit and of pipe V that the device's compiler inserts
    // (sim/native/auto_sync.h).
    bool auto_sync = true;
    std::vector<std::string> flags;       // of every compilation
    std::vector<std::string> link_flags;  // libraries, objects, -L, -Wl,...
    std::string work;                     // intermediate files; default: .ptosim beside the output
    unsigned jobs = 0;                    // 0: one per processor
    bool device_only = false;             // no host part
    // The code of kernels of one core type stays an object, which is linked later (sim/native/device_objects.h).
    bool relocatable = false;
    // Every source has kernels, whatever its words say: the device's compiler was told so.
    bool all_kernels = false;
    // Compiled for both core types because nobody has named one, a source that neither asks which
    // core it is nor uses the units of one of them has kernels that do nothing there. The device's
    // compiler makes the same of it: a launch takes clusters, and each AIV of one is a sub-block.
    bool idle_cores = false;
    // And one that uses the vector unit alone, and asks for no sub-block, has kernels for AIVs.
    bool infer_vector_kernels = false;
    // Kernels report what they load and store by plain pointers (sim/native/accesses.h).
    bool report_accesses = false;
    // And which branches they take (sim/native/branches.h).
    bool report_branches = false;
    bool verbose = false;  // print commands

    // Kernels are compiled in the device's language (include/cce/language.hpp), not as tiles.
    bool uses_intrinsics() const { return !library_headers.empty() || !ascendc.empty(); }
};

// The words after `ptosim build`. Throws DiagnosticError (I00, H04).
BuildOptions parse_build(const std::vector<std::string>& words);

// Throws DiagnosticError (H02) unless the folder has a tile library's headers, or is empty.
void require_library_headers(const std::string& folder);

// Builds the output; what is up to date is not built again. Returns how many files it has made.
// Throws DiagnosticError: H02 if a compiler or linker fails (its own messages have been printed),
// H03 for a launch that cannot be read, H04 for options that do not fit, I02 if the output cannot
// be written.
unsigned build(const BuildOptions& options);

// Throws DiagnosticError (H02) if this installation has no libptosim, which `output` is to be
// linked with.
void require_library(const std::string& output);

// The kernels of sources as a library's content (sim/native/image.h): from the compile cache if it
// has them. Throws as build().
std::string build_kernels(BuildOptions options);

// One source with kernels as an object: its host part, its images and their registration. Any
// linker makes programs and libraries of such objects, with libptosim.
struct KernelObject {
    std::string content;                    // of the file
    std::vector<std::string> dependencies;  // files that it was made from, each once
};
// From the compile cache if it has it. Throws as build().
KernelObject build_object(BuildOptions options);
// One source for one core type as an object that link_device_binary() takes, without a host part.
KernelObject build_device_object(BuildOptions options);

}  // namespace ptosim
