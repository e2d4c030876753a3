// How kernels are run: all that a user can choose, wherever it is written (an option of the
// command line, a PTOSIM_* variable, a member of ptosim::Options), and what the words mean.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check/registry.h"
#include "sim/chip/chip.h"
#include "sim/session/path_choice.h"
#include "sim/session/schedule_choice.h"
#include "traces/traces.h"

namespace ptosim {

// A word that stands for a value.
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
// The profile of the chip's architecture, as its own programs compute: one of the words, too.
inline constexpr std::string_view kNumericsOfChip = "chip";
// `insert` puts flags into a .pto kernel that has none when it is loaded, and obeys them.
inline constexpr std::array<Word<SyncMode>, 3> kSyncWords{{{"explicit", SyncMode::kExplicit},
                                                           {"auto", SyncMode::kAuto},
                                                           {"insert", SyncMode::kExplicit}}};
// Where allocations end: with their last byte, or with the pages that a device has for them.
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
// Runs of up to so many instructions are recorded in memory for advice: 50 ms or so at most.
inline constexpr uint64_t kMostInstructionsForAdvice = 50'000;
inline constexpr uint64_t kMostKeptData = 1024;                  // MiB
inline constexpr uint64_t kMostCheckMemory = uint64_t{1} << 20;  // MiB
// Launches that take more are taken for endless by default: a
// minute or so of work here, and half a second of a chip's time.
inline constexpr uint64_t kMostInstructions = 50'000'000;
inline constexpr uint64_t kMostCycles = 1'000'000'000;
inline constexpr uint64_t kMostOfAnything = uint64_t{1} << 62;  // the largest limit allowed

struct SessionOptions {
    std::string chip;                               // a chip's name, or a chip file
    std::vector<std::string> overrides;             // PATH=VALUE, of its parameters
    std::string numerics = "ieee";                  // kNumericsWords, or kNumericsOfChip
    std::string mode = "full";                      // kModeWords
    std::string memory = "device";                  // kMemoryWords
    uint64_t max_instructions = kMostInstructions;  // that a launch may issue
    uint64_t max_cycles = kMostCycles;              // that it may take
    std::string sync;              // kSyncWords; empty: explicit for kernels with flags, else auto
    std::string check = "none";    // checkers, as CheckOptions::choose() takes them
    uint64_t check_memory = 1024;  // MiB that they may take for shadow memory
    bool wasted = false;           // list synchronisation that orders nothing
    std::string suppress;          // file of known findings; empty: none
    bool scope = false;            // tell what the runs have not reached
    std::string scope_file;        // to which they add it, and which holds other runs; may be empty
    unsigned schedules = 0;        // other timings that a launch is run by as well
    bool schedules_if_cheap = false;  // only where they cost little (ScheduleChoice)
    unsigned paths = 0;               // runs that may be made of paths that a launch has not taken
    uint64_t seed = 0;                // of everything random
    unsigned threads = 0;             // that compute data; 0: as many as the host has
    std::string trace;                // folder of the recording; empty: none is made
    std::string trace_formats{kDefaultFormats};
    uint64_t keep_data = 0;       // MiB of operands that the recording keeps
    bool advice = false;          // also without a recording on disk: how the run could be shorter
    bool rerun = false;           // with advice: a run with other blocks may be simulated for it
    std::string json;             // file of the result, "-" for standard output; empty: none
    std::string report;           // file of the findings; empty: where their format goes
    std::string format = "text";  // of the findings: text, json, sarif or junit
};

// Where the options of a session were written: errors name them as they are spelt there.
enum class OptionSource : uint8_t { kCommandLine, kEnvironment, kProgram };
// "--check-memory", "PTOSIM_CHECK_MEMORY", "check_memory".
std::string option_text(OptionSource source, std::string_view name);

// Settings that the options of a run stand for.
struct RunSettings {
    RunMode mode = RunMode::kFull;
    Numerics numerics = Numerics::kIEEE;
    MemoryEnds memory = MemoryEnds::kPages;
    std::optional<SyncMode> sync;
    check::CheckOptions checks;
    ScheduleChoice schedules;
    PathBudget paths;
    unsigned threads = 1;  // that compute data
};
// Throws DiagnosticError for a word that means nothing: I16 for checkers, I00 for others, H20 for
// what a variable holds.
RunSettings run_settings(const SessionOptions& options, OptionSource source);

inline constexpr uint64_t kMostBlocks = uint64_t{1} << 20;  // of a launch
// Throws DiagnosticError (I14) for more.
void check_blocks(uint64_t blocks, OptionSource source);

// The options that the environment gives: the PTOSIM_* variables that the
// command line's page (docs/running.md) lists for programs. PTOSIM_SET
// separates PATH=VALUE words by semicolons; the ending of PTOSIM_REPORT
// says its format; all others hold what the option of the same name
// takes. Throws DiagnosticError (H20) for a number that is not one.
SessionOptions options_from_environment();

}  // namespace ptosim
