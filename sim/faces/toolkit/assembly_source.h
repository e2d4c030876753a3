// Generates C++ for kernels in PTO assembly, which the assembler passes to the device's compiler.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/assembly/program/interpreter.h"
#include "isa/assembly/sync/explicit_form.h"
#include "isa/assembly/syntax/ast.h"

namespace ptosim::toolkit {

// A function that can be launched, or called by other C++.
struct AssembledFunction {
    const assembly::Operation* function = nullptr;
    std::string entry;  // its entry for binding: itself, or "cube+vector" with its other half
    assembly::ExplicitForm form;
    std::unique_ptr<assembly::AssemblyKernel> kernel;  // of the explicit form
    std::optional<CoreType> core;                      // its kind; empty: the kernel's cores
};

// C++ with one function for each. Names and parameters are as in the output of hw-native-sys/PTOAS; the body passes
// them to the interpreter (include/ptosim/assembly.h). Throws DiagnosticError: K07 for a parameter without a C++ type,
// K08 for an invalid C++ name.
std::string assembly_source(const assembly::Module& module,
                            std::span<const AssembledFunction> functions);

}  // namespace ptosim::toolkit
