#include "sim/session/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "sim/check/findings_output.h"

namespace ptosim {
namespace {

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

// The value of a variable; `otherwise` if it is not set. `what` describes the permitted numbers.
uint64_t number(const char* name, uint64_t otherwise, uint64_t least, uint64_t most,
                const std::string& what) {
    const std::string text = variable(name);
    if (text.empty()) return otherwise;
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        fail_input("H20", std::string(name) + "=" + text + " is not a number" + what,
                   std::to_string(least) + " to " + std::to_string(most));
    return value;
}

// Rejects formats of files if there is no recording to make them from.
void check_formats(const SessionOptions& options, OptionSource source) {
    if (!options.trace.empty() || options.trace_formats == kDefaultFormats) return;
    const std::string trace = option_text(source, "trace");
    fail_input(source == OptionSource::kEnvironment ? "H20" : "I00",
               option_text(source, "trace_formats") +
                   " selects files to make from a recording, but no recording is made without " +
                   trace,
               "name a folder for the recording with " + trace);
}

void check_kept_data(const SessionOptions& options, RunMode mode, OptionSource source) {
    if (options.keep_data == 0) return;
    const char* const code = source == OptionSource::kEnvironment ? "H20" : "I00";
    const std::string name = option_text(source, "keep_data");
    if (options.trace.empty())
        fail_input(code, name + " adds data to a recording, but no recording is made",
                   "name a folder for the recording with " + option_text(source, "trace"));
    if (mode == RunMode::kTiming)
        fail_input(code, name + " has no effect: --mode timing computes no data",
                   "record with mode full or functional");
    if (options.keep_data > kMostKeptData)
        fail_input(code, name + " " + std::to_string(options.keep_data) + " is too much",
                   "at most " + std::to_string(kMostKeptData) + " MiB");
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
    check_formats(options, source);
    check_kept_data(options, settings.mode, source);
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

SessionOptions options_from_environment() {
    SessionOptions options;
    const std::pair<const char*, std::string*> texts[] = {
        {"PTOSIM_CHIP", &options.chip},     {"PTOSIM_NUMERICS", &options.numerics},
        {"PTOSIM_MODE", &options.mode},     {"PTOSIM_SYNC", &options.sync},
        {"PTOSIM_CHECK", &options.check},   {"PTOSIM_SUPPRESS", &options.suppress},
        {"PTOSIM_TRACE", &options.trace},   {"PTOSIM_TRACE_FORMATS", &options.trace_formats},
        {"PTOSIM_JSON", &options.json},     {"PTOSIM_REPORT", &options.report},
        {"PTOSIM_MEMORY", &options.memory},
    };
    for (const auto& [name, text] : texts)
        if (std::string value = variable(name); !value.empty()) *text = std::move(value);
    options.overrides = split(variable("PTOSIM_SET"), ';');
    options.check_memory =
        number("PTOSIM_CHECK_MEMORY", options.check_memory, 1, kMostCheckMemory, " of MiB");
    options.keep_data = number("PTOSIM_KEEP_DATA", 0, 0, kMostKeptData, " of MiB");
    options.max_instructions = number("PTOSIM_MAX_INSTRUCTIONS", options.max_instructions, 1,
                                      kMostOfAnything, " of instructions");
    options.max_cycles =
        number("PTOSIM_MAX_CYCLES", options.max_cycles, 1, kMostOfAnything, " of cycles");
    options.schedules =
        static_cast<unsigned>(number("PTOSIM_SCHEDULES", 0, 0, kMostSchedules, " of schedules"));
    options.seed = number("PTOSIM_SEED", 0, 0, UINT64_MAX, "");
    options.format = check::format_of(options.report);
    return options;
}

}  // namespace ptosim
