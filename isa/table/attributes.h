// The words by which `.pto` text names an instruction's modes.
#pragma once

#include <span>
#include <string_view>

#include "isa/table/instruction_table.h"

namespace ptosim {

// One attribute key of the assembly, e.g. "rmode" = #pto<round_mode ROUND>.
struct AttributeInfo {
    AttributeSet set_of;  // the set that rows name
    std::string_view key;     // "rmode"
    std::string_view values;  // the accepted words, separated by spaces, for messages
    // Sets the field from a word (an enumerator, a number, "true"); false if it is not one.
    bool (*set)(Attributes& attributes, std::string_view word);
};
std::span<const AttributeInfo> attribute_table();
// The row for `key` in the set; null if there is none.
const AttributeInfo* find_attribute(AttributeSet set, std::string_view key);

}  // namespace ptosim
