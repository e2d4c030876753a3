// What C++ compilers do not read in kernel sources: launches with <<<...>>>, and which functions
// are kernels. Works on the text that the preprocessor leaves.
#pragma once

#include <string>
#include <string_view>

namespace ptosim {

// Kernels are marked by this word, which the preprocessor puts for __global__.
inline constexpr std::string_view kKernelMark = "__ptosim_global__";

// kIdle: a device pass in which kernels do nothing.
enum class CompilePass { kHost, kAIC, kAIV, kIdle };

struct Rewritten {
    std::string text;
    unsigned launches = 0;
    unsigned kernels = 0;  // definitions, templates included
};

// Writes `f<T><<<blocks, l2, stream>>>(args)` as a call of ptosim::launch (ptosim/launch.h); in the
// device passes registers the kernels that are no templates, and explicit instantiations of those
// that are; in the host's pass and where they do nothing takes the bodies of kernels out. Lines
// keep their numbers. Replaces words of Ascend C (sim/native/ascendc_words.h). A kernel whose declaration names
// core types (sim/native/kernel_cores.h) is none in the pass of another one. Throws DiagnosticError (H03, with
// file and line) for a launch that cannot be read.
Rewritten rewrite(std::string_view source, CompilePass pass, const std::string& file);

// Whether the source defines a kernel that runs in this pass, by the core types of its declarations.
bool has_kernels(std::string_view source, CompilePass pass);

}  // namespace ptosim
