// The unit flags of L0C: one bit per 512 bytes, by which M and FIX hand products over without
// set_flag and wait_flag.
//
// A product whose phase is given holds its pipe while a bit of its tile is 1, and makes them 1 when
// it has completed if the phase is final. FIX (TSTORE, TMOV, ... out of L0C with a phase) holds its
// pipe while a bit of its tile is 0, and makes them 0 when it has completed if the phase is final.
// hw-native-sys/pto-isa: AccPhase of TMATMUL, STPhase of TSTORE (unit-flag control of mad and
// copy_matrix_cc_to_gm: 2 checks, 3 checks and updates).
#pragma once

#include <bitset>

#include "isa/instruction.h"
#include "sim/timing/agenda.h"

namespace ptosim {

class UnitFlags {
 public:
    explicit UnitFlags(Agenda& agenda) : changed_{agenda} {}

    // Whether an instruction with a phase has to wait.
    bool held(const Instruction& instruction) const;
    // It starts: who comes after it waits until it has completed.
    void start(const Instruction& instruction);
    // It has completed.
    void complete(const Instruction& instruction, uint64_t sequence);
    void clear() {
        full_.reset();
        changing_.reset();
    }

    Wakeup& changed() { return changed_; }
    // Who made bits 1 or 0 last.
    uint64_t sequence() const { return sequence_; }
    Pipe pipe() const { return pipe_; }

 private:
    using Bits = std::bitset<1024>;  // 512 KiB, more than any L0C has

    Bits full_;
    Bits changing_;  // by a final instruction under way
    uint64_t sequence_ = 0;
    Pipe pipe_ = Pipe::kS;
    Wakeup changed_;
};

}  // namespace ptosim
