// Instructions without data (flags, signals and barriers), and where instructions go from the
// scalar unit.
#pragma once

#include <span>

#include "isa/core/arch.h"
#include "isa/table/instruction_table.h"
#include "isa/table/internal_flags.h"

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
// Whether a cross-core wait holds the scalar unit, and so the whole
// core, or its pipe alone: a trait of the architecture, and always the
// whole core with the scoreboard, which follows data and not signals.
inline bool stops_scalar_unit(Pipe pipe_of_wait, Arch arch, bool auto_sync) {
    return pipe_of_wait == Pipe::kS || pipe_of_wait == Pipe::kAll || auto_sync ||
           traits_of(arch).cross_wait_holds == WaitHolds::kCore;
}

struct Route {
    enum class To : uint8_t {
        kPipe,        // into the queue of its pipe
        kScalarUnit,  // which executes it itself
        kNowhere,     // it takes its issue time only: the scoreboard orders the pipes instead
    };
    To to = To::kPipe;
    // kPipe: it starts after all that these pipes have been given,
    // and the scalar unit continues after it. Mostly empty.
    std::span<const Pipe> awaited;
};

inline Route route_of(const Instruction& instruction, Pipe pipe, Arch arch, bool auto_sync) {
    using To = Route::To;
    const Opcode opcode = instruction.opcode;
    if (!is_control(opcode)) {
        if (pipe == Pipe::kS) return {To::kScalarUnit, {}};
        return {To::kPipe, auto_sync ? std::span<const Pipe>{} : awaited_pipes(instruction, arch)};
    }
    if (auto_sync && orders_pipes(opcode)) return {To::kNowhere, {}};
    const bool scalar = is_cross_wait(opcode) ? stops_scalar_unit(pipe, arch, auto_sync)
                                              : pipe == Pipe::kS || pipe == Pipe::kAll;
    return {scalar ? To::kScalarUnit : To::kPipe, {}};
}

}  // namespace ptosim
