// Rewrites parts of kernel sources that C++ compilers reject: launches with <<<...>>>, and the declarations of kernels.
// Works on preprocessed text.
#pragma once

#include <string>
#include <string_view>

namespace ptosim {

// Marks kernels; the preprocessor replaces __global__ by it.
// Marks functions of one thread.
inline constexpr std::string_view kThreadFunctionMark = "__ptosim_simt_vf__";

inline constexpr std::string_view kKernelMark = "__ptosim_global__";

// kIdle: a device pass in which kernels do nothing.
enum class CompilePass { kHost, kAIC, kAIV, kIdle };

// A kernel is code of a core, or of one thread of a vector core.
enum class KernelCode { kCore, kThread };

struct Rewritten {
    std::string text;
    unsigned launches = 0;
    unsigned kernels = 0;  // definitions, templates included
};

// Writes `f<T><<<blocks, l2, stream>>>(args)` as a call of ptosim::launch (ptosim/launch.h). In the device passes it
// registers kernels that are not templates, and explicit instantiations of those that are. In the host's pass, and in
// passes in which kernels do nothing, it removes the bodies of kernels. Lines keep their numbers. Replaces words of
// Ascend C (sim/compile/ascendc_words.h). A kernel whose declaration names core types (sim/compile/kernel_cores.h) is
// left out in the pass of another type. Throws DiagnosticError (H03, with file and line) for a launch that cannot be
// read.
// Launches of threads are `f<<<grid, block, dynamic UB, stream>>>(args)` (ptosim/thread_launch.h).
Rewritten rewrite(std::string_view source, CompilePass pass, const std::string& file,
                  KernelCode code = KernelCode::kCore);

// Kernels that a source defines, by the core types of their declarations (sim/compile/kernel_cores.h).
struct DefinedKernels {
    unsigned here = 0;     // that run in this pass
    unsigned unnamed = 0;  // without core types
    std::string name;      // of the last one without
    std::string place;     // its "FILE:LINE: "
};
DefinedKernels defined_kernels(std::string_view source, CompilePass pass, const std::string& file,
                               KernelCode code = KernelCode::kCore);

}  // namespace ptosim
