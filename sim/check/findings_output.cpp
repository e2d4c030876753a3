#include "sim/check/findings_output.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "sim/runtime/files.h"

namespace ptosim::check {
namespace {

using Json = nlohmann::ordered_json;

// What a rule of a checker is about; codes without a line here are described by their category.
std::string_view rule_text(const Diagnostic& finding) {
    static const std::map<std::string_view, std::string_view> kRules{
        {"E01", "Read after write on two pipes without order"},
        {"E02", "Write after read on two pipes without order"},
        {"E03", "Write after write on two pipes without order"},
        {"E04", "Dependent instructions of one pipe without a barrier"},
        {"E05", "Deadlock"},
        {"E07", "A flag set again before it has been waited for"},
        {"E10", "A flag left set at the end"},
        {"G04", "Accesses to global memory from two cores or blocks without order"},
        {"D01", "Read of bytes that were never written"},
        {"D02", "Read outside the valid region"},
        {"A06", "Tiles that overlap while both are in use"},
        {"E12", "A store in flight when its block ends"},
        {"E13", "One id for two flags of one pipe"},
        {"E14", "A buffer id acquired while it is held"},
        {"E15", "A buffer id released by who does not hold it"},
        {"E16", "A buffer id still held at the end"},
        {"F04", "The ends of a FIFO disagree"},
        {"E11", "A flag pending across an instruction that uses the same flag inside"},
        {"C02", "A cross-core counter overflows"},
        {"C06", "A cross-core signal that nobody waits for"},
        {"C07", "A cross-core signal that its group does not match"},
    };
    const auto it = kRules.find(finding.code);
    return it != kRules.end() ? it->second : name(finding.category);
}

// "A flag left set" as viewers want the name of a rule: AFlagLeftSet.
std::string in_one_word(std::string_view text) {
    std::string word;
    bool begins = true;
    for (const char c : text) {
        const bool small = c >= 'a' && c <= 'z';
        if (c != ' ' && c != '-') word += begins && small ? static_cast<char>(c - 'a' + 'A') : c;
        begins = c == ' ' || c == '-';
    }
    return word;
}

// The path relative to the current folder, if it lies in it: code scanning shows no others.
std::string below_here(const std::string& path) {
    std::error_code error;
    const std::filesystem::path here = std::filesystem::current_path(error);
    const auto relative = std::filesystem::path(path).lexically_normal().lexically_proximate(here);
    const std::string text = relative.generic_string();
    return error || !path.starts_with('/') || text.starts_with("..")
               ? std::filesystem::path(path).lexically_normal().generic_string()
               : text;
}

// A path as the URI that SARIF wants.
std::string uri(const std::string& file) {
    static constexpr std::string_view kPlain = "-._~/";
    static constexpr char kHex[] = "0123456789ABCDEF";
    const std::string path = below_here(file);
    std::string text = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter || kPlain.find(c) != std::string_view::npos)
            text += c;
        else
            text += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
    return text;
}

std::string xml(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\n':
                escaped += "&#10;";
                break;
            default:
                if (static_cast<unsigned char>(c) >= 32 || c == '\t') escaped += c;
        }
    }
    return escaped;
}

std::string full_message(const Diagnostic& d) {
    std::string text = d.message;
    for (const std::string& note : d.notes) text += "\n" + note;
    if (!d.hint.empty()) text += "\n" + d.hint;
    return text;
}

// What a finding keeps when lines are added above it: FNV-1a of its code, file, operand and line.
std::string fingerprint(const Diagnostic& d) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (const std::string& part : {d.code, uri(d.file), d.instruction, d.operand, d.source_line})
        for (const char c : part + '\n')
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += kHex[hash >> shift & 15];
    return text;
}

// What may be meant, or is an open question.
std::string_view level(const Diagnostic& d) {
    static const std::set<std::string_view> kWarnings{"E11", "E12", "E13", "H25"};
    return kWarnings.contains(d.code) ? "warning" : "error";
}

Json sarif_rule(const Diagnostic& d) {
    const std::string text{rule_text(d)};
    std::string help = text + ".";
    if (!d.hint.empty()) help += " For example: " + d.hint + ".";
    help += " The catalogue of codes is isa/DIAGNOSTICS.md of ptosim.";
    return {{"id", d.code},
            {"name", in_one_word(text)},
            {"shortDescription", {{"text", text}}},
            {"fullDescription", {{"text", text}}},
            {"help", {{"text", help}}},
            {"defaultConfiguration", {{"level", level(d)}}},
            {"properties", {{"category", name(d.category)}, {"tags", {name(d.category)}}}}};
}

Json sarif_result(const Diagnostic& d, size_t rule) {
    Json result{{"ruleId", d.code}, {"ruleIndex", rule}, {"level", level(d)}};
    result["message"] = {{"text", full_message(d)}};
    if (!d.file.empty()) {
        Json location{{"artifactLocation", {{"uri", uri(d.file)}}}};
        if (d.location.line > 0) {
            location["region"]["startLine"] = d.location.line;
            if (d.location.column > 0) location["region"]["startColumn"] = d.location.column;
        }
        result["locations"] = Json::array({{{"physicalLocation", location}}});
    }
    if (!d.file.empty()) result["partialFingerprints"] = {{"ptosimFinding/v1", fingerprint(d)}};
    result["occurrenceCount"] = std::max<uint64_t>(1, d.count);
    Json properties{{"category", name(d.category)}};
    const auto add = [&properties](const char* key, const std::string& value) {
        if (!value.empty()) properties[key] = value;
    };
    add("core", d.core);
    add("pipe", d.pipe);
    add("instruction", d.instruction);
    add("operand", d.operand);
    if (d.has_cycle) properties["cycle"] = d.cycle;
    result["properties"] = properties;
    return result;
}

}  // namespace

Json as_json(const Diagnostic& d) {
    Json json{{"code", d.code}, {"category", name(d.category)}, {"message", d.message}};
    if (!d.file.empty())
        json["location"] = {
            {"file", d.file}, {"line", d.location.line}, {"column", d.location.column}};
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty()) json[key] = value;
    };
    add("core", d.core);
    add("pipe", d.pipe);
    add("instruction", d.instruction);
    add("operand", d.operand);
    if (d.has_cycle) json["cycle"] = d.cycle;
    if (d.byte_end != 0) json["bytes"] = {d.byte_begin, d.byte_end};
    json["count"] = d.count;
    if (!d.notes.empty()) json["notes"] = d.notes;
    add("hint", d.hint);
    return json;
}

std::string as_sarif(const std::vector<Diagnostic>& findings, const std::string& kernel) {
    Json rules = Json::array(), results = Json::array();
    std::map<std::string, size_t> index;
    for (const Diagnostic& d : findings) {
        const auto [place, fresh] = index.try_emplace(d.code, rules.size());
        if (fresh) rules.push_back(sarif_rule(d));
        results.push_back(sarif_result(d, place->second));
    }
    Json driver{{"name", "ptosim"}, {"version", PTOSIM_VERSION}, {"rules", rules}};
    Json run{
        {"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", results}};
    // Code scanning keeps the results of a category apart from those of others, and takes each
    // category once in an upload: it is all up to the last slash.
    if (!kernel.empty()) run["automationDetails"] = {{"id", "ptosim/" + uri(kernel) + "/"}};
    Json document{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                  {"version", "2.1.0"}};
    document["runs"] = Json::array({run});
    return document.dump(2) + "\n";
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
        text += "    <testcase classname=\"ptosim." + xml(name(d.category)) + "\" name=\"" +
                xml(d.code + where) + "\">\n      <failure type=\"" + xml(d.code) +
                "\" message=\"" + xml(d.message) + "\">" + xml(to_text(d)) +
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
                    const std::string& file, std::ostream& documents, const std::string& kernel) {
    std::string text;
    if (format == "sarif") {
        text = as_sarif(findings, kernel);
    } else if (format == "junit") {
        text = as_junit(findings);
    } else if (format == "json") {
        Json list = Json::array();
        for (const Diagnostic& d : findings) list.push_back(as_json(d));
        text = list.dump(2) + "\n";
    } else {
        text = as_text(findings, "--format json");
    }
    if (!file.empty())
        write_file(file, text);
    else
        (format == "text" ? std::cerr : documents) << text;
}

std::string count_text(const std::vector<Diagnostic>& findings, size_t suppressed) {
    std::map<std::string_view, size_t> categories;
    uint64_t met = 0;
    for (const Diagnostic& d : findings) {
        ++categories[name(d.category)];
        met += d.count;
    }
    std::string text = findings.empty() ? "no findings" : std::to_string(findings.size());
    if (!findings.empty()) text += findings.size() == 1 ? " finding" : " findings";
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
