// Reads `.pto` text (PTO tile assembly, a subset of MLIR's generic syntax) into an operation tree.
//
// The reader checks only syntax: it accepts operations of every version of the dialect, including operations that this
// simulator cannot run. The binder interprets operations.
#pragma once

#include <memory>
#include <string>

#include "isa/assembly/syntax/ast.h"

namespace ptosim::assembly {

// Throws a DiagnosticError (code K01) with every problem found, at most kMaxSyntaxErrors: after an error, reading
// continues with the next operation.
inline constexpr size_t kMaxSyntaxErrors = 20;
std::unique_ptr<Module> parse(std::string file_name, std::string text);
// Calls of parse() so far, for tests.
unsigned parse_count();

}  // namespace ptosim::assembly
