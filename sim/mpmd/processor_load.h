// A finding about a load of a processor, at its line of the runtime or orchestration.
#pragma once

#include <cstdint>
#include <string>

#include "isa/core/diagnostic.h"
#include "isa/core/kernel.h"

namespace ptosim::mpmd {

// "processor 1, in pass(), loads 4 bytes at WHERE"; the message goes on. `sources` gets the file of `code`.
Diagnostic load_finding(const char* code_of_finding, unsigned processor, uint64_t size, const std::string& where,
                        const void* code, SourceMap& sources);

}  // namespace ptosim::mpmd
