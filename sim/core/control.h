// What the kinds of instructions without data are about: flags, signals and barriers.
#pragma once

#include "isa/instruction_table.h"

namespace ptosim {

inline bool is_buffer_token(Opcode opcode) {
    return opcode == Opcode::kGET_BUF || opcode == Opcode::kRLS_BUF;
}
// What the scoreboard of --sync auto makes unnecessary.
inline bool orders_pipes(Opcode opcode) {
    return opcode == Opcode::kSET_FLAG || opcode == Opcode::kWAIT_FLAG ||
           opcode == Opcode::kPIPE_BARRIER || is_buffer_token(opcode);
}
inline bool is_control(Opcode opcode) { return info(opcode).timing == TimingClass::kFlag; }
inline bool is_cross_set(Opcode opcode) {
    return opcode == Opcode::kCROSS_SET || opcode == Opcode::kINTRA_SET;
}
inline bool is_cross_wait(Opcode opcode) {
    return opcode == Opcode::kCROSS_WAIT || opcode == Opcode::kINTRA_WAIT;
}

}  // namespace ptosim
