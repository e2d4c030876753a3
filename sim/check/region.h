// The bytes that an access touches, as equally spaced lines; more exact than a covering range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/table/access.h"

namespace ptosim::check {

// `lines` runs of `width` bytes, `pitch` apart. A contiguous range is one line.
struct Region {
    uint64_t begin = 0;
    uint64_t width = 0;
    uint64_t pitch = 0;
    uint64_t lines = 1;

    uint64_t end() const { return begin + (lines - 1) * pitch + width; }
    friend bool operator==(const Region&, const Region&) = default;
};

bool overlap(const Region& a, const Region& b);
// True only if every byte of `inner` is in `outer`; may be false although it is.
bool covers(const Region& outer, const Region& inner);
// A range that contains the first and the last common byte, but not only common bytes.
struct Range {
    uint64_t begin = 0, end = 0;
};
Range common(const Region& a, const Region& b);
// "[begin, end)"
std::string range_text(uint64_t begin, uint64_t end);

// The bytes of an operand that the instruction touches. More than kMostRegions pieces become the covering range.
inline constexpr size_t kMostRegions = 64;
void regions_of(const Access& access, const Instruction& instruction, std::vector<Region>& out);
Region range_of(const Access& access);

}  // namespace ptosim::check
