// The buffer ids of a core (a5), by which its pipes take turns at a buffer in the order of the
// program.
//
// A pipe holds an id between GET_BUF and RLS_BUF. In mode 0 the pipe starts nothing behind a
// GET_BUF until every RLS_BUF of the id that stands before it in the program has completed on its
// pipe; in mode 1 GET_BUF does not wait, and an RLS_BUF waits for those before it instead (PTO-ISA
// PTO-Gym docs/PTO-micro-Instruction-SPEC.md, hw-native-sys/PTOAS docs/bufid_sync_a5_design.md).
// A pipe works in order: it does not wait for its own.
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/core_context.h"
#include "sim/core/pipe_counts.h"

namespace ptosim {

class BufferTokens {
 public:
    static constexpr unsigned kIds = 32;

    explicit BufferTokens(CoreContext& core) : core_{core} {}

    // A GET_BUF or RLS_BUF, in the order of the program. `count` is the number of entries of
    // its pipe with it; 0 on S, which executes it at once. Fills in what each pipe must have
    // completed before it starts. Reports an id that is held already (E14) or not held (E15).
    void pass(const Instruction& instruction, uint64_t count, PipeCounts& after);
    // The block has ended: what it still holds is reported (E16), and not held any more.
    void end_block();
    // A launch begins: pipes continue to count their entries.
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
