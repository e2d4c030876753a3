// All options of a run (options.def), independent of their source (an option of the command line, a
// PTOSIM_* variable, a member of ptosim::Options), and the meaning of their words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check/registry.h"
#include "sim/machine/chip/chip.h"
#include "sim/session/path_choice.h"
#include "sim/session/schedule_choice.h"
#include "traces/traces.h"

namespace ptosim {

// A word for a value.
template <class E>
struct Word {
    std::string_view word;
    E value;
};
inline constexpr std::array<Word<RunMode>, 3> kModeWords{
    {{"full", RunMode::kFull}, {"timing", RunMode::kTiming}, {"functional", RunMode::kFunctional}}};
inline constexpr std::array<Word<Numerics>, 4> kNumericsWords{
    {{"ieee", Numerics::kIEEE},
     {"a2a3", Numerics::kA2A3},
     {"a5", Numerics::kA5},
     {"a5-templates", Numerics::kA5Templates}}};
// A further word of numerics: the profile of the chip's architecture, as its own programs compute.
inline constexpr std::string_view kNumericsOfChip = "chip";
// `insert` adds flags to a .pto kernel without flags when it is loaded, and then uses them.
inline constexpr std::array<Word<SyncMode>, 3> kSyncWords{{{"explicit", SyncMode::kExplicit},
                                                           {"auto", SyncMode::kAuto},
                                                           {"insert", SyncMode::kExplicit}}};
// End of allocations: at their last byte, or at the end of the pages that a device uses for them.
enum class MemoryEnds : uint8_t { kExact, kPages };
inline constexpr std::array<Word<MemoryEnds>, 2> kMemoryWords{
    {{"device", MemoryEnds::kPages}, {"exact", MemoryEnds::kExact}}};
template <class E, size_t N>
std::vector<std::string> words_of(const std::array<Word<E>, N>& words) {
    std::vector<std::string> result;
    for (const Word<E>& word : words) result.emplace_back(word.word);
    return result;
}

inline std::vector<std::string> numerics_words() {
    std::vector<std::string> words = words_of(kNumericsWords);
    words.emplace_back(kNumericsOfChip);
    return words;
}

inline constexpr unsigned kMostSchedules = 100'000;
inline constexpr unsigned kMostPathRuns = 10'000;
// Runs of up to this number of instructions are recorded in memory for advice, which takes at most
// about 50 ms.
inline constexpr uint64_t kMostInstructionsForAdvice = 50'000;
inline constexpr uint64_t kMostKeptData = 1024;                  // MiB
inline constexpr uint64_t kMostCheckMemory = uint64_t{1} << 20;  // MiB
// A launch that exceeds these defaults counts as endless: about a minute of host time, or half a
// second of chip time.
inline constexpr uint64_t kMostInstructions = 50'000'000;
inline constexpr uint64_t kMostCycles = 1'000'000'000;
inline constexpr uint64_t kMostOfAnything = uint64_t{1} << 62;  // the largest limit allowed

// The members are rows of options.def.
struct SessionOptions {
#define PTOSIM_OPTION(type, member, value, ...) type member = value;
#include "sim/session/options.def"
};

// Further options of a command that runs a kernel file.
struct CommandOptions : SessionOptions {
    std::string kernel;  // its file
#define PTOSIM_COMMAND_OPTION(type, member, value, ...) type member = value;
#include "sim/session/options.def"
};

// Source of a session's options: errors spell them accordingly.
enum class OptionSource : uint8_t { kCommandLine, kEnvironment, kProgram };
// Text such as "--check-memory", "PTOSIM_CHECK_MEMORY", "check_memory".
std::string option_text(OptionSource source, std::string_view name);

// Values of the options of a run.
struct RunSettings {
    RunMode mode = RunMode::kFull;
    Numerics numerics = Numerics::kIEEE;
    MemoryEnds memory = MemoryEnds::kPages;
    std::optional<SyncMode> sync;
    check::CheckOptions checks;
    ScheduleChoice schedules;
    PathBudget paths;
    unsigned threads = 1;  // threads that compute data
};
// Throws DiagnosticError for an unknown word: I16 for checkers, I00 for others, H20 for the value
// of a variable.
RunSettings run_settings(const SessionOptions& options, OptionSource source);

inline constexpr uint64_t kMostBlocks = uint64_t{1} << 20;  // of a launch
// Throws DiagnosticError (I14) for more.
void check_blocks(uint64_t blocks, OptionSource source);

// Options from the environment: the PTOSIM_* variables of the rows. PTOSIM_SET separates PATH=VALUE
// words by semicolons; the ending of PTOSIM_REPORT determines its format; all others have the form
// of the option of the same name. Throws DiagnosticError (H20) for an invalid number.
SessionOptions options_from_environment();

}  // namespace ptosim
