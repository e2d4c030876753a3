// What can be seen of a running chip. Recorders and checkers implement Observer; the
// machine calls it and knows nothing else of them. Without an observer nothing is called.
//
// All times are core cycles since the chip came up. Calls come in order of time; calls of one
// cycle come in a fixed order that does not depend on the host.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/core/instruction.h"
#include "isa/core/kernel.h"
#include "isa/table/access.h"
#include "sim/event/cycle.h"
#include "sim/observe/core_id.h"

namespace ptosim {

// Why a pipe (or the scalar unit) stalls.
enum class BlockReason : uint8_t {
    kFlag,       // wait_flag: the flag is not set
    kBarrier,    // barrier: earlier instructions have not completed
    kQueueFull,  // S only: the queue of the next instruction's pipe is full
    kData,       // an earlier instruction on conflicting bytes has not completed: --sync auto, unit
                 // flags of L0C, and buffer ids
    kCrossCore,  // waiting for a signal from another core
    kInFlight,   // as many instructions as the pipe can follow have started and not completed
    kDrain,      // S only: the kernel has ended and its pipes are still working
};
std::string_view name(BlockReason reason);

// One instruction in flight. `sequence` numbers the instructions of one core in program order,
// from 0; the instruction stays valid until on_complete returns.
struct InstructionEvent {
    CoreId core;
    Pipe pipe = Pipe::kS;
    uint64_t sequence = 0;
    const Instruction* instruction = nullptr;
    Cycle time = 0;
    // on_complete only: when it was issued, when it started, and when the pipe was free for the
    // next one (start <= pipe_free <= time).
    Cycle issued = 0;
    Cycle started = 0;
    Cycle pipe_free = 0;
    // on_complete of transfers through shared memory: bytes that L2 held, and that it did not.
    uint32_t l2_hit_bytes = 0;
    uint32_t l2_miss_bytes = 0;
    uint32_t l2_again_bytes = 0;  // of the latter: what was accessed before in this run
    // Instructions with one id differ in nothing but the addresses of their global views; 0: no
    // other one has it.
    uint64_t validation_id = 0;
};

struct BlockEvent {
    CoreId core;
    Pipe pipe = Pipe::kS;
    BlockReason reason = BlockReason::kFlag;
    const Instruction* instruction = nullptr;  // what waits; null for kDrain
    uint64_t sequence = 0;
    Cycle time = 0;
    // Unblock by kFlag: the sequence number of the set that released it. By kData: of the
    // instruction waited for.
    uint64_t released_by = 0;
    Pipe released_pipe = Pipe::kS;
    CoreId released_core;   // differs from `core` for kCrossCore
    Pipe queue = Pipe::kS;  // kQueueFull: whose
};

// Numbers of flags between cores, as events give them: 0 to 15 are those of signals to groups of
// cores (modes 0 to 2); from kIntraBlockIds on, 32 flags from core to core of a cluster (mode 3).
inline constexpr uint8_t kIntraBlockIds = 32;
inline constexpr uint8_t kIntraBlockMode = 3;
std::string cross_flag_text(unsigned id);  // "cross-core flag #3", "intra-block flag #17"

struct FlagEvent {
    // Whose flag; for the set of a cross-core signal: who sent it (modes 0 to 2) or the one who
    // gets it (mode 3).
    CoreId core;
    Pipe source = Pipe::kS;
    Pipe destination = Pipe::kS;
    uint8_t id = 0;
    bool cross_core = false;  // then source/destination pipes are those of the two cores
    CoreId from;              // who set it
    uint64_t sequence = 0;    // of the instruction that set or consumed it
    SourceLocation location;
    Cycle time = 0;
    uint8_t cross_mode = 0;  // of the set of a cross-core signal; kIntraBlockMode
    bool carried = false;    // of a wait: it takes a set that an earlier launch has left
};

// The signals of a group have met: one of each of its cores, in the order in which each sent them.
// They will arrive at `to` as one count of the cross-core flag `id`.
struct SignalEvent {
    std::span<const CoreId> group;
    std::span<const CoreId> to;
    uint8_t mode = 0;
    uint8_t id = 0;
    Cycle time = 0;
};

// The scalar unit loads or stores by itself, without an instruction.
struct ScalarAccessEvent {
    CoreId core;
    Access access;
    uint64_t sequence = 0;  // of the next instruction
    SourceLocation location;
    Cycle time = 0;
    // Of compiled code, which has not asked its port (KernelPort::follow_pointer): cores agree on
    // such accesses by polling, too, which nobody sees.
    bool by_pointer = false;
    bool past_cache = false;  // ScalarPath
    bool repeats = false;     // a store past the cache of what is there already
};

// Behind the ScalarAccessEvent of a load or store.
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
    std::span<const CoreId> cores;  // that take part
    const SourceMap* sources = nullptr;
    Cycle time = 0;
    Arch arch = Arch::kA2A3;
    bool scoreboard = false;  // --sync auto: the pipes of a core are ordered by their data
    unsigned flag_sets = 1;   // that a flag holds
};

// Of a launch of several kernels: one of them begins on its cores. All that has ended came before if it waited
// for others.
struct PartEvent {
    unsigned number = 0;
    std::span<const CoreId> cores;
    bool behind_ended = false;
    Cycle time = 0;
};

struct RunEvent {  // a core starts or ends a block
    CoreId core;
    BlockIdentity identity;
    Cycle time = 0;
};

class Observer {
 public:
    virtual ~Observer() = default;
    // Whether it needs more of instructions than their completion: their
    // issue and start, flags and waits. Asked once, when it is attached.
    virtual bool follows_instructions() const { return true; }
    // Whether it wants to know nothing more: it is let go of soon.
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
    virtual void on_block(const BlockEvent&) {}
    virtual void on_unblock(const BlockEvent&) {}
    virtual void on_diagnostic(const Diagnostic&) {}
};

}  // namespace ptosim
