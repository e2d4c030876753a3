#include <algorithm>
#include <filesystem>
#include <map>

#include "isa/core/diagnostic_catalogue.h"
#include "isa/core/input_file.h"
#include "sim/check/findings_output.h"
#include "sim/check/line_hashes.h"
#include "sim/files/json.h"
#include "sim/files/version.h"

namespace ptosim::check {
namespace {

// Codes without a title use the title of their category.
std::string_view title(const Diagnostic& finding) {
    const std::string_view title = catalogue_title(finding.code);
    return title.empty() ? name(finding.category) : title;
}

// "A flag left set" in the form that viewers expect for the name of a rule: FlagLeftSet.
std::string in_one_word(std::string_view text) {
    std::string word;
    while (!text.empty()) {
        const size_t end = std::min(text.find_first_of(" -"), text.size());
        if (end > 1)
            for (size_t i = 0; i < end; ++i)
                word +=
                    static_cast<char>(i == 0 ? std::toupper(static_cast<unsigned char>(text[i]))
                                             : std::tolower(static_cast<unsigned char>(text[i])));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return word;
}

// The path relative to the current folder if it lies in it, since code scanning shows no others,
// and none through a symbolic link.
std::string below_here(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path here = fs::weakly_canonical(fs::current_path(error), error);
    const fs::path file = fs::weakly_canonical(path, error);
    if (error) return path;
    const std::string text = file.lexically_proximate(here).generic_string();
    return text.starts_with("..") ? file.generic_string() : text;
}

// A path as a URI for SARIF.
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

// Identity of a finding that does not change when lines are added above it: FNV-1a of its code,
// file, operand and line.
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

// Hashes of the lines of files, each of which is read once; empty if a file cannot be read.
class SourceLines {
 public:
    std::string hash(const Diagnostic& d) {
        const auto [entry, fresh] = files_.try_emplace(d.file);
        if (fresh) {
            try {
                const std::string text = read_file(d.file);
                if (!text.empty()) entry->second = line_hashes(text);
            } catch (const DiagnosticError&) {  // no text, no hashes
            }
        }
        const size_t line = d.location.line;
        return line - 1 < entry->second.size() ? entry->second[line - 1] : "";
    }

 private:
    std::map<std::string, std::vector<std::string>> files_;
};

// True for behaviour that may be intended, or is an open question.
bool may_be_meant(std::string_view code) {
    return code == "E11" || code == "E12" || code == "E13" || code == "H25";
}

// Identical for every finding of a code, and in every run.
Json rule_of(const Diagnostic& d) {
    const std::string text{title(d)};
    const std::string meant{meaning(d.code)};
    const std::string what = meant.empty() ? text : meant;
    const std::string_view level = may_be_meant(d.code) ? "warning" : "error";
    return {
        {"id", d.code},
        {"name", in_one_word(text)},
        {"shortDescription", {{"text", text}}},
        {"fullDescription", {{"text", what}}},
        {"help",
         {{"text", d.code + ": " + what + ". The message of each finding describes the remedy." +
                       " The catalogue of codes is isa/core/diagnostics.tsv of ptosim."}}},
        {"defaultConfiguration", {{"level", level}}},
        {"properties",
         {{"category", name(d.category)},
          {"tags", {name(d.category)}},
          {"precision", may_be_meant(d.code) ? "medium" : "very-high"},
          {"problem.severity", level}}}};
}

// From the column to the end of its line; columns count UTF-16 units from 1.
Json region(const Site& site) {
    const uint32_t line = std::max<uint32_t>(1, site.location.line);
    const std::string_view text = site.source_line;
    const size_t before =
        std::min<size_t>(std::max<size_t>(1, site.location.column) - 1, text.size());
    const size_t begin = text.empty() ? std::max<size_t>(1, site.location.column)
                                      : utf16(text.substr(0, before)).size() + 1;
    const size_t end = std::max(begin, utf16(text).size() + 1);
    return {{"startLine", line}, {"startColumn", begin}, {"endLine", line}, {"endColumn", end}};
}

Json location(const Site& site) {
    return {{"physicalLocation",
             {{"artifactLocation", {{"uri", uri(site.file)}}}, {"region", region(site)}}}};
}

// The related sites of a finding, each with a line of its message that links to it.
void add_related(const Diagnostic& d, Json& result, std::string& message) {
    std::vector<RelatedSite> sites = d.related;
    for (const WaitEdge& wait : d.waits) {
        RelatedSite site;
        site.file = wait.file;
        site.location.line = wait.line;
        site.text = wait.waiter + " " + wait.what;
        if (!wait.file.empty() && wait.line != 0) sites.push_back(std::move(site));
    }
    constexpr size_t kMost = 50;
    for (const RelatedSite& site : sites) {
        if (site.file.empty() || result["relatedLocations"].size() == kMost) continue;
        Json related = location(site);
        related["id"] = result["relatedLocations"].size() + 1;
        related["message"]["text"] = site.text;
        Json properties = Json::object();
        add_site(properties, site);
        if (!properties.empty()) related["properties"] = properties;
        message += "\n" + site.text + " ([line " + std::to_string(site.location.line) + "](" +
                   std::to_string(related["id"].get<size_t>()) + "))";
        result["relatedLocations"].push_back(std::move(related));
    }
    if (result["relatedLocations"].empty()) result.erase("relatedLocations");
}

// The mend as changes of whole lines.
Json fix_of(const Explanation& why, const std::string& what) {
    std::map<std::string, Json> changes;
    for (const MendLine& line : why.mend) {
        const bool instead = line.place == MendLine::Place::kInstead;
        const uint32_t at = line.line + (line.place == MendLine::Place::kAfter ? 1 : 0);
        changes[line.file].push_back(
            {{"deletedRegion",
              {{"startLine", at},
               {"startColumn", 1},
               {"endLine", at + (instead ? 1 : 0)},
               {"endColumn", 1}}},
             {"insertedContent", {{"text", line.text.empty() ? "" : line.text + "\n"}}}});
    }
    Json files = Json::array();
    for (auto& [file, replacements] : changes)
        files.push_back({{"artifactLocation", {{"uri", uri(file)}}},
                         {"replacements", std::move(replacements)}});
    return {{"description", {{"text", what}}}, {"artifactChanges", std::move(files)}};
}

Json result_of(const Diagnostic& d, size_t rule, const std::string& kernel, SourceLines& lines,
               const Explanation* why) {
    Diagnostic shown = d;
    if (shown.file.empty()) shown.file = kernel;
    Json result{{"ruleId", d.code},
                {"ruleIndex", rule},
                {"level", may_be_meant(d.code) ? "warning" : "error"}};
    std::string message = d.message;
    result["message"] = nullptr;  // reserves its place in the document
    if (!shown.file.empty()) {
        result["locations"] = Json::array({location(shown)});
        result["partialFingerprints"] = {{"ptosimFinding/v1", fingerprint(d)}};
        const std::string hash = d.location.line == 0 ? "" : lines.hash(d);
        if (!hash.empty()) result["partialFingerprints"]["primaryLocationLineHash"] = hash;
    }
    add_related(d, result, message);
    for (const std::string& note : d.notes) message += "\n" + note;
    if (!d.hint.empty()) message += "\n" + d.hint;
    result["message"] = {{"text", message}};
    result["occurrenceCount"] = std::max<uint64_t>(1, d.count);
    Json properties{{"category", name(d.category)}};
    add_site(properties, d);
    if (why != nullptr && !why->explains.empty()) properties["explains"] = why->explains.size();
    result["properties"] = properties;
    if (why != nullptr && why->mended) result["fixes"] = Json::array({fix_of(*why, d.hint)});
    return result;
}

}  // namespace

std::string as_sarif(const std::vector<Diagnostic>& findings, const std::string& kernel,
                     const Json* properties, std::span<const Explanation> explanations) {
    Json rules = Json::array(), results = Json::array();
    std::map<std::string, size_t> index;
    SourceLines lines;
    for (const Diagnostic& d : findings) {
        if (results.size() == kMostResults) break;
        const auto [rule, fresh] = index.try_emplace(d.code, rules.size());
        if (fresh) rules.push_back(rule_of(d));
        results.push_back(result_of(d, rule->second, kernel, lines, find(explanations, d)));
    }
    Json driver{{"name", "ptosim"},
                {"version", program_version()},
                {"semanticVersion", program_version()},
                {"rules", rules}};
    Json run{{"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}};
    if (findings.size() > kMostResults) {
        const std::string text =
            std::to_string(findings.size() - kMostResults) +
            " more findings are not in this document, because code scanning accepts at most " +
            std::to_string(kMostResults) + " of a run (all of them: --format json)";
        run["invocations"] =
            Json::array({{{"executionSuccessful", true},
                          {"toolExecutionNotifications",
                           Json::array({{{"level", "warning"}, {"message", {{"text", text}}}}})}}});
    }
    run["results"] = results;
    if (properties != nullptr) run["properties"] = *properties;
    // Code scanning keeps categories apart, and accepts each category once in an upload. The
    // category is the part up to the last slash.
    if (!kernel.empty()) run["automationDetails"] = {{"id", "ptosim/" + uri(kernel) + "/"}};
    Json document{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                  {"version", "2.1.0"}};
    document["runs"] = Json::array({run});
    return dump_json(document, 2) + "\n";
}

}  // namespace ptosim::check
