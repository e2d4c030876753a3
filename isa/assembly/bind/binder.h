// From the operation tree of a `.pto` file to a kernel that cores can run.
#pragma once

#include <memory>

#include "isa/assembly/context/bind_options.h"
#include "isa/assembly/program/interpreter.h"
#include "isa/assembly/syntax/ast.h"

namespace ptosim::assembly {

// Throws a DiagnosticError with all problems found, at most kMaxSyntaxErrors:
// K02 unknown operation, K03 an operation that is not supported, K04 an operation below the tile
// level, K05 a value that is not defined or defined twice, K06 number of operands, K07 types that
// do not fit, K08 functions and symbols, K09 attributes and clauses, K10 tiles that do not fit into
// their memory, K11 malformed control flow.
std::unique_ptr<AssemblyKernel> bind(const Module& module, const BindOptions& options,
                                     BindRecord* record = nullptr);
// Calls of bind() so far, for tests.
unsigned bind_count();

}  // namespace ptosim::assembly
