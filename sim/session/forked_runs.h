// The same launch again, as often as wanted, each time on a device that the other runs have not
// changed.
//
// SystemC knows one elaboration, so a process has one device, and a launch changes it. So a process
// keeps the device as it is before the launch (a copy of this one, which shares its memory until
// one of the two writes), and makes a further copy of itself for each run.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "sim/check/access_log.h"
#include "sim/check/registry.h"
#include "sim/chip/chip.h"
#include "sim/session/path_run.h"

namespace ptosim {

class ForkedRuns {
 public:
    // Before the launch, with no thread but this one at work on the device; `checks` are for
    // explore(). Throws DiagnosticError (I03) if the system has no room for a process or its
    // memory.
    ForkedRuns(Chip& chip, const Kernel& kernel, KernelArguments arguments,
            const LaunchOptions& options, const check::CheckOptions& checks);
    ~ForkedRuns();
    ForkedRuns(const ForkedRuns&) = delete;
    ForkedRuns& operator=(const ForkedRuns&) = delete;

    struct Outcome {
        bool finished = false;
        std::vector<Diagnostic> findings;  // of the machine
    };
    // Runs the launch by another timing. Nothing if it does not end within so many seconds.
    std::optional<Outcome> run(uint64_t seed, unsigned number, unsigned seconds);
    // Runs it once more and returns its memory accesses; nothing if there are too many.
    std::optional<check::AccessRecord> log(uint64_t seed, unsigned number, unsigned seconds);

    // Runs it by another path. Nothing if it crashes, or does not end within so many seconds.
    std::optional<PathRun> explore(const assembly::PathChoice& choice, uint64_t most_instructions,
                                   unsigned seconds);

    // Arguments with which a compiled kernel takes other branches (sim/native/argument_search.h).
    std::vector<std::vector<uint64_t>> search_arguments(uint32_t blocks, unsigned most,
                                                        unsigned seconds);

    // The cycles of the launch with so many blocks, in time alone. Nothing if it issues more
    // instructions than `most`, does not end, or finds something.
    std::optional<Cycle> time_with(uint32_t blocks, uint64_t most);

    // Of global memory: the first byte that the last run has left different from this process.
    std::optional<uint64_t> first_difference() const;

 private:
    enum class Kind : uint8_t { kSchedule, kTime, kExplore, kSearch };
    struct Request {
        Kind kind = Kind::kSchedule;
        bool log = false;
        uint32_t number = 0;  // kSearch: of arguments, at most
        uint64_t seed = 0;
        uint32_t seconds = 0;
        uint32_t blocks = 0;  // kTime, kSearch
        uint64_t most_instructions = 0;
    };
    struct Area {
        uint64_t address = 0, size = 0;
    };

    bool ask(const Request& request);
    [[noreturn]] void serve(int from);
    [[noreturn]] void run_once(const Request& request);
    [[noreturn]] void time_once(const Request& request);
    [[noreturn]] void explore_once(const Request& request);
    [[noreturn]] void search_once(const Request& request);
    void close();

    Chip& chip_;
    const Kernel& kernel_;
    std::vector<uint64_t> arguments_;
    LaunchOptions options_;
    const check::CheckOptions checks_;
    std::vector<Area> areas_;  // of global memory, one behind the other in outputs_
    size_t output_bytes_ = 0;
    std::byte* outputs_ = nullptr;  // what a run leaves there; shared by the processes
    int question_ = -1, answer_ = -1, log_ = -1;  // files without a name, likewise
    int to_keeper_ = -1;
    pid_t keeper_ = -1;
};

}  // namespace ptosim
