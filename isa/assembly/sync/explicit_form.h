// A `.pto` file that leaves work to the assembler, rewritten so that nothing
// is left: with the addresses of its tiles and buffers, and with flags.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/assembly/bind/binder.h"

namespace ptosim::assembly {

struct ExplicitForm {
    std::string text;
    // For each of its lines, the line of the module that it comes from; for an added flag, the line
    // of the instruction that waits for it or after which it is set.
    std::vector<uint32_t> lines;
    // set_flag, wait_flag and barriers that were added.
    size_t sets = 0, waits = 0, barriers = 0;
    // The kernel orders its pipes itself: no flags were added.
    bool had_flags = false;
    std::vector<Diagnostic> notes;    // loops that the inserted flags serialise
    std::vector<Diagnostic> refused;  // BindRecord::refused, if the options verify
};

// Changes the functions that the chosen entry runs; the rest of the text stays as it is. The kernel
// binds, or this throws what bind() throws.
ExplicitForm make_explicit(const Module& module, const BindOptions& options, bool add_flags);

// The kernel of an explicit form. Its messages refer to the lines of `module`.
std::unique_ptr<AssemblyKernel> bind_explicit(const Module& module, const BindOptions& options,
                                              const ExplicitForm& form);

}  // namespace ptosim::assembly
