#include "sim/check/findings_output.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "sim/files/escape_xml.h"
#include "sim/files/files.h"
#include "sim/files/json.h"

namespace ptosim::check {
namespace {

Json mend_json(const Explanation& why) {
    constexpr const char* kPlaces[] = {"before", "after", "instead"};
    Json lines = Json::array();
    for (const MendLine& line : why.mend)
        lines.push_back({{"file", line.file},
                         {"line", line.line},
                         {"place", kPlaces[static_cast<size_t>(line.place)]},
                         {"text", line.text}});
    return {{"checked", why.mended}, {"lines", std::move(lines)}};
}

}  // namespace

void add_site(Json& json, const Site& site) {
    const auto add = [&json](const char* key, const std::string& value) {
        if (!value.empty()) json[key] = value;
    };
    add("core", site.core);
    add("pipe", site.pipe);
    add("instruction", site.instruction);
    add("operand", site.operand);
    if (site.has_cycle) json["cycle"] = site.cycle;
    if (site.byte_end != 0) json["bytes"] = {site.byte_begin, site.byte_end};
}

Json as_json(const Diagnostic& d, std::span<const Explanation> explanations) {
    const auto add_location = [](Json& json, const Site& site) {
        if (!site.file.empty())
            json["location"] = {{"file", site.file},
                                {"line", site.location.line},
                                {"column", site.location.column}};
    };
    Json json{{"code", d.code}, {"category", name(d.category)}, {"message", d.message}};
    add_location(json, d);
    add_site(json, d);
    json["count"] = d.count;
    for (const RelatedSite& site : d.related) {
        Json related{{"text", site.text}};
        add_location(related, site);
        add_site(related, site);
        json["related"].push_back(std::move(related));
    }
    if (!d.notes.empty()) json["notes"] = d.notes;
    if (!d.hint.empty()) json["hint"] = d.hint;
    if (const Explanation* const why = find(explanations, d); why != nullptr) {
        json["mend"] = mend_json(*why);
        for (const Explanation::Consequence& one : why->explains)
            json["explains"].push_back({{"code", one.code},
                                        {"message", one.message},
                                        {"location", {{"file", one.file}, {"line", one.line}}},
                                        {"count", one.count}});
    }
    return json;
}

std::string as_junit(const std::vector<Diagnostic>& findings) {
    const std::string failures = std::to_string(findings.size());
    const std::string tests = std::to_string(std::max<size_t>(1, findings.size()));
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    text += "  <testsuite name=\"ptosim\" tests=\"" + tests + "\" failures=\"" + failures +
            "\" errors=\"0\">\n";
    if (findings.empty()) text += "    <testcase classname=\"ptosim\" name=\"no findings\"/>\n";
    for (const Diagnostic& d : findings) {
        const std::string where =
            d.file.empty() ? "" : " " + d.file + ":" + std::to_string(d.location.line);
        text += "    <testcase classname=\"ptosim." + escape_xml(name(d.category)) + "\" name=\"" +
                escape_xml(d.code + where) + "\">\n      <failure type=\"" + escape_xml(d.code) +
                "\" message=\"" + escape_xml(d.message) + "\">" + escape_xml(to_text(d)) +
                "</failure>\n    </testcase>\n";
    }
    return text + "  </testsuite>\n</testsuites>\n";
}

std::string format_of(const std::string& file) {
    if (file.ends_with(".sarif")) return "sarif";
    if (file.ends_with(".json")) return "json";
    return file.ends_with(".xml") ? "junit" : "text";
}

std::string as_text(const std::vector<Diagnostic>& findings, std::string_view all) {
    std::string text;
    for (size_t i = 0; i < findings.size() && i < kMostTexts; ++i) text += to_text(findings[i]);
    if (findings.size() > kMostTexts)
        text += "and " + std::to_string(findings.size() - kMostTexts) +
                " more findings (all of them: " + std::string(all) + ")\n";
    return text;
}

void write_findings(const std::vector<Diagnostic>& findings, const std::string& format,
                    const std::string& file, std::ostream& documents, const std::string& kernel,
                    const Json* properties, std::span<const Explanation> explanations) {
    std::string text;
    if (format == "sarif") {
        text = as_sarif(findings, kernel, properties, explanations);
    } else if (format == "junit") {
        text = as_junit(findings);
    } else if (format == "json") {
        Json list = Json::array();
        for (const Diagnostic& d : findings) list.push_back(as_json(d, explanations));
        text = dump_json(list, 2) + "\n";
    } else {
        text = as_text(findings, "--format json");
    }
    if (!file.empty())
        write_file(file, text);
    else
        (format == "text" ? std::cerr : documents) << text;
}

std::string count_text(const std::vector<Diagnostic>& findings, size_t suppressed,
                       std::span<const Explanation> explanations) {
    std::map<std::string_view, size_t> categories;
    uint64_t met = 0;
    for (const Diagnostic& d : findings) {
        ++categories[name(d.category)];
        met += d.count;
    }
    std::string text = findings.empty() ? "no findings" : std::to_string(findings.size());
    if (!findings.empty()) text += findings.size() == 1 ? " finding" : " findings";
    size_t explained = 0;
    for (const Explanation& one : explanations) explained += one.explains.size();
    if (explained > 0)
        text += std::string(" that explain") + (findings.size() == 1 ? "s " : " ") +
                std::to_string(explained) + " more";
    if (met > findings.size()) text += ", met " + std::to_string(met) + " times";
    const char* separator = ": ";
    for (const auto& [category, count] : categories) {
        text += separator + std::to_string(count) + " " + std::string(category);
        separator = ", ";
    }
    if (suppressed > 0) text += " (" + std::to_string(suppressed) + " suppressed)";
    return text;
}

}  // namespace ptosim::check
