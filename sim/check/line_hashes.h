// Hashes by which code scanning recognises a line after lines were added above it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptosim::check {

// For each line of a text, the fingerprint that github/codeql-action calls primaryLocationLineHash
// (src/fingerprints.ts): a polynomial of the 100 UTF-16 units from the start of the line on without blanks, in powers
// of 37 modulo 2^64, in hexadecimal; then the line's number among lines that begin alike, from 1: "1e3f:1".
std::vector<std::string> line_hashes(std::string_view text);

// UTF-16 units of UTF-8 bytes; an invalid byte counts as one unit.
std::vector<uint16_t> utf16(std::string_view text);

}  // namespace ptosim::check
