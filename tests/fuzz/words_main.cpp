// Words of command lines and of PTOSIM_ variables. An input is lines, each of which begins with its
// kind: `arg` (one word of --arg), `golden`, `set` (PATH=VALUE), `expression`, `kernel` (a line of
// a kernel with parameters), `formats`, or the name of a variable.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <map>
#include <vector>

#include "sim/session/arguments.h"
#include "sim/session/expression.h"
#include "sim/session/golden.h"
#include "sim/session/kernel_parameters.h"
#include "sim/session/options.h"
#include "tests/fuzz/target.h"

namespace ptosim::fuzz {
namespace {

constexpr size_t kMostDigits =
    3;  // of a dimension: arrays that are filled take time, and are no errors

bool small(const std::string& word) {
    size_t digits = 0;
    for (const char c : word) {
        digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
        if (digits > kMostDigits) return false;
    }
    return true;
}

// A kernel that has parameters and does nothing.
class Nothing : public Kernel {
 public:
    std::string_view name() const override { return "nothing"; }
    const SourceMap& sources() const override { return sources_; }
    std::span<const Parameter> parameters() const override { return parameters_; }
    bool runs_on(CoreType) const override { return true; }
    bool has_explicit_sync() const override { return false; }
    void run(KernelPort&, KernelArguments) const override {}

    Parameter& parameter() { return parameters_[0]; }

 private:
    SourceMap sources_;
    std::vector<Parameter> parameters_{1};
};

void argument(const std::string& word) {
    GlobalMemory memory(uint64_t{1} << 26);
    if (word.starts_with("rand") && !small(word)) return;
    for (const auto& [kind, dtype] : {std::pair{Parameter::Kind::kPointer, DType::kF32},
                                      {Parameter::Kind::kPointer, DType::kI4},
                                      {Parameter::Kind::kScalar, DType::kI32},
                                      {Parameter::Kind::kScalar, DType::kBF16}}) {
        Nothing kernel;
        kernel.parameter().kind = kind;
        kernel.parameter().dtype = dtype;
        try {
            make_arguments(kernel, std::vector{word}, 0, memory);
        } catch (const DiagnosticError&) {
        }
    }
}

void set(const std::string& word) { load_chip("ascend910b1", std::vector{word}); }

void expression(const std::string& word) {
    const Values values{{"M", 128}, {"N", 0}};
    evaluate(word, values);
    substitute(word, values);
}

void kernel_text(const std::string& word) {
    try {
        expand_parameters("fuzz.pto", "//! param M = 8\n//! " + word + "\n" + word, {},
                          {{"chip.clusters", 24}});
    } catch (const RequirementError&) {
    }
}

void variable(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    try {
        run_settings(options_from_environment(), OptionSource::kEnvironment);
    } catch (const DiagnosticError&) {
    }
    unsetenv(name.c_str());
}

void line(const std::string& kind, const std::string& word) {
    static const std::map<std::string, std::function<void(const std::string&)>> kinds = {
        {"arg", argument},
        {"golden", [](const std::string& text) { parse_golden(text); }},
        {"set", set},
        {"expression", expression},
        {"kernel", kernel_text},
        {"formats", [](const std::string& text) { parse_formats(text); }}};
    const auto found = kinds.find(kind);
    try {
        if (found != kinds.end())
            found->second(word);
        else if (kind.starts_with("PTOSIM_") && kind != "PTOSIM_MODELS")
            variable(kind, word);
    } catch (const DiagnosticError&) {
    } catch (const ExpressionError&) {  // of which its callers make one
    }
}

}  // namespace

void read(std::string_view input) {
    while (!input.empty()) {
        const size_t end = std::min(input.find('\n'), input.size());
        const std::string text(input.substr(0, end));
        input.remove_prefix(std::min(end + 1, input.size()));
        if (text.find('\0') != std::string::npos) continue;  // no word of a command line has one
        const size_t space = std::min(text.find(' '), text.size());
        line(text.substr(0, space), text.substr(std::min(space + 1, text.size())));
    }
}

}  // namespace ptosim::fuzz
