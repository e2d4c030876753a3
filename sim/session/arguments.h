// Kernel arguments from the words of --arg, and their outputs after the run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/files/npy.h"
#include "sim/machine/memory/global_memory.h"

namespace ptosim {

// One argument, bound to one parameter of a kernel.
struct Argument {
    std::string spec;  // as written
    bool scalar = false;
    bool output = false;      // the kernel may write it, so it is compared and reported
    std::string input_file;   // source of its data; may be empty
    std::string output_file;  // destination after the run; may be empty
    DType dtype = DType::kF32;
    std::vector<int64_t> shape;
    uint64_t value = 0;  // device address, or the scalar's bits
};

// Text such as "pointer to f16", "pointer to elements of any type", "i32".
std::string type_text(const Parameter& parameter);

// Parses one word for each parameter and puts the arrays into global memory:
//   in=x.npy  out=128x256xf32[:y.npy]  inout=x.npy[:y.npy]  rand=128x256xf16[:SEED]
//   zeros=128x256xf32  null (a pointer to nothing)  i32=5  i64=5  f32=0.5  i1=true
// Throws DiagnosticError (input) for a wrong count, an unknown form, an unusable file, an element type other than the
// parameter's, or fewer elements than the kernel's view of the array.
std::vector<Argument> make_arguments(const Kernel& kernel, std::span<const std::string> words,
                                     uint64_t seed, GlobalMemory& memory);

// Summary of a kernel's output in a parameter.
struct OutputSummary {
    size_t parameter = 0;
    std::string file;  // file with the output; may be empty
    std::string sha256;
};
// Saves the outputs of the kernel for which the words name a file.
std::vector<OutputSummary> save_outputs(const std::vector<Argument>& arguments);

// The values to pass to a launch.
std::vector<uint64_t> argument_values(const std::vector<Argument>& arguments);
// The present content of an argument.
Array array_of(const Argument& argument);

}  // namespace ptosim
