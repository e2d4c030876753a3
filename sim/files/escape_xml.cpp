#include "sim/files/escape_xml.h"

#include "sim/files/json.h"

namespace ptosim {
namespace {

std::string_view name_of(char c) {
    switch (c) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        case '\n':  // an attribute would turn it into a blank
            return "&#10;";
        default:
            return {};
    }
}

}  // namespace

std::string escape_xml(std::string_view text) {
    const Json valid = parse_json(dump_json(Json(text)));
    std::string escaped;
    for (const char c : valid.text()) {
        const std::string_view name = name_of(c);
        if (!name.empty())
            escaped += name;
        else if (static_cast<unsigned char>(c) >= ' ' || c == '\t')
            escaped += c;
    }
    return escaped;
}

}  // namespace ptosim
