#include "sim/check/line_hashes.h"

#include <unordered_map>

namespace ptosim::check {
namespace {

constexpr size_t kWindow = 100;
constexpr uint64_t kBase = 37;
constexpr uint16_t kEnd = 0xFFFF;

// The hashed characters: without blanks, every line end as '\n', kEnd after the last; and the begins of lines in them.
struct Characters {
    std::vector<uint16_t> units;
    std::vector<size_t> lines;
};

Characters characters(std::string_view text) {
    Characters result;
    bool begins = true, after_return = false;
    const auto add = [&](uint16_t unit) {
        if (begins) result.lines.push_back(result.units.size());
        begins = unit == '\n';
        result.units.push_back(unit);
    };
    for (const uint16_t unit : utf16(text)) {
        const bool skipped = unit == ' ' || unit == '\t' || (after_return && unit == '\n');
        after_return = !skipped && unit == '\r';
        if (!skipped) add(unit == '\r' ? uint16_t{'\n'} : unit);
    }
    add(kEnd);
    return result;
}

}  // namespace

std::vector<uint16_t> utf16(std::string_view text) {
    std::vector<uint16_t> units;
    units.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        size_t length = lead < 0xC2 || lead > 0xF4 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        uint32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
        for (size_t i = 1; i < length; ++i) {
            const bool more =
                at + i < text.size() && (static_cast<unsigned char>(text[at + i]) & 0xC0) == 0x80;
            if (!more) {
                length = 1;
                code = lead;
                break;
            }
            code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
        }
        at += length;
        if (code >= 0x10000) {
            units.push_back(static_cast<uint16_t>(0xD800 + ((code - 0x10000) >> 10)));
            code = 0xDC00 + ((code - 0x10000) & 0x3FF);
        }
        units.push_back(static_cast<uint16_t>(code));
    }
    return units;
}

std::vector<std::string> line_hashes(std::string_view text) {
    const Characters all = characters(text);
    const auto unit = [&all](size_t at) -> uint64_t {
        return at < all.units.size() ? all.units[at] : 0;
    };
    uint64_t leaving = 1;  // the weight of the unit that leaves the window
    for (size_t i = 0; i < kWindow; ++i) leaving *= kBase;
    uint64_t hash = 0;
    for (size_t i = 0; i < kWindow; ++i) hash = hash * kBase + unit(i);
    std::vector<std::string> hashes;
    std::unordered_map<uint64_t, unsigned> alike;
    size_t begin = 0;
    for (const size_t line : all.lines) {
        for (; begin < line; ++begin)
            hash = hash * kBase + unit(begin + kWindow) - leaving * unit(begin);
        static constexpr char kHex[] = "0123456789abcdef";
        std::string digits;
        for (uint64_t rest = hash; rest != 0 || digits.empty(); rest >>= 4)
            digits.insert(digits.begin(), kHex[rest & 15]);
        hashes.push_back(digits + ":" + std::to_string(++alike[hash]));
    }
    return hashes;
}

}  // namespace ptosim::check
