// The analysis of a run that reports show: one computation for every format.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "traces/analyse/accounting.h"
#include "traces/analyse/advice.h"
#include "traces/analyse/dependencies.h"
#include "traces/analyse/time_basis.h"
#include "traces/record/recording.h"

namespace ptosim {

// Cycles spent by a source line, or by an opcode on a pipe.
struct Hotspot {
    std::string name;           // "gemm.pto:87"; an opcode
    std::string text;           // the line; the pipe
    std::string origin;         // of a line: "net.py:12", what it was made from; may be empty
    uint64_t instructions = 0;  // completed
    Cycle busy = 0;             // occupancies, summed over all cores
    Cycle wait = 0;             // pipes waiting for it, summed over all cores
    Cycle critical = 0;         // of the critical path
    uint64_t bytes = 0;         // moved
};

struct BufferUse {
    Space space{};
    uint64_t capacity = 0;  // 0: not known
    uint64_t top = 0;       // end of the highest tile that was touched, on any core
    uint64_t live = 0;      // most bytes between their first write and last read, on one core
    std::string core;       // where that was
};

// Saving of a change if every order stayed and everything else took as long as it did.
struct Saving {
    std::string what;  // "if TLOAD at gemm.pto:102 took no time"
    Cycle cycles = 0;  // saved of the duration
    std::string unit;  // of a pipe's whole time: "V of all AIV"
};

struct Roofline {
    uint64_t cube_operations = 0;                // multiplications and additions of cubes
    uint64_t vector_operations = 0;              // elements that vector units made
    uint64_t read_bytes = 0, written_bytes = 0;  // from and to global memory
    uint64_t peak_per_second = 0;       // operations of the cores that took part; 0: not known
    uint64_t bandwidth_per_second = 0;  // bytes from L2 to the cores that read; 0: not known
    uint64_t hbm_bytes = 0;             // of the read ones: L2 did not hold them
    uint64_t hbm_again_bytes = 0;       // of these: accessed before in this run
    uint64_t hbm_per_second = 0;        // bytes from HBM to the cores that read; 0: not known
    std::string peak_of;                // "16 cubes, f16"
    std::string bound;                  // "memory", "compute" or empty: the lowest roof
    std::string roof;                   // "L2", "HBM", "peak" or empty: the same
    Bounds least;                       // cycles that the whole chip needs for the work at least

    uint64_t operations() const {
        return cube_operations > 0 ? cube_operations : vector_operations;
    }
    uint64_t bytes() const { return read_bytes + written_bytes; }
};

struct Analysis {
    Accounting accounting;
    std::vector<Dependencies::Step> path;  // the critical path; tiles the duration exactly
    std::array<Cycle, static_cast<size_t>(Spent::kCount)> path_spent{};
    TimeBasis basis;                          // what the critical path rests on
    std::map<std::string, Cycle> path_lanes;  // by lane and pipe: "AIC00/MTE2"
    std::vector<Hotspot> lines;               // most busy first
    std::vector<Hotspot> calls;               // of a library, by function and pipe; most busy first
    std::vector<Hotspot> opcodes;             // most busy first
    std::map<std::string, uint64_t> traffic;  // bytes by path
    std::vector<BufferUse> buffers;
    Roofline roofline;
    std::vector<Saving> savings;  // most first
    std::vector<Advice> advice;   // most saving first
    std::string bottleneck;       // the first advice and the facts, in sentences
};

// Content of the first lines of a summary: the parts of analyse() for runs without a report.
struct Advised {
    TimeBasis basis;  // what the critical path rests on
    std::vector<Advice> advice;
};
Advised advise(const Recording& recording, const Accounting& accounting,
               const TryChange& attempt = {});

// `depth`: how many lines are replayed without their time. `attempt` simulates changes for the
// advice.
Analysis analyse(const Recording& recording, size_t depth = 8, const TryChange& attempt = {});
Analysis analyse(const Recording& recording, Accounting accounting, size_t depth = 8,
                 const TryChange& attempt = {});

// The step of a critical path in words: "AIC00/MTE2 TLOAD at gemm.pto:102".
std::string step_text(const Recording& recording, const Dependencies::Step& step);
// Accounting's kind of waiting for a reason: "data", "flag", "queue full" or "other".
std::string_view wait_kind(BlockReason reason);

}  // namespace ptosim
