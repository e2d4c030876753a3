// The operands that a recording with --keep-data holds, for the page (traces/viewer/src/values.ts).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/record/recording.h"

namespace ptosim {

// A page stays openable: it holds values of so many bytes, the recording all of them.
inline constexpr uint64_t kMostPageValues = uint64_t{12} << 20;

// Fills `kept`: names of cores and memories; `tiles`: type, rows, columns, and whether the page has
// the values; `operands`: core, sequence number, operand, role, memory, address, tile (-1: not
// kept), NaNs, infinities, least, most; `decoded`: what the encodings of small floats mean. Returns
// the bytes of the tiles that the page has, one after the other.
std::string page_data(const Recording& recording, nlohmann::ordered_json& kept);

}  // namespace ptosim
