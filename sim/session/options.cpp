#include "sim/session/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "sim/check/findings_output.h"
#include "sim/session/option_rows.h"

namespace ptosim {
namespace {

constexpr OptionRow kRows[] = {
#define PTOSIM_OPTION(type, member_name, default_value, ...) \
    {.name = #member_name, .member = &CommandOptions::member_name, .of_session = true, __VA_ARGS__},
#define PTOSIM_COMMAND_OPTION(type, member_name, default_value, ...) \
    {.name = #member_name,                                           \
     .member = &CommandOptions::member_name,                         \
     .of_session = false,                                            \
     __VA_ARGS__},
#include "sim/session/options.def"
};

[[noreturn]] void fail_word(OptionSource source, std::string_view option, const std::string& word,
                            const std::string& accepted) {
    const std::string name = option_text(source, option);
    if (source == OptionSource::kEnvironment)
        fail_input("H20", name + "=" + word + " is not one of its values", accepted);
    fail_input("I00", name + ": '" + word + "' is not one of its values", accepted);
}

template <class E, size_t N>
E value_of(const std::array<Word<E>, N>& words, const std::string& word, OptionSource source,
           std::string_view option, const std::string& also = "") {
    std::string accepted;
    for (const Word<E>& candidate : words) {
        if (candidate.word == word) return candidate.value;
        accepted += (accepted.empty() ? "" : ", ") + std::string(candidate.word);
    }
    fail_word(source, option, word, accepted + also);
}

check::CheckOptions checks_of(const SessionOptions& options, OptionSource source) {
    check::CheckOptions checks;
    checks.wasted = options.wasted;
    checks.memory = options.check_memory << 20;
    const std::string word = checks.choose(options.check);
    if (word.empty()) return checks;
    const bool variable = source == OptionSource::kEnvironment;
    fail_input(variable ? "H20" : "I16",
               option_text(source, "check") + (variable ? "=" : " ") + options.check +
                   ": no checker '" + word + "'",
               check::checker_words());
}

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

// Sets an option from the text of its variable.
struct ReadVariable {
    const OptionRow& row;
    const std::string& text;
    CommandOptions& options;

    void operator()(std::string CommandOptions::*member) const { options.*member = text; }
    void operator()(std::vector<std::string> CommandOptions::*member) const {
        options.*member = split(text, ';');
    }
    template <class Number>
    requires std::is_unsigned_v<Number>
    void operator()(Number CommandOptions::*member) const {
        uint64_t value = 0;
        const uint64_t least = least_value(row), most = row.range.most;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value < least ||
            value > most)
            fail_input("H20",
                       std::string(row.variable) + "=" + text + " is not a number" +
                           (row.unit.empty() ? "" : " of " + std::string(row.unit)),
                       std::to_string(least) + " to " + std::to_string(most));
        options.*member = static_cast<Number>(value);
    }
    void operator()(bool CommandOptions::*member) const {
        if (text != "0" && text != "1")
            fail_input("H20", std::string(row.variable) + "=" + text + " is neither 0 nor 1", "1 turns it on");
        options.*member = text == "1";
    }
    template <class Other>
    void operator()(Other CommandOptions::*) const {}  // no such option has a variable
};

// Rejects options that describe a recording if there is none, or none with data.
void check_recording(const SessionOptions& options, RunMode mode, OptionSource source) {
    CommandOptions given;
    static_cast<SessionOptions&>(given) = options;
    const char* const code = source == OptionSource::kEnvironment ? "H20" : "I00";
    const std::string trace = option_text(source, "trace");
    for (const OptionRow& row : kRows) {
        if (row.of_recording.empty() ||
            std::visit([&](auto member) { return given.*member == default_options().*member; },
                       row.member))
            continue;
        const std::string name = option_text(source, row.name);
        const std::string effect(row.of_recording);
        if (options.trace.empty())
            fail_input(code, name + " " + effect + (effect.ends_with(' ') ? trace : ""),
                       "name a folder for the recording with " + trace);
        if (row.needs_data && mode == RunMode::kTiming)
            fail_input(code, name + " has no effect: --mode timing computes no data",
                       "record with mode full or functional");
        const auto* const number = std::get_if<uint64_t CommandOptions::*>(&row.member);
        if (number != nullptr && given.**number > row.range.most)
            fail_input(code, name + " " + std::to_string(given.**number) + " is too much",
                       "at most " + std::to_string(row.range.most) + " " + std::string(row.unit));
    }
}

// Skipped periods have no data, and observers do not receive them.
void check_sampling(const SessionOptions& options, const RunSettings& settings, OptionSource source) {
    if (!options.sample) return;
    const char* const code = source == OptionSource::kEnvironment ? "H20" : "I00";
    const std::string sample = option_text(source, "sample");
    if (settings.mode != RunMode::kTiming)
        fail_input(code, sample + " skips periods of a run, and " + option_text(source, "mode") + " " + options.mode +
                             " computes all data",
                   "add " + option_text(source, "mode") + " timing");
    const auto refuse = [&](bool given, const char* name) {
        if (given)
            fail_input(code, sample + " skips periods of a run, of which " + option_text(source, name) + " needs every one",
                       "leave one of them out");
    };
    refuse(settings.checks.any(), "check");
    refuse(!options.trace.empty(), "trace");
    refuse(options.scope, "scope");
}

ScheduleChoice schedules_of(const SessionOptions& options, RunMode mode, OptionSource source) {
    ScheduleChoice choice{options.schedules, options.seed, options.schedules_if_cheap};
    if (mode == RunMode::kFull || choice.count == 0) return choice;
    if (!choice.only_if_cheap)
        fail_input(source == OptionSource::kEnvironment ? "H20" : "I00",
                   option_text(source, "schedules") +
                       " compares the results of different timings, and " +
                       option_text(source, "mode") + " " + options.mode +
                       (mode == RunMode::kTiming ? " has no results" : " has no time"),
                   "full has both");
    return {};
}

}  // namespace

std::string option_text(OptionSource source, std::string_view name) {
    std::string text(name);
    switch (source) {
        case OptionSource::kCommandLine:
            std::replace(text.begin(), text.end(), '_', '-');
            return "--" + text;
        case OptionSource::kEnvironment:
            for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
            return "PTOSIM_" + text;
        case OptionSource::kProgram:
            break;
    }
    return text;
}

RunSettings run_settings(const SessionOptions& options, OptionSource source) {
    RunSettings settings;
    settings.mode = value_of(kModeWords, options.mode, source, "mode");
    if (options.numerics != kNumericsOfChip)
        settings.numerics = value_of(kNumericsWords, options.numerics, source, "numerics",
                                     ", " + std::string(kNumericsOfChip));
    settings.memory = value_of(kMemoryWords, options.memory, source, "memory");
    if (!options.sync.empty()) settings.sync = value_of(kSyncWords, options.sync, source, "sync");
    if (source == OptionSource::kEnvironment && options.sync == "insert")
        fail_word(source, "sync", options.sync, "explicit, auto");  // compiled kernels have no text
    settings.checks = checks_of(options, source);
    check_recording(options, settings.mode, source);
    check_sampling(options, settings, source);
    settings.schedules = schedules_of(options, settings.mode, source);
    settings.paths.runs = settings.checks.any() ? options.paths : 0;
    settings.threads =
        options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    return settings;
}

void check_blocks(uint64_t blocks, OptionSource source) {
    if (blocks > kMostBlocks)
        fail_input("I14",
                   option_text(source, "blocks") + " " + std::to_string(blocks) + " is too many",
                   "at most " + std::to_string(kMostBlocks));
}

std::span<const OptionRow> option_rows() { return kRows; }

const CommandOptions& default_options() {
    static const auto& options = *new CommandOptions;
    return options;
}

uint64_t least_value(const OptionRow& row) {
    const auto* const narrow = std::get_if<uint32_t CommandOptions::*>(&row.member);
    const auto* const wide = std::get_if<uint64_t CommandOptions::*>(&row.member);
    const uint64_t by_default = narrow != nullptr ? default_options().**narrow
                                : wide != nullptr ? default_options().**wide
                                                  : 0;
    return std::min(row.range.least, by_default);
}

SessionOptions options_from_environment() {
    CommandOptions options;
    for (const OptionRow& row : kRows) {
        if (row.variable.empty()) continue;
        const std::string text = variable(row.variable.data());
        if (!text.empty()) std::visit(ReadVariable{row, text, options}, row.member);
    }
    options.format = check::format_of(options.report);
    return options;
}

}  // namespace ptosim
