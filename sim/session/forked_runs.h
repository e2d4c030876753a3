// Repeats a launch any number of times, each time on a device that the other runs have not changed.
//
// SystemC permits one elaboration, so a process has one device, and a launch changes it. Therefore
// a process keeps the device in its state before the launch (a fork of this one, which shares its
// memory until one of the two writes), and forks again for each run.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "sim/check/access_log.h"
#include "sim/check/causes.h"
#include "sim/check/registry.h"
#include "sim/machine/chip/chip.h"
#include "sim/session/path_run.h"
#include "traces/analyse/trial.h"

namespace ptosim {

class ForkedRuns {
 public:
    // Makes the kernel with other lines; null for compiled kernels, whose instructions are changed
    // instead.
    using Remake = std::function<std::unique_ptr<Kernel>(const std::vector<check::MendLine>&)>;
    // Must be constructed before the launch, while no other thread works on the device. `checks`
    // are for explore(). Throws DiagnosticError (I03) if the system has no room for a process or
    // its memory.
    ForkedRuns(Chip& chip, const Kernel& kernel, KernelArguments arguments,
               const LaunchOptions& options, const check::CheckOptions& checks, Remake remake = {});
    ~ForkedRuns();
    ForkedRuns(const ForkedRuns&) = delete;
    ForkedRuns& operator=(const ForkedRuns&) = delete;

    struct Outcome {
        bool finished = false;
        std::vector<Diagnostic> findings;  // of the machine
    };
    // Runs the launch under another timing. Empty if it does not end within `seconds`.
    std::optional<Outcome> run(uint64_t seed, unsigned number, unsigned seconds);
    // Runs it once more and returns its memory accesses; empty if there are too many.
    std::optional<check::AccessRecord> log(uint64_t seed, unsigned number, unsigned seconds);

    // Runs it by another path. Empty if it crashes or does not end within `seconds`.
    std::optional<PathRun> explore(const assembly::PathChoice& choice, uint64_t most_instructions,
                                   unsigned seconds);

    // Runs it with a mend, under the checkers. Empty if the mend cannot be written, or the run
    // crashes or does not end within `seconds`.
    std::optional<check::TriedMend> attempt(const check::Mend& mend, uint64_t most_instructions,
                                            unsigned seconds);

    // Arguments with which a compiled kernel takes other branches (sim/native/argument_search.h).
    std::vector<std::vector<uint64_t>> search_arguments(uint32_t blocks, unsigned most,
                                                        unsigned seconds);

    // The cycles of the launch with a change of an advice, in mode timing. Empty if it issues more
    // than `most` instructions, does not end within `seconds`, or is wrong.
    std::optional<Cycle> time_with(const Trial& trial, uint64_t most, unsigned seconds);

    // Address of the first byte of global memory in which the last run differs from this process.
    std::optional<uint64_t> first_difference() const;

 private:
    enum class Kind : uint8_t { kSchedule, kExplore, kSearch, kMend, kTrial };
    struct Request {
        Kind kind = Kind::kSchedule;
        bool log = false;
        uint32_t number = 0;  // kSearch: the most arguments to find
        uint64_t seed = 0;
        uint32_t seconds = 0;
        uint32_t blocks = 0;  // kSearch
        uint64_t most_instructions = 0;
    };
    struct Area {
        uint64_t address = 0, size = 0;
    };

    bool ask(const Request& request);
    [[noreturn]] void serve(int from);
    [[noreturn]] void run_once(const Request& request);
    [[noreturn]] void explore_once(const Request& request);
    [[noreturn]] void search_once(const Request& request);
    [[noreturn]] void mend_once(const Request& request);
    [[noreturn]] void trial_once(const Request& request);
    void close();

    Chip& chip_;
    const Kernel& kernel_;
    std::vector<uint64_t> arguments_;
    LaunchOptions options_;
    const check::CheckOptions checks_;
    const Remake remake_;
    std::vector<Area> areas_;  // parts of global memory, stored in sequence in outputs_
    size_t output_bytes_ = 0;
    std::byte* outputs_ = nullptr;                // output of a run; shared by the processes
    int question_ = -1, answer_ = -1, log_ = -1;  // files without a name, shared as well
    int to_keeper_ = -1;
    pid_t keeper_ = -1;
};

}  // namespace ptosim
