#include "sim/compile/shared_headers.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace ptosim {
namespace {

// Less than this is compiled faster than a file of compiled headers is read.
constexpr size_t kLeastBytes = 500'000;

// `# 12 "file" 1 3`
struct Marker {
    unsigned line = 0;
    std::string_view file;
    bool enters = false, returns = false, system = false;
};

std::optional<Marker> marker_in(std::string_view line) {
    if (!line.starts_with("# ")) return {};
    Marker marker;
    const char* const end = line.data() + line.size();
    const auto [after, error] = std::from_chars(line.data() + 2, end, marker.line);
    if (error != std::errc{} || end - after < 3 || after[0] != ' ' || after[1] != '"') return {};
    const size_t begin = static_cast<size_t>(after - line.data()) + 2, close = line.rfind('"');
    if (close < begin) return {};
    marker.file = line.substr(begin, close - begin);
    for (const char flag : line.substr(close + 1)) {
        marker.enters = marker.enters || flag == '1';
        marker.returns = marker.returns || flag == '2';
        marker.system = marker.system || flag == '3';
    }
    return marker;
}

}  // namespace

std::optional<SharedHeaders> shared_headers(std::string_view text, const std::function<bool(const std::string&)>& is_library) {
    SharedHeaders parts;
    parts.headers.reserve(text.size());
    std::vector<bool> within;  // files around the current line; true: <built-in>, <command line>
    size_t copied = 0;
    std::string_view source, place;  // the source's name as written; the last marker of a line of it
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
        end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        const std::optional<Marker> marker = marker_in(line);
        if (source.empty()) {
            if (!marker) return {};
            source = marker->file;
        }
        if (marker && marker->enters) {
            const bool special = marker->file.starts_with('<');
            const bool included_by_source = std::find(within.begin(), within.end(), false) == within.end();
            if (!special && included_by_source && !marker->system && !is_library(std::string(marker->file))) break;
            within.push_back(special);
        } else if (marker && marker->returns && !within.empty()) {
            within.pop_back();
        }
        if (!within.empty()) continue;
        if (!marker && line.find_first_not_of(" \t\r") != line.npos) break;
        if (marker) {
            // Without the source's name and the number of its line.
            parts.headers += text.substr(copied, at - copied);
            if (place.empty() || marker->returns) parts.headers += place.empty() ? "# 1 \"source\"\n" : "# 1 \"source\" 2\n";
            place = line;
        }
        copied = std::min(end + 1, text.size());
    }
    if (parts.headers.size() < kLeastBytes) return {};
    // Its flags would return from a file.
    parts.rest = std::string(place.substr(0, place.rfind('"') + 1)) + "\n";
    parts.rest += text.substr(std::min(static_cast<size_t>(place.data() - text.data()) + place.size() + 1, text.size()));
    return parts;
}

}  // namespace ptosim
