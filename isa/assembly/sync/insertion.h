// Inserts flags and barriers into a function that has none.
//
// The result follows the assembler (hw-native-sys/PTOAS docs/designs/ptoas-auto-sync-design.md):
//   - Dependent instructions of two pipes get a set_flag after the first and a wait_flag before the second; dependent
//     instructions of one pipe get a barrier between them.
//   - A pair whose two ends lie in different loops or branches moves to the innermost block that holds both, so that
//     each path has as many sets as waits.
//   - A dependence that a loop carries gets its wait at the head of the next iteration, a first set before the loop and
//     a last wait after it.
//   - Flags that cannot be pending together share an id. A flag for which no id is left becomes a barrier of all pipes.
//   - The function ends with a wait for all pipes.
//   - If the iterations of a loop use the slots of a buffer in turn, a flag has one id per slot: an iteration waits for
//     the last iteration that used its slot, not for the one directly before it.
//
// The algorithm differs from the assembler's. The analysis follows through the program which instructions may still be
// in flight when a pipe starts its next one (a set of instructions per pipe, joined where paths meet, repeated for
// loops until nothing changes), adds flags until no instruction can start before what it depends on, and then removes
// flags as long as that stays true.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/assembly/sync/footprints.h"
#include "isa/core/pipe.h"
#include "isa/table/internal_flags.h"

namespace ptosim::assembly {

struct Operation;
struct SyncNode;
using SyncBlock = std::vector<SyncNode>;

// Footprint of a node in each iteration of a loop around it: [start * period + iteration % period], as in
// IterationReach.
struct SyncIterations {
    const Operation* loop = nullptr;
    std::vector<std::vector<Reach>> reach;
    // If it is known: all that it touches of global memory.
    std::optional<GlobalBox> box;
};

// A piece of a function as one core sees it.
struct SyncNode {
    enum class Kind : uint8_t {
        kWork,     // one instruction, or a scalar access (pipe S)
        kBarrier,  // of `pipe`, which may be all
        kDrain,    // something that must find all pipes empty: a call, a meeting of all cores
        kLoop,     // blocks[0], any number of times
        kWhile,    // blocks[0], and then, any number of times, blocks[1] and blocks[0]
        kBranch,   // one of the blocks
    };
    Kind kind = Kind::kWork;
    const Operation* operation = nullptr;
    Pipe pipe = Pipe::kS;
    std::vector<Reach> reach;
    std::vector<SyncIterations> iterations;  // where it is less than `reach`
    // Its order with other instructions of its pipe needs no barrier.
    bool in_order = false;
    bool releases = false;  // a signal to other cores: after all that was done to memory
    bool acquires = false;  // a signal of other cores: before all that is done to memory
    std::vector<InternalFlag> internal;
    std::vector<SyncBlock> blocks;
    // kLoop: iterations after which what its nodes reach repeats; how often it runs, if that is
    // known.
    unsigned period = 1;
    std::optional<uint64_t> trips;
};

struct SyncOptions {
    Arch arch = Arch::kA2A3;
    // Ids that may be used; those between pipes that both core types have (S, MTE2, MTE3) may be
    // restricted, where the flags are in code that both run.
    uint8_t ids = 8;
    uint8_t shared_first = 0, shared_ids = 8;
};

struct SyncInsertion {
    enum class Kind : uint8_t { kSet, kWait, kBarrier };
    Kind kind = Kind::kBarrier;
    const Operation* operation = nullptr;  // where
    bool behind = false;                   // the operation, not before it
    Pipe source = Pipe::kAll, destination = Pipe::kAll;
    uint8_t id = 0;
    // If `ids` is more than one, the id is id + (n + offset) % ids, where n is the number of the
    // iteration of `loop`, from 0, or after the loop the number of iterations that there were.
    uint8_t ids = 1, offset = 0;
    const Operation* loop = nullptr;
    // Reason for the flag: the instruction that waits, or after which it is set; may lie inside `operation`.
    const Operation* of = nullptr;
};

// Returned in the order of the flags at their positions. The barrier at the end is the caller's.
std::vector<SyncInsertion> insert_sync(const SyncBlock& body, const SyncOptions& options);

// True if any pipe but S has work in it.
bool has_pipe_work(const SyncBlock& body);

}  // namespace ptosim::assembly
