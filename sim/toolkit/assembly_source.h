// C++ for kernels in PTO assembly: what the assembler hands on to the device's compiler.
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
    std::string entry;  // what is bound to run it: itself, or "cube+vector" with its other half
    assembly::ExplicitForm form;
    std::unique_ptr<assembly::AssemblyKernel> kernel;  // of the explicit form
    std::optional<CoreType> core;                      // its kind; none: the kernel's cores
};

// C++ with a function for each: name and parameters are as hw-native-sys/PTOAS writes them, the
// body hands them on to the interpreter (include/ptosim/assembly.h). Throws DiagnosticError: K07
// for a parameter that C++ has no type for, K08 for a name that it cannot have.
std::string assembly_source(const assembly::Module& module,
                            std::span<const AssembledFunction> functions);

}  // namespace ptosim::toolkit
