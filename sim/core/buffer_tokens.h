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
#include <optional>
#include <vector>

#include "isa/instruction.h"
#include "isa/pipe.h"

namespace ptosim {

class BufferTokens {
 public:
    static constexpr unsigned kIds = 32;
    // So many entries of each pipe must have completed.
    using After = std::array<uint64_t, kPipeCount>;

    enum class Fault : uint8_t { kHeld, kNotHeld, kLeft };
    struct Misuse {
        Fault fault = Fault::kHeld;
        uint8_t id = 0;
        Pipe pipe = Pipe::kS;     // of the instruction; kLeft: that holds it
        Pipe holder = Pipe::kS;   // kHeld
        SourceLocation acquired;  // kHeld, kLeft
    };

    // A GET_BUF or RLS_BUF, in the order of the program. `place` is its number among the entries
    // of its pipe, from 1; 0 on S, which is done with it when it comes to it. Returns what is wrong
    // with its place in the program.
    std::optional<Misuse> pass(const Instruction& instruction, uint64_t place, After& after);
    // The block has ended: what it has left held. Nothing is held afterwards.
    std::vector<Misuse> end_block();
    // A launch begins: pipes count their entries on.
    void clear() { ids_ = {}; }

 private:
    struct Holder {
        bool holds = false;
        SourceLocation since;
    };
    struct Id {
        After released{};
        std::array<Holder, kPipeCount> holders{};
    };
    std::array<Id, kIds> ids_{};
};

}  // namespace ptosim
