// The buffer ids of a core (a5), by which its pipes take turns at a buffer in program order.
//
// A pipe holds an id between GET_BUF and RLS_BUF. In mode 0 a pipe starts nothing after a GET_BUF until every RLS_BUF
// of the id that precedes it in the program has completed on its pipe. In mode 1 GET_BUF does not wait; instead an
// RLS_BUF waits for the preceding ones, and for all instructions that its pipe began before (PTO-ISA PTO-Gym
// docs/PTO-micro-Instruction-SPEC.md, hw-native-sys/PTOAS docs/bufid_sync_a5_design.md, asc-devkit asc_unlock). It
// waits in its pipe: the next load of MTE2 begins when the loads before such a release have ended. A pipe does not
// wait for its own releases because it works in order.
#pragma once

#include <array>
#include <cstdint>

#include "sim/machine/core/core_context.h"
#include "sim/machine/core/pipe_counts.h"

namespace ptosim {

class BufferTokens {
 public:
    static constexpr unsigned kIds = 32;

    explicit BufferTokens(CoreContext& core) : core_{core} {}

    // Processes a GET_BUF or RLS_BUF, in program order. `count` is the number of entries of its pipe including this
    // one; 0 on S, which executes it at once. Fills `after` with the entries that each pipe must complete before this
    // one starts. Reports an id that is already held (E14) or not held (E15).
    void pass(const Instruction& instruction, uint64_t count, PipeCounts& after);
    // The block has ended: reports and releases ids that are still held (E16).
    void end_block();
    // A launch begins. Pipes continue to count their entries.
    void clear() { ids_ = {}; }

 private:
    struct Holder {
        bool holds = false;
        SourceLocation since;
    };
    struct Id {
        PipeCounts released{};
        std::array<Holder, kPipeCount> holders{};
    };

    void get(Id& id, const Instruction& instruction);
    void release(Id& id, const Instruction& instruction);
    void report(const char* code, Pipe pipe, std::string message, const char* instruction,
                SourceLocation where, const SourceLocation* acquired = nullptr);

    CoreContext& core_;
    std::array<Id, kIds> ids_{};
};

}  // namespace ptosim
