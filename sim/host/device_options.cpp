#include <charconv>
#include <cstdlib>
#include <sstream>

#include "isa/arch.h"
#include "sim/host/device.h"

namespace ptosim {
namespace {

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? "" : text;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, separator);)
        if (!word.empty()) words.push_back(word);
    return words;
}

// The value of a variable that takes one of some words; the first is the default.
template <class E>
E choice(const char* name, const std::vector<std::pair<std::string, E>>& words) {
    const std::string text = variable(name);
    if (text.empty()) return words.front().second;
    std::string known;
    for (const auto& [word, value] : words) {
        if (word == text) return value;
        known += (known.empty() ? "" : ", ") + word;
    }
    fail_input("H20", std::string(name) + "=" + text + " is none of its values", known);
}

}  // namespace

DeviceOptions device_options(Arch arch) {
    DeviceOptions options;
    options.chip = variable("PTOSIM_CHIP");
    if (options.chip.empty()) options.chip = traits_of(arch).default_chip;
    options.overrides = split(variable("PTOSIM_SET"), ';');
    options.trace = variable("PTOSIM_TRACE");
    options.json = variable("PTOSIM_JSON");
    options.report = variable("PTOSIM_REPORT");
    options.launch.sync = choice<SyncMode>(
        "PTOSIM_SYNC", {{"explicit", SyncMode::kExplicit}, {"auto", SyncMode::kAuto}});
    options.launch.mode = choice<RunMode>("PTOSIM_MODE", {{"full", RunMode::kFull},
                                                          {"timing", RunMode::kTiming},
                                                          {"functional", RunMode::kFunctional}});
    options.launch.numerics =
        choice<Numerics>("PTOSIM_NUMERICS", {{"ieee", Numerics::kIEEE},
                                             {"a2a3", Numerics::kA2A3},
                                             {"a5", Numerics::kA5},
                                             {"a5-templates", Numerics::kA5Templates}});
    const std::string checks = variable("PTOSIM_CHECK");
    options.checked = !checks.empty() && checks != "none";
    if (const std::string word = options.checks.choose(checks); !word.empty())
        fail_input("H20", "PTOSIM_CHECK=" + checks + ": there is no checker '" + word + "'",
                   std::string(check::kCheckerNames));
    options.launch.choices = options.checks.choices;
    if (const std::string memory = variable("PTOSIM_CHECK_MEMORY"); !memory.empty()) {
        const auto [end, error] =
            std::from_chars(memory.data(), memory.data() + memory.size(), options.checks.memory);
        constexpr uint64_t kMost = 1u << 20;
        if (error != std::errc{} || end != memory.data() + memory.size() ||
            options.checks.memory == 0 || options.checks.memory > kMost)
            fail_input("H20", "PTOSIM_CHECK_MEMORY=" + memory + " is not a number of MiB",
                       "1 to " + std::to_string(kMost));
        options.checks.memory <<= 20;
    }
    return options;
}

}  // namespace ptosim
