// Writes planned addresses into the `.pto` text (--emit).
#pragma once

#include <span>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/syntax/text_edits.h"

namespace ptosim::assembly {

// Gives tiles their addresses, buffers their base, and instructions the scratch tiles that they
// leave out. Throws a DiagnosticError (K03) for an operation whose form cannot take one.
void write_addresses(const Module& module, const SourceMap& sources,
                     std::span<const BindRecord::PlannedAddress> addresses, TextEdits& edits);

}  // namespace ptosim::assembly
