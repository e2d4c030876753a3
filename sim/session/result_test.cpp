// Invalid options are reported in the user's spelling; exit codes follow the findings; the result JSON is valid for any
// bytes in a name. Expected values come from docs/formats.md.
#include "sim/session/result.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/session/options.h"

using namespace ptosim;

namespace {

std::string told(const SessionOptions& options, OptionSource source) {
    try {
        run_settings(options, source);
    } catch (const DiagnosticError& error) {
        const Diagnostic& d = error.diagnostics().front();
        return d.code + " " + d.message;
    }
    return "";
}

Result result_with(Category category) {
    Result result;
    result.clock_hz = 1'000'000'000;
    result.launches.push_back({"k", 1, 2000, 3, true});
    result.cycles = 2000;
    Diagnostic d;
    d.code = "X00";
    d.category = category;
    d.file = "\xff.pto";
    result.findings.push_back(d);
    return result;
}

}  // namespace

TEST_CASE("words without a meaning are told in the words of who wrote them") {
    SessionOptions options;
    CHECK(told(options, OptionSource::kCommandLine).empty());
    options.mode = "fast";
    CHECK(told(options, OptionSource::kCommandLine) ==
          "I00 --mode: 'fast' is not one of its values");
    CHECK(told(options, OptionSource::kEnvironment) ==
          "H20 PTOSIM_MODE=fast is not one of its values");
    CHECK(told(options, OptionSource::kProgram) == "I00 mode: 'fast' is not one of its values");
    options.mode = "timing";
    options.check = "race,luck";
    CHECK(told(options, OptionSource::kCommandLine) ==
          "I16 --check race,luck: no checker 'luck'");
    CHECK(told(options, OptionSource::kEnvironment) ==
          "H20 PTOSIM_CHECK=race,luck: no checker 'luck'");
    options.check = "race";
    options.sync = "insert";
    CHECK(told(options, OptionSource::kCommandLine).empty());
    CHECK(told(options, OptionSource::kEnvironment) ==
          "H20 PTOSIM_SYNC=insert is not one of its values");
    options.sync.clear();
    options.trace_formats = "html";
    CHECK(told(options, OptionSource::kEnvironment) ==
          "H20 PTOSIM_TRACE_FORMATS selects files to make from a recording, but no recording is made without "
          "PTOSIM_TRACE");
    options.trace = "folder";
    CHECK(told(options, OptionSource::kEnvironment).empty());
    CHECK(option_text(OptionSource::kCommandLine, "check_memory") == "--check-memory");
    CHECK(option_text(OptionSource::kEnvironment, "check_memory") == "PTOSIM_CHECK_MEMORY");
}

TEST_CASE("exit codes follow the findings") {
    CHECK(exit_code(result_with(Category::kRace)) == kKernelWrong);
    CHECK(exit_code(result_with(Category::kDeadlock)) == kKernelWrong);
    CHECK(exit_code(result_with(Category::kUndefined)) == kKernelWrong);
    CHECK(exit_code(result_with(Category::kIllegal)) == kInputUnusable);
    CHECK(exit_code(result_with(Category::kUnsupported)) == kInputUnusable);
    Result result = result_with(Category::kRace);
    result.findings.clear();
    CHECK(exit_code(result) == kOk);
    result.goldens.push_back({});
    result.goldens.back().comparison.equal = false;
    CHECK(exit_code(result) == kKernelWrong);
    result.goldens.clear();
    result.launches.back().finished = false;
    CHECK(exit_code(result) == kKernelWrong);
}

TEST_CASE("the result of any run is JSON") {
    Result result = result_with(Category::kSync);
    const auto json = nlohmann::json::parse(to_json(result));
    CHECK(json["time_us"] == 2.0);
    CHECK(json["instructions"] == 3);
    CHECK(json["diagnostics"][0]["location"]["file"] == "\xEF\xBF\xBD.pto");
    CHECK_FALSE(json.contains("launches"));
    result.program = true;
    CHECK(nlohmann::json::parse(to_json(result))["launches"].size() == 1);
}
