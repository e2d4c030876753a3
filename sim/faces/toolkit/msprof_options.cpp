#include "sim/faces/toolkit/msprof_options.h"

#include <cxxabi.h>
#include <fnmatch.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>

#include "isa/core/diagnostic.h"
#include "sim/faces/toolkit/bisheng_options.h"
#include "sim/faces/toolkit/layout.h"
#include "sim/faces/toolkit/tool_options.h"

namespace ptosim::toolkit {
namespace {

constexpr unsigned kMostMinutes = 1'000'000;

enum class MsprofEffect : uint8_t {
    kApplication,
    kOutput,
    kKernels,
    kLaunches,
    kChip,
    kMinutes,
    kExport,
    kHelp,
    kIgnored,
    kRefused,
};

constexpr std::string_view kEverything = "everything that can be counted is counted";
constexpr std::string_view kOneRun = "a launch runs once: its counters do not need repetitions";

// From the docs of Ascend/msopprof, and calls in pto-dsl, pto-kernels, pypto and simpler.
constexpr auto kMsprofOptions = [] {
    using enum MsprofEffect;
    return std::to_array<ToolOption<MsprofEffect>>({
        {"application", true, kApplication,
         "the program with its arguments, which may also follow the options"},
        {"output", true, kOutput, "the folder for `OPPROF_...`; default: this one"},
        {"kernel-name", true, kKernels,
         "which kernels: names or symbols of the device, separated by `\\|`, with `*` for "
         "anything"},
        {"launch-count", true, kLaunches, "limit of launches to record; default: 1"},
        {"soc-version", true, kChip, "the chip, by the name that build scripts give it"},
        {"timeout", true, kMinutes, "minutes after which the program is ended"},
        {"export", true, kExport, "the files of an earlier run once more, from its folder `dump`"},
        {"help", false, kHelp, "this table"},
        {"aic-metrics", true, kIgnored, kEverything},
        {"core-id", true, kIgnored, kEverything},
        {"dump", true, kIgnored, kEverything},
        {"mstx", true, kIgnored, kEverything},
        {"mstx-include", true, kIgnored, kEverything},
        {"kill", true, kIgnored, "the program runs to its end"},
        {"warm-up", true, kIgnored, kOneRun},
        {"replay-mode", true, kIgnored, kOneRun},
        {"launch-skip-before-match", true, kRefused, "give --launch-count instead"},
        {"config", true, kRefused, "it describes kernels in the vendor's binary format"},
    });
}();

class MsprofParser {
 public:
    explicit MsprofParser(const std::vector<std::string>& words) : words_{words} {}

    MsprofOptions run() {
        if (!words_.empty() && (words_[0] == "--help" || words_[0] == "-h")) {
            options_.help = true;
            return std::move(options_);
        }
        if (words_.empty() || words_[0] != "op")
            fail_input("H04", "msprof: only 'msprof op' and 'msprof op simulator' are supported",
                       "they profile single kernels; PTOSIM_TRACE=DIR records a whole program");
        at_ = 1;
        options_.simulator = at_ < words_.size() && words_[at_] == "simulator";
        if (options_.simulator) ++at_;
        for (; at_ < words_.size() && words_[at_].starts_with("-"); ++at_) option();
        options_.command.insert(options_.command.end(),
                                words_.begin() + static_cast<ptrdiff_t>(at_), words_.end());
        if (!options_.help && options_.command.empty() && options_.exported.empty())
            fail_input("H04", "msprof: no program to run",
                       "msprof op simulator [OPTIONS] PROGRAM WORDS");
        return std::move(options_);
    }

 private:
    void option() {
        if (words_[at_] == "-h") {
            options_.help = true;
            return;
        }
        const auto [row, value] = take_option<MsprofEffect>("msprof", kMsprofOptions, words_, at_);
        apply(row, value);
    }

    void apply(const ToolOption<MsprofEffect>& row, const std::string& value) {
        using enum MsprofEffect;
        switch (row.effect) {
            case kApplication:
                options_.command = split_words(value);
                return;
            case kOutput:
                options_.output = value;
                return;
            case kKernels:
                for (size_t begin = 0; begin <= value.size();) {
                    const size_t end = std::min(value.find('|', begin), value.size());
                    if (end > begin) options_.kernels.push_back(value.substr(begin, end - begin));
                    begin = end + 1;
                }
                return;
            case kLaunches:
                options_.launches = number(row, value, std::numeric_limits<unsigned>::max());
                return;
            case kChip:
                options_.chip = chip_of(value);
                if (options_.chip.empty())
                    fail_input("H04",
                               "msprof: --soc-version=" + value + " is not a chip of this toolkit",
                               "Ascend910B1 and the like, Ascend910_93.., Ascend950..");
                return;
            case kMinutes:
                options_.minutes = static_cast<unsigned>(number(row, value, kMostMinutes));
                return;
            case kExport:
                options_.exported = value;
                return;
            case kHelp:
                options_.help = true;
                return;
            case kIgnored:
            case kRefused:
                return;
        }
    }

    static uint64_t number(const ToolOption<MsprofEffect>& row, const std::string& value,
                           unsigned most) {
        unsigned result = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), result);
        if (error != std::errc() || end != value.data() + value.size() || result == 0 ||
            result > most)
            fail_input("H04", "msprof: --" + std::string(row.name) + "=" + value + " is not a number",
                       "a whole number from 1 to " + std::to_string(most));
        return result;
    }

    const std::vector<std::string>& words_;
    size_t at_ = 0;
    MsprofOptions options_;
};

// The function's name in a symbol: "scale_add" for "_Z9scale_addPfS_S_i".
std::string function_name(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    if (status != 0) return symbol;
    const std::string readable = text.get();
    return readable.substr(0, readable.find('('));
}

}  // namespace

std::string msprof_options_markdown() { return options_table<MsprofEffect>(kMsprofOptions); }

bool names_kernel(const std::string& pattern, const std::string& kernel) {
    std::string symbol = pattern;
    for (const char* const core : {"_mix_aic", "_mix_aiv"})
        if (symbol.ends_with(core)) symbol.resize(symbol.size() - std::string_view(core).size());
    return fnmatch(pattern.c_str(), kernel.c_str(), 0) == 0 ||
           fnmatch(symbol.c_str(), kernel.c_str(), 0) == 0 || function_name(symbol) == kernel;
}

MsprofOptions parse_msprof(const std::vector<std::string>& words) {
    return MsprofParser(words).run();
}

}  // namespace ptosim::toolkit
