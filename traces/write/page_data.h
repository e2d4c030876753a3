// The operands that a recording with --keep-data holds, for the page (traces/viewer/src/values.ts).
#pragma once

#include <string>

#include "traces/record/recording.h"

namespace ptosim {

class Json;

// Most bytes of values in a page, so that browsers can open it; the recording holds all.
inline constexpr uint64_t kMostPageValues = uint64_t{12} << 20;

// Fills `kept`: names of cores and memories; `tiles`: type, rows, columns, and whether the page has
// the values; `operands`: core, sequence number, operand, role, memory, address, tile (-1: not
// kept), NaNs, infinities, least, most; `decoded`: values of the encodings of small floats. Returns
// the bytes of the tiles that the page has, one after the other.
std::string page_data(const Recording& recording, Json& kept);

}  // namespace ptosim
