// Text within XML, HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace ptosim {

// Between tags, or between quotation marks of an attribute. Bytes that are no UTF-8 become U+FFFD;
// control characters, which no XML can hold, are left out.
std::string escape_xml(std::string_view text);

}  // namespace ptosim
