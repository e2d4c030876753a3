// Spellings in a kernel's text that the assembler (hw-native-sys/PTOAS) does not
// read: its grammar is MLIR's, which is stricter than the reader here. Operations
// that it refuses for their meaning are found while it is bound (verifier.h).
#pragma once

#include <vector>

#include "isa/assembly/syntax/ast.h"
#include "isa/core/diagnostic.h"

namespace ptosim::assembly {

// K12, in the order of the text, at most kMaxSyntaxErrors of them:
//   an operation that the assembler lacks
//   an attribute whose value is a bare word: {reluPreMode = normal_relu}
//   a decimal number without a point as a floating-point constant: arith.constant 1 : f32
//   operands of ins(...) or outs(...) without types
//   valid_row or valid_col of a tile whose type states its valid region
std::vector<Diagnostic> spelling_problems(const Module& module);

}  // namespace ptosim::assembly
