#include "sim/debug/rule.h"

#include <array>

namespace ptosim::debug {
namespace {

constexpr std::array<std::string_view, 13> kHappenings{"step", "issue", "start",    "complete", "set",     "take", "access",
                                                       "wait", "continue", "begin", "end",      "finding", "over"};

}  // namespace

std::string_view name(Happening what) { return kHappenings[static_cast<size_t>(what)]; }

std::optional<Happening> parse_happening(std::string_view word) {
    for (size_t i = 0; i < kHappenings.size(); ++i)
        if (kHappenings[i] == word) return static_cast<Happening>(i);
    return {};
}

Json json_of(const Place& place) {
    Json json = Json::object();
    json["text"] = place.text;
    json["global"] = place.global;
    if (!place.global) {
        json["core"] = ptosim::name(place.core);
        json["space"] = ptosim::name(place.space);
    }
    json["begin"] = place.begin;
    json["end"] = place.end;
    json["dtype"] = static_cast<unsigned>(place.dtype);
    if (place.parameter) json["parameter"] = *place.parameter;
    return json;
}

Place place_of(const Json& json) {
    Place place;
    place.text = json.value("text", "");
    place.global = json.value("global", false);
    place.begin = json.at("begin").get<uint64_t>();
    place.end = json.at("end").get<uint64_t>();
    place.dtype = static_cast<DType>(json.at("dtype").get<unsigned>());
    if (json.contains("parameter")) place.parameter = json.at("parameter").get<size_t>();
    if (place.global) return place;
    place.core = parse_core(json.at("core").text()).value_or(CoreId{});
    for (unsigned s = 0; s < kSpaceCount; ++s)
        if (ptosim::name(static_cast<Space>(s)) == json.at("space").text()) place.space = static_cast<Space>(s);
    return place;
}

Json json_of(const Rule& rule) {
    Json json = Json::object();
    json["id"] = rule.id;
    Json what = Json::array();
    for (const Happening one : rule.what) what.push_back(name(one));
    json["what"] = what;
    if (rule.core) json["core"] = ptosim::name(*rule.core);
    if (rule.pipe) json["pipe"] = static_cast<unsigned>(*rule.pipe);
    if (rule.block) json["block"] = *rule.block;
    json["file"] = rule.file;
    json["line"] = rule.line;
    json["new_line"] = rule.new_line;
    json["stack"] = rule.stack;
    json["iteration"] = rule.iteration;
    json["later"] = rule.later;
    json["after"] = rule.after;
    json["before"] = rule.before;
    json["condition"] = rule.condition;
    json["flag"] = rule.flag;
    if (rule.written) json["written"] = json_of(*rule.written);
    json["value"] = static_cast<unsigned>(rule.value);
    json["any_nan"] = rule.any_nan;
    return json;
}

Rule rule_of(const Json& json) {
    Rule rule;
    rule.id = json.at("id").get<unsigned>();
    for (const Json& word : json.at("what").elements())
        if (const auto what = parse_happening(word.text())) rule.what.push_back(*what);
    if (json.contains("core")) rule.core = parse_core(json.at("core").text());
    if (json.contains("pipe")) rule.pipe = static_cast<Pipe>(json.at("pipe").get<unsigned>());
    if (json.contains("block")) rule.block = json.at("block").get<uint32_t>();
    rule.file = json.value("file", "");
    rule.line = json.value("line", uint32_t{0});
    rule.new_line = json.value("new_line", false);
    rule.stack = json.value("stack", uint64_t{0});
    rule.iteration = json.value("iteration", uint64_t{0});
    rule.later = json.value("later", false);
    rule.after = json.value("after", Cycle{0});
    rule.before = json.value("before", Cycle{0});
    rule.condition = json.value("condition", "");
    rule.flag = json.value("flag", "");
    if (json.contains("written")) rule.written = place_of(json.at("written"));
    rule.value = static_cast<Rule::Value>(json.value("value", 0u));
    rule.any_nan = json.value("any_nan", false);
    return rule;
}

}  // namespace ptosim::debug
