// A fuzzing target (libFuzzer) for something other than `.pto` text that the program reads
// (scripts/fuzz.sh): one source for each. It looks for crashes, hangs, leaks and findings of the
// sanitizers; an error is the right answer to nearly every input.
#pragma once

#include <string>
#include <string_view>

namespace ptosim::fuzz {

// Defined by the target: reads these bytes as the program does. Throws only exceptions that the program turns into
// errors.
void read(std::string_view input);

// A file in memory with this content, for readers that take a path. The next call replaces it.
std::string file_with(std::string_view content);

}  // namespace ptosim::fuzz
