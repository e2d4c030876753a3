#include "traces/write/advice_json.h"

#include "sim/files/json.h"

namespace ptosim {

double share_in_percent(Cycle part, Cycle whole) {
    return whole == 0 ? 0 : static_cast<double>((1000 * part + whole / 2) / whole) / 10;
}

std::string shortened(std::string_view text, size_t most) {
    if (text.size() <= most) return std::string(text);
    size_t end = most - std::min<size_t>(most, 3);
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "...";
}

void put_advice(JsonText& json, std::span<const Advice> advice, Cycle duration,
                AdviceLimits limits) {
    json.array();
    for (const Advice& a : advice.first(std::min(limits.count, advice.size()))) {
        json.object().member("kind", name(a.kind));
        json.member("what", shortened(a.what, limits.text));
        if (!a.location.empty()) {
            json.member("file", a.location.substr(0, a.location.rfind(':')))
                .member("line", a.at.line);
            json.member("source", shortened(a.text, limits.text));
            if (!a.origin.empty()) json.member("origin", shortened(a.origin, limits.text));
        }
        if (a.kind != AdviceKind::kCause)
            json.member("saves_cycles", a.saving)
                .member("saves_percent", share_in_percent(a.saving, duration))
                .member("estimate", estimate(a));
        if (!a.why.empty()) json.member("why", shortened(a.why, limits.text));
        json.end();
    }
    json.end();
}

Json advice_json(std::span<const Advice> advice, Cycle duration) {
    JsonText json;
    put_advice(json, advice, duration);
    return parse_json(json.view());
}

}  // namespace ptosim
