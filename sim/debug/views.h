// Answers to the debugger's questions about the stopped machine, as JSON.
#pragma once

#include "sim/debug/target.h"

namespace ptosim::debug {

// Number, cycle, what, core, block, pipe, file, line, source_line and text of a moment.
Json json_of(const Target& target, const Moment& moment);

// Answers a question. Its member "about" is one of:
//   moment                      the present one
//   cores                       the cores of the launch: core, block, file, line, whether it runs
//   names (core)                the values in scope: name, kind, text
//   queues (core)               pipe by pipe: instructions in flight and in the queue
//   flags (core)                the flags and signals that are set
//   why (core, pipe)            the reason for which a pipe, or each of them, waits
//   value (core, of)            a matrix: type, rows, columns, values (rows of texts), place; differs from a golden
//   number (core, of)           the value of an expression
//   place (core, of)            the bytes of a name, for a rule
//   bytes (place)               in hexadecimal digits
//   save (core, of, file)       writes the elements to a .npy file
// Throws DiagnosticError, ExpressionError, Json::Error.
Json answer(const Target& target, const Json& question);

}  // namespace ptosim::debug
