#include "sim/session/diagnostic_json.h"

#include "sim/files/json.h"

namespace ptosim {
namespace {

Json packed(const Site& s) {
    Json calls = Json::array();
    for (const SiteCall& call : s.calls)
        calls.push_back({call.instruction, call.function, call.header});
    return {s.file,      s.location.file, s.location.column, s.location.line, s.source_line,
            s.core,      s.pipe,          s.instruction,     s.operand,       s.cycle,
            s.has_cycle, s.byte_begin,    s.byte_end,        std::move(calls)};
}

void unpack(const Json& json, Site& s) {
    size_t i = 0;
    const auto next = [&](auto& value) { json.at(i++).get_to(value); };
    next(s.file);
    next(s.location.file);
    next(s.location.column);
    next(s.location.line);
    next(s.source_line);
    next(s.core);
    next(s.pipe);
    next(s.instruction);
    next(s.operand);
    next(s.cycle);
    next(s.has_cycle);
    next(s.byte_begin);
    next(s.byte_end);
    for (const Json& call : json.at(i)) s.calls.push_back({call.at(0), call.at(1), call.at(2)});
}

Json packed(const Diagnostic& d) {
    Json related = Json::array(), waits = Json::array();
    for (const RelatedSite& site : d.related) related.push_back({packed(site), site.text});
    for (const WaitEdge& w : d.waits)
        waits.push_back({w.waiter, w.holder, w.what, w.file, w.line, w.in_cycle});
    return {packed(static_cast<const Site&>(d)),
            d.code,
            static_cast<int>(d.category),
            d.message,
            d.hint,
            d.count,
            std::move(related),
            d.notes,
            std::move(waits)};
}

Diagnostic unpacked(const Json& json) {
    Diagnostic d;
    unpack(json.at(0), d);
    json.at(1).get_to(d.code);
    d.category = static_cast<Category>(json.at(2).get<int>());
    json.at(3).get_to(d.message);
    json.at(4).get_to(d.hint);
    json.at(5).get_to(d.count);
    for (const Json& site : json.at(6)) {
        RelatedSite& related = d.related.emplace_back();
        unpack(site.at(0), related);
        site.at(1).get_to(related.text);
    }
    json.at(7).get_to(d.notes);
    for (const Json& w : json.at(8))
        d.waits.push_back({w.at(0), w.at(1), w.at(2), w.at(3), w.at(4), w.at(5)});
    return d;
}

}  // namespace

std::string pack(const std::vector<Diagnostic>& diagnostics, bool finished) {
    Json list = Json::array();
    for (const Diagnostic& d : diagnostics) list.push_back(packed(d));
    return dump_json(Json{{"finished", finished}, {"diagnostics", std::move(list)}});
}

std::vector<Diagnostic> unpack_diagnostics(std::string_view text, bool& finished) {
    const Json json = parse_json(text);
    json.at("finished").get_to(finished);
    std::vector<Diagnostic> diagnostics;
    for (const Json& d : json.at("diagnostics")) diagnostics.push_back(unpacked(d));
    return diagnostics;
}

}  // namespace ptosim
