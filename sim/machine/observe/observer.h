// Interface of observers of a running chip. Recorders and checkers implement Observer; the machine calls it and depends
// on nothing else of them. Without an observer nothing is called.
//
// All times are core cycles since the chip came up. Calls come in order of time. Calls of one cycle come in a fixed
// order that does not depend on the host.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/core/instruction.h"
#include "isa/core/kernel.h"
#include "isa/table/access.h"
#include "sim/machine/event/cycle.h"
#include "sim/machine/observe/core_id.h"

namespace ptosim {

// Reason of a stall of a pipe or the scalar unit.
enum class BlockReason : uint8_t {
    kFlag,       // wait_flag: the flag is not set
    kBarrier,    // barrier: earlier instructions have not completed
    kQueueFull,  // S only: the queue of the next instruction's pipe is full
    kData,       // an earlier instruction on conflicting bytes has not completed: --sync auto, unit
                 // flags of L0C, and buffer ids
    kCrossCore,  // waiting for a signal from another core
    kInFlight,   // the maximum number of instructions has started and not completed
    kDrain,      // S only: the kernel has ended and its pipes are still working
};
std::string_view name(BlockReason reason);

// One instruction in flight. `sequence` numbers the instructions of one core in program order, from 0. The instruction
// stays valid until on_complete returns.
struct InstructionEvent {
    CoreId core;
    Pipe pipe = Pipe::kS;
    uint64_t sequence = 0;
    const Instruction* instruction = nullptr;
    Cycle time = 0;
    // on_complete only: the times of issue and start, and when the pipe was free for the next one (start <= pipe_free
    // <= time).
    Cycle issued = 0;
    Cycle started = 0;
    Cycle pipe_free = 0;
    // on_complete of transfers through shared memory: bytes that L2 held, and that it did not.
    uint32_t l2_hit_bytes = 0;
    uint32_t l2_miss_bytes = 0;
    uint32_t l2_again_bytes = 0;  // part of l2_miss_bytes: accessed before in this run
    // Instructions with the same id differ only in the addresses of their global views; 0: unique.
    uint64_t validation_id = 0;
};

struct BlockEvent {
    CoreId core;
    Pipe pipe = Pipe::kS;
    BlockReason reason = BlockReason::kFlag;
    const Instruction* instruction = nullptr;  // the blocked instruction; null for kDrain
    uint64_t sequence = 0;
    Cycle time = 0;
    // Unblock by kFlag: sequence number of the releasing set. By kData: of the instruction waited for.
    uint64_t released_by = 0;
    Pipe released_pipe = Pipe::kS;
    CoreId released_core;   // differs from `core` for kCrossCore
    Pipe queue = Pipe::kS;  // kQueueFull: the pipe of the queue
};

// Numbers of flags between cores in events: 0 to 15 for signals to groups of cores (modes 0 to 2); from kIntraBlockIds
// on, 32 flags from core to core of a cluster (mode 3).
inline constexpr uint8_t kIntraBlockIds = 32;
inline constexpr uint8_t kIntraBlockMode = 3;
std::string cross_flag_text(unsigned id);  // "cross-core flag #3", "intra-block flag #17"

struct FlagEvent {
    // Core that owns the flag; for the set of a cross-core signal the sender (modes 0 to 2) or the receiver (mode 3).
    CoreId core;
    Pipe source = Pipe::kS;
    Pipe destination = Pipe::kS;
    uint8_t id = 0;
    bool cross_core = false;  // if true, the pipes are those of the two cores
    CoreId from;              // core that set it
    uint64_t sequence = 0;    // number of the instruction that set or consumed it
    SourceLocation location;
    Cycle time = 0;
    uint8_t cross_mode = 0;  // of the set of a cross-core signal; kIntraBlockMode
    bool carried = false;    // for a wait: it takes a set that an earlier launch has left
};

// The signals of a group have met, one of each core in the order of sending. They arrive at `to` as one count of the
// cross-core flag `id`.
struct SignalEvent {
    std::span<const CoreId> group;
    std::span<const CoreId> to;
    uint8_t mode = 0;
    uint8_t id = 0;
    Cycle time = 0;
};

// A load or store by the scalar unit itself, without an instruction.
struct ScalarAccessEvent {
    CoreId core;
    Access access;
    uint64_t sequence = 0;  // of the next instruction
    SourceLocation location;
    Cycle time = 0;
    // An access of compiled code that did not call its port (KernelPort::follow_pointer). Cores may synchronise by
    // polling with such accesses, which is not observed.
    bool by_pointer = false;
    bool past_cache = false;  // ScalarPath
    bool repeats = false;     // a store past the cache of the value already there
    uint64_t stored = 0;         // of a store past the cache: the value
    bool rewrites_line = false;  // a store that writes the rest of its line, too, as it was read before
};

// Follows the ScalarAccessEvent of a load or store.
struct CacheEvent {
    CoreId core;
    CacheUse use;
    Cycle time = 0;
};

struct LaunchEvent {
    std::string_view kernel;
    std::string_view chip;
    uint64_t clock_hz = 0;
    uint32_t blocks = 0;
    std::span<const CoreId> cores;  // cores of the launch
    const SourceMap* sources = nullptr;
    Cycle time = 0;
    Arch arch = Arch::kA2A3;
    bool scoreboard = false;  // --sync auto: the pipes of a core are ordered by their data
    unsigned flag_sets = 1;   // sets that a flag holds
    bool computes_data = false;
};

// In a launch of several kernels, one begins on its cores. If it waited for others, everything that has ended precedes
// it.
struct PartEvent {
    unsigned number = 0;
    std::span<const CoreId> cores;
    bool behind_ended = false;
    Cycle time = 0;
};

// State of a core that a block leaves behind for the next block and the next kernel on it.
struct LeftState {
    unsigned number = 0;   // of its register (isa/core/core_registers.h); kCoreRegisters: unit flags of L0C
    std::string what;      // "the atomic mode is left at add of f32"
    std::string effect;    // on the next kernel
    std::string mend;
    SourceLocation where;  // the line that has set it, if known
};

struct RunEvent {  // a core begins or ends a block
    CoreId core;
    BlockIdentity identity;
    Cycle time = 0;
    // At its end: what it leaves, and the registers that it has written, a bit for each.
    std::span<const LeftState> left{};
    uint32_t written = 0;
};

// An instruction uses state that an earlier block on its core has left.
struct CarriedStateEvent {
    CoreId core;
    unsigned number = 0;           // of the register
    std::string_view what;         // "the vector mask"
    std::string_view set;          // what has set it: "set_vector_mask at k.asc:24"
    std::string_view instruction;
    SourceLocation location;
    Cycle time = 0;
};

struct MaskedWriteEvent {
    CoreId core;
    MaskedWrite write;
};

class Observer {
 public:
    virtual ~Observer() = default;
    // True if it observes issue and start of instructions, flags and waits in addition to completion. Read once, when
    // it is attached.
    virtual bool follows_instructions() const { return true; }
    // Calls for each instruction or stall. kSynchronised: on_complete of flags, signals and barriers, which follows the
    // others; on_complete of other instructions is called for all observers. The last two are data that are costly to
    // make: loads and stores of compiled code by pointers, and the reports of threads (isa/core/thread_report.h).
    enum Need : uint8_t { kIssue, kStart, kSynchronised, kFlagSet, kFlagWait, kStall, kAccesses, kThreadReports, kNeeds };
    static constexpr unsigned kEachInstruction = (1u << kAccesses) - 1;
    // The needs of the observer, a bit for each. Read once, too.
    virtual unsigned needs() const {
        return follows_instructions() ? kEachInstruction | 1u << kAccesses : 1u << kSynchronised;
    }
    // True if events of different clusters may come at once, from several threads, and each cluster's in the order of
    // its own time.
    virtual bool takes_clusters_apart() const { return false; }
    // True if it needs no more events; it is detached soon after.
    virtual bool has_enough() const { return false; }
    virtual void on_launch(const LaunchEvent&) {}
    virtual void on_launch_end(Cycle) {}
    virtual void on_part(const PartEvent&) {}
    virtual void on_block_begin(const RunEvent&) {}
    virtual void on_block_end(const RunEvent&) {}  // all its pipes are empty
    virtual void on_issue(const InstructionEvent&) {}
    virtual void on_start(const InstructionEvent&) {}
    virtual void on_complete(const InstructionEvent&) {}
    virtual void on_flag_set(const FlagEvent&) {}
    virtual void on_flag_wait(const FlagEvent&) {}  // consumed
    virtual void on_signal(const SignalEvent&) {}
    virtual void on_scalar_access(const ScalarAccessEvent&) {}
    virtual void on_cache(const CacheEvent&) {}
    virtual void on_carried_state(const CarriedStateEvent&) {}
    virtual void on_masked_write(const MaskedWriteEvent&) {}
    virtual void on_block(const BlockEvent&) {}
    virtual void on_unblock(const BlockEvent&) {}
    virtual void on_diagnostic(const Diagnostic&) {}
};

}  // namespace ptosim
