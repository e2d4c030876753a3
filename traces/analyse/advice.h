// Advice: changes that shorten a run, ranked, each with the line to change.
//
// The saving of a change of slots, blocks, flags, order or hand-offs is that of a run with the
// change, where one can be simulated. Other savings are bounds: of a replay of the recorded events
// with a part of the machine or of the kernel changed, or of the time scaled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/analyse/accounting.h"
#include "traces/analyse/dependencies.h"
#include "traces/analyse/trial.h"
#include "traces/record/recording.h"

namespace ptosim {

enum class AdviceKind : uint8_t {
    kCause,      // of a run that ended early: what went wrong
    kBlocks,     // cores stand idle
    kUneven,     // some blocks have more to do than others
    kBuffer,     // a pipe waits until a slot is free
    kFlag,       // a flag orders more than bytes need
    kBarrier,    // a barrier does
    kHandOver,   // a core waits for data that another one hands over through global memory
    kBursts,     // transfers of short rows
    kAlignment,  // transfers of rows that begin inside sectors of L2
    kTiles,      // tiles so small that their cost is not that of their bytes
    kCache,      // reads again of what L2 has not kept
    kFirst,      // reads for the first time, of what L2 does not hold yet
    kBanks,      // operands that meet in the banks of UB
    kLines,      // threads access more lines of global memory than their bytes need
    kWarps,      // too few warps to hide the latencies of threads
    kLaunch,     // between launches, and between the blocks of a core
    kIssue,      // the scalar unit issues too slowly
    kQueue,      // queues are full
    kWork,       // a pipe has too much to do
    kLatency,    // dependent steps wait for each other while the pipes are idle
    // Only for programs of many kernels:
    kOrchestration,  // its tasks are submitted too late
    kScheduling,     // or handed to cores
    kStarvation,     // too few can run at once
    kKernel,         // one of its kernels takes most
    kDependency,     // tasks wait for others that they do not need
    kTasks,  // they are too small, too few, uneven, or in an order that leaves the longest for the
             // end
    kRing,   // the runtime's window or heap is full
    kCount,
};
std::string_view name(AdviceKind kind);
struct Advice {
    AdviceKind kind = AdviceKind::kWork;
    std::string what;        // what to do: "Use more blocks: 4 of 24 AICs are used"
    std::string why;         // a sentence with the facts behind it; may be empty
    Cycle saving = 0;        // of the duration
    bool simulated = false;  // the saving is that of a run with the change
    SourceLocation at;       // the line to touch; line 0: none
    std::string location;    // "gemm.pto:172"; empty if there is none
    std::string origin;      // "net.py:12": what that line was made from; may be empty
    std::string text;        // of that line, without blanks around it
};

// Returns advice, most saving first; if the run ended early, its cause. The changes in `also` are
// replayed together with the proposed ones, because making the graph of a replay takes longer than
// several replays; `ends` receives their ends. `attempt` simulates changes; it may be empty.
std::vector<Advice> advise(const Recording& recording, const Accounting& accounting,
                           const Dependencies& dependencies,
                           const std::vector<Dependencies::Step>& path,
                           const std::vector<Dependencies::Change>& also, std::vector<Cycle>& ends,
                           const TryChange& attempt = {});

// Method that found the saving: "simulated", "bound" (the saving is at most this), "bound, at half
// the time", "tasks moved", or "".
std::string_view estimate(const Advice& advice);

// "Use more blocks: ... (gemm.pto:50 `...`): saves 11723 of 19787 cycles, 59.2 % (simulated)."
std::string advice_text(const Advice& advice, Cycle duration);

}  // namespace ptosim
