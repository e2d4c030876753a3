// Findings about loads of a processor, at their lines in the runtime or orchestration.
#pragma once

#include <cstdint>
#include <string>

#include "isa/core/diagnostic.h"
#include "isa/core/kernel.h"

namespace ptosim::mpmd {

// The first byte of an address's cache line.
inline uint64_t cache_line_of(uint64_t address) { return address / CacheUse::kLineBytes * CacheUse::kLineBytes; }

// The begin of a message: "processor 1, in pass(), loads 4 bytes at WHERE". `sources` receives the file of `code`.
Diagnostic load_finding(const char* code_of_finding, unsigned processor, uint64_t size, const std::string& where,
                        const void* code, SourceMap& sources);

}  // namespace ptosim::mpmd
