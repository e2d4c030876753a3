// Advice as JSON (docs/formats.md).
#pragma once

#include <span>

#include "traces/analyse/advice.h"
#include "traces/write/json_text.h"

namespace ptosim {

class Json;

// Limits for documents that may not grow.
struct AdviceLimits {
    size_t count = SIZE_MAX;
    size_t text = SIZE_MAX;  // bytes of one text
};
// An array of objects, as the value that comes next.
void put_advice(JsonText& json, std::span<const Advice> advice, Cycle duration,
                AdviceLimits limits = {});
Json advice_json(std::span<const Advice> advice, Cycle duration);

// With one digit, rounded; 0 of nothing.
double share_in_percent(Cycle part, Cycle whole);
// At most `most` bytes of a text, whole characters, with "..." if something is cut off.
std::string shortened(std::string_view text, size_t most);

}  // namespace ptosim
