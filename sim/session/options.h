// All options of a run, independent of their source (an option of the command line, a PTOSIM_*
// variable, a member of ptosim::Options), and the meaning of their words.
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

struct SessionOptions {
    std::string chip;                               // name of a chip, or a chip file
    std::vector<std::string> overrides;             // PATH=VALUE, of its parameters
    std::string numerics = "ieee";                  // kNumericsWords, or kNumericsOfChip
    std::string mode = "full";                      // kModeWords
    std::string memory = "device";                  // kMemoryWords
    uint64_t max_instructions = kMostInstructions;  // limit of a launch
    uint64_t max_cycles = kMostCycles;              // limit of a launch
    std::string sync;              // kSyncWords; empty: explicit if the kernel has flags, else auto
    std::string check = "none";    // checkers, in the form of CheckOptions::choose()
    uint64_t check_memory = 1024;  // MiB; limit of shadow memory
    bool wasted = false;           // list synchronisation that adds no order
    std::string suppress;          // file of known findings; may be empty
    bool scope = false;            // report code that the runs have not reached
    std::string scope_file;        // accumulates the scope of several runs; may be empty
    unsigned schedules = 0;        // further timings under which a launch runs
    bool schedules_if_cheap = false;  // only if they cost little (ScheduleChoice)
    unsigned paths = 0;               // limit of runs by paths that a launch has not taken
    uint64_t seed = 0;                // for everything random
    unsigned threads = 0;             // threads that compute data; 0: all of the host
    std::string trace;                // folder of the recording; empty: none is made
    std::string trace_formats{kDefaultFormats};
    uint64_t keep_data = 0;  // MiB of operands that the recording keeps
    bool advice = false;     // how the run could be shorter; also without --trace
    bool rerun = false;      // for advice, runs with changes may be simulated
    bool causes = false;  // for findings, runs with mends are simulated, for which a launch is kept
                          // by a second process
    std::string json;     // file of the result, "-" for standard output; empty: none
    std::string report;   // file of the findings; empty: the default of the format
    std::string format = "text";  // of the findings: text, json, sarif or junit
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

// Options from the environment: the PTOSIM_* variables that the command line's page
// (docs/running.md) lists for programs. PTOSIM_SET separates PATH=VALUE words by semicolons; the
// ending of PTOSIM_REPORT determines its format; all others have the form of the option of the same
// name. Throws DiagnosticError (H20) for an invalid number.
SessionOptions options_from_environment();

}  // namespace ptosim
