#include "sim/session/findings_folder.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include "isa/core/input_file.h"
#include "sim/files/files.h"
#include "sim/files/json.h"
#include "sim/session/diagnostic_json.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".json";

// Text such as "vadd.py:12: RAW race ... [E01]".
std::string line_of(const Diagnostic& d) {
    const std::string line = d.location.line == 0 ? "" : ":" + std::to_string(d.location.line);
    return (d.file.empty() ? "" : d.file + line + ": ") + d.message + " [" + d.code + "]";
}

// A file name that sorts by time, and then by process.
std::string new_name() {
    static unsigned number = 0;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    return std::to_string(nanoseconds) + "-" + std::to_string(getpid()) + "-" +
           std::to_string(number++);
}

}  // namespace

// The value of pytest's variable is "tests/test_add.py::test_add (call)".
std::string current_test() {
    const char* const value = std::getenv("PYTEST_CURRENT_TEST");
    const std::string text = value == nullptr ? "" : value;
    return text.substr(0, text.rfind(" ("));
}

std::string findings_document(const std::vector<Diagnostic>& findings, const std::string& test) {
    Json list = Json::array();
    for (const Diagnostic& d : findings)
        list.push_back({{"code", d.code}, {"line", line_of(d)}, {"text", to_text(d)}});
    const Json document{{"test", test},
                        {"process", getpid()},
                        {"findings", std::move(list)},
                        {"packed", pack(findings, true)}};
    return dump_json(document);
}

void add_to_findings_folder(const std::string& document) {
    const char* const folder = std::getenv("PTOSIM_FINDINGS");
    if (folder == nullptr || *folder == 0) return;
    write_file((fs::path(folder) / (new_name() + kSuffix)).string(), document);
}

std::vector<Diagnostic> read_findings(const std::string& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == kSuffix) files.push_back(entry.path());
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
        return a.filename() < b.filename();
    });
    std::vector<std::pair<std::string, Diagnostic>> found;  // with their tests
    for (const fs::path& file : files) {
        try {
            const auto json = parse_json(read_file(file.string()));
            const std::string test = json.at("test");
            bool finished = false;
            for (Diagnostic& d :
                 unpack_diagnostics(json.at("packed").text(), finished)) {
                if (!test.empty()) d.notes.push_back("in test " + test);
                found.emplace_back(test, std::move(d));
            }
        } catch (const Json::Error& error) {
            fail_input("I02", file.string() + ": cannot be read: " + error.what());
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Diagnostic> findings;
    for (auto& [test, d] : found) findings.push_back(std::move(d));
    return findings;
}

}  // namespace ptosim
