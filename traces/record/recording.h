// Events of a run as plain data. The Recorder fills it; every writer reads it and nothing else.
//
// All times are core cycles since the chip came up, as in sim/machine/observe/observer.h. Records hold no
// strings: names follow from opcodes, texts from Sources.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/thread_report.h"
#include "isa/core/tile.h"
#include "sim/machine/observe/chip_facts.h"
#include "sim/machine/observe/observer.h"
#include "traces/record/operand_set.h"
#include "traces/record/sources.h"
#include "traces/record/tile_values.h"
#include "traces/record/wait_causes.h"

namespace ptosim {

inline constexpr Cycle kNever = ~Cycle{0};

// Output of a run, for comparing runs.
struct OutputRecord {
    uint32_t parameter = 0;
    std::string file;
    std::string sha256;
};

// One instruction from issue to completion. If the run ended early, the times that the instruction
// did not reach are the end of the run, and its flags mark them.
struct InstructionRecord {
    enum Flag : uint8_t {
        kStarted = 1,    // otherwise it still waited in its queue
        kCompleted = 2,  // otherwise it was cut off
        kSync = 4,       // a flag, a barrier or a signal: orders work, does none
    };
    Cycle issued = 0;
    Cycle started = 0;
    Cycle pipe_free = 0;  // the pipe may start its next instruction; end of the occupancy
    Cycle completed = 0;  // the result is there
    SourceLocation location;
    uint32_t sequence = 0;  // in program order of its core
    uint16_t core = 0;      // index into Recording::cores
    Opcode opcode{};
    Pipe pipe = Pipe::kS;
    uint8_t flags = 0;
    // Part of l2_miss_bytes that this run had accessed before, in sectors of 128 bytes; larger
    // counts stay at the maximum of the type.
    uint16_t l2_again = 0;

    uint32_t operands = 0;       // index into Recording::operands
    uint32_t l2_hit_bytes = 0;   // of transfers: bytes that L2 held
    uint32_t l2_miss_bytes = 0;  // and that it did not

    bool has(Flag flag) const { return (flags & flag) != 0; }
    uint32_t l2_again_bytes() const { return uint32_t{l2_again} * kSectorBytes; }
    void set_l2_again(uint32_t bytes) {
        l2_again = static_cast<uint16_t>(std::min(bytes / kSectorBytes, uint32_t{UINT16_MAX}));
    }
    static constexpr uint32_t kSectorBytes = 128;
};
static_assert(sizeof(InstructionRecord) <= 64);

// A pipe (or the scalar unit) that stood still from `begin` to `end`.
struct WaitRecord {
    Cycle begin = 0;
    Cycle end = 0;
    WaitCause cause;
    uint32_t sequence = 0;     // of what waited
    uint32_t released_by = 0;  // sequence number on cause.released_core
    uint16_t core = 0;
    Pipe pipe = Pipe::kS;
    bool open = false;  // nothing released it; `end` is the end of the run
};

// A flag or a cross-core signal from its set to the wait that consumed it.
struct FlagRecord {
    Cycle set = 0;
    Cycle consumed = kNever;  // kNever: no wait took it
    SourceLocation set_location;
    SourceLocation wait_location;
    uint32_t set_sequence = 0;   // on core `from`
    uint32_t wait_sequence = 0;  // on core `core`
    uint16_t core = 0;           // whose flag; of a signal that nobody took: who sent it
    uint16_t from = 0;           // who set it
    Pipe source = Pipe::kS;
    Pipe destination = Pipe::kS;
    uint8_t id = 0;
    bool cross_core = false;
};

// A core that executed one block of a launch.
struct RunRecord {
    Cycle begin = 0;
    Cycle end = 0;
    BlockIdentity identity;
    uint16_t core = 0;
    bool open = false;  // it did not end
};

// Basis of the cost of instructions with this opcode and these operands.
struct CostRecord {
    Opcode opcode{};
    uint32_t operands = 0;  // index into Recording::operands
    CostBasis basis;
};

struct LaunchRecord {
    std::string kernel;
    std::string chip;
    Arch arch = Arch::kA2A3;
    uint64_t clock_hz = 0;
    uint32_t blocks = 0;
    Cycle begin = 0;
    Cycle end = 0;
    bool open = false;  // the machine never reported its end
};

// Data that an instruction read or wrote, of a run with --keep-data.
struct ValuesRecord {
    static constexpr uint32_t kNotKept = UINT32_MAX;
    CoreId core;
    uint32_t sequence = 0;
    uint8_t operand = 0;      // of the instruction
    OperandSet::Role role{};  // read: as it was before; written: as it is then
    Space space{};
    uint32_t address = 0;
    uint32_t tile = kNotKept;  // index into Recording::tiles; there was no room for its values
    TileFacts facts;
};

// An output that differs from its golden.
struct MismatchRecord {
    uint32_t parameter = 0;
    std::string file;  // the golden
    uint64_t elements = 0, differ = 0;
    std::string index;  // "[3, 5]" of the first that differs
    std::string found, expected;
    // Last writer, of a run with --keep-data: values of the file format. If an instruction wrote
    // it, `row` and `column` are positions in the stored tile, -1 if they are not known.
    enum Writer : uint8_t { kUnknown = 0, kInstruction = 1, kScalarUnit = 2, kNobody = 3 };
    Writer writer = kUnknown;
    CoreId core;
    uint32_t sequence = 0;
    int32_t row = -1, column = -1;
};

// Limits of a program of many kernels, from its tasks. Its instructions do not show them, because
// the loops in which executors wait for tasks are among them.
struct ProgramRecord {
    // Values of the file format.
    enum Kind : uint8_t {
        kOrchestration = 0,
        kScheduling = 1,
        kStarvation = 2,
        kKernel = 3,
        kDependency = 4,
        kTasks = 5,
        kRing = 6,
        kKinds = 7
    };
    struct Limit {
        Kind kind = kKernel;
        std::string what, why;  // as in Advice
        Cycle saving = 0;
        std::string file;  // of the line to touch; empty: there is none
        uint32_t line = 0;
        std::string text{};  // of the line, where it is none of the recorded sources
    };
    // A task of the critical path.
    struct Task {
        CoreId core;
        Cycle begin = 0, end = 0;
    };
    std::vector<Limit> limits;  // most saving first
    std::vector<Task> path;     // in order of time, one after the other
    std::string facts;          // a sentence: where the cores' time went
    std::string failure;        // of a run that has failed: why; empty: none has
    std::string failure_hint;   // what to do about it; may be empty
};

// The threads that a line runs, of all blocks.
struct ThreadRecord {
    SourceLocation at;
    ThreadReport report;
};

// A warp of a block in one state.
struct WarpRecord {
    Cycle begin = 0, end = 0;
    uint16_t core = 0;
    uint16_t warp = 0;
    ThreadState state{};
};

// Repetition of the launch with as many blocks as run at once, with times only: in recordings of
// earlier versions.
struct RerunRecord {
    uint32_t blocks = 0;
    Cycle cycles = 0;
};

struct Recording {
    std::vector<CoreId> cores;  // in the order in which they were met
    Sources sources;
    std::vector<LaunchRecord> launches;
    std::vector<InstructionRecord> instructions;  // in order of issue
    std::vector<WaitRecord> waits;                // in order of their beginnings
    // In order of their sets. A signal that several cores took has further records for them.
    std::vector<FlagRecord> flags;
    std::vector<RunRecord> runs;  // in order of their beginnings
    std::vector<OperandSet> operands;
    std::vector<CostRecord> costs;  // one for each opcode and operand set that takes time
    std::vector<Diagnostic> diagnostics;
    std::vector<OutputRecord> outputs;
    std::vector<TileValues> tiles;     // different ones
    std::vector<ValuesRecord> values;  // in order of completion, those that are read first
    std::vector<MismatchRecord> mismatches;
    std::vector<WarpRecord> warps;         // of the first blocks
    std::vector<ThreadRecord> threads;     // in order of their first completion
    std::optional<ProgramRecord> program;  // of a program of many kernels
    std::optional<RerunRecord> rerun;      // if it has been simulated
    std::vector<std::string> assumed;      // parameters of the chip that the times rest on
    ChipFacts facts;
    // Missing parts, one sentence each: a file that was cut off, another version.
    std::vector<std::string> gaps;
    Cycle begin = 0;  // of the first launch
    Cycle end = 0;    // of the last launch
    bool ended_early = false;

    const OperandSet& operands_of(const InstructionRecord& record) const {
        return operands[record.operands];
    }
    uint64_t clock_hz() const { return launches.empty() ? 0 : launches.front().clock_hz; }
};

}  // namespace ptosim
