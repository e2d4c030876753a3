// Registers of a core that one instruction sets and later ones use: feature maps of TIMG2COL (two sets, A and B) and
// the scale of moves out of L0C.
//
// The scalar unit sets them in program order, so that an instruction's values are known when it is issued: code that
// issues instructions passes each of them through pass() and continues with the result.
#pragma once

#include <array>

#include "isa/core/instruction.h"

namespace ptosim {

class ModeRegisters {
 public:
    // True if pass() changes the registers or such an instruction.
    static bool concerns(Opcode opcode);
    // Takes the values of a setting instruction; completes an instruction that uses them.
    void pass(Instruction& instruction);

    // Last value of SET_QUANT_SCALAR and SET_QUANT_VECTOR; operand kind kNone before.
    const Operand& quantisation() const { return quantisation_; }

 private:
    std::array<Image, 2> images_{};
    Operand quantisation_;
};

}  // namespace ptosim
