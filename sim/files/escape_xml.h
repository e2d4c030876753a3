// Escapes text for XML, HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace ptosim {

// For text between tags, or between the quotation marks of an attribute. Bytes that are not UTF-8 become U+FFFD;
// control characters, which XML cannot contain, are removed.
std::string escape_xml(std::string_view text);

}  // namespace ptosim
