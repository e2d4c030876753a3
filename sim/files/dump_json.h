// Converts JSON to text, for all output of the program.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ptosim {

// On one line, or indented. Bytes that are not UTF-8 become U+FFFD, because a file may have any name and a damaged
// recording any text, and the output must load.
template <class Json>
std::string dump_json(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ptosim
