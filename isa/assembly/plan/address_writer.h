// The places that the binder has chosen as pieces of `.pto` text.
#pragma once

#include <span>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/syntax/text_edits.h"

namespace ptosim::assembly {

// Gives tiles their addresses, buffers their base, and instructions the scratch tiles that they
// leave out. Throws a DiagnosticError (K03) for an operation whose form has no room for it.
void write_places(const Module& module, const SourceMap& sources,
                  std::span<const BindRecord::Place> places, TextEdits& edits);

}  // namespace ptosim::assembly
