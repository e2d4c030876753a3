// The headers at the beginning of a preprocessed source, compiled once for all sources that begin with the same ones.
// Reading them takes most of the time of a kernel in Ascend C.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ptosim {

struct SharedHeaders {
    std::string headers;  // equal for all sources that begin with these headers: names no source
    std::string rest;     // of the source
};

// Cuts a preprocessed text before its first own line, or before the first header for which `is_library` is false, unless
// the headers are short. `is_library` is asked for files that are not marked as system headers.
std::optional<SharedHeaders> shared_headers(std::string_view text, const std::function<bool(const std::string&)>& is_library);

}  // namespace ptosim
