// Instructions without data (flags, signals, barriers), and the routes of instructions from the scalar unit.
#pragma once

#include <span>

#include "isa/core/arch.h"
#include "isa/table/instruction_table.h"
#include "isa/table/internal_flags.h"

namespace ptosim {

inline bool is_buffer_token(Opcode opcode) {
    return opcode == Opcode::kGET_BUF || opcode == Opcode::kRLS_BUF;
}
// True for instructions that the scoreboard of --sync auto replaces.
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
// True if a cross-core wait holds the scalar unit, and so the whole core, rather than its pipe alone. This is a trait
// of the architecture. With the scoreboard it is always the whole core, because the scoreboard follows data and not
// signals.
inline bool stops_scalar_unit(Pipe pipe_of_wait, Arch arch, bool auto_sync) {
    return pipe_of_wait == Pipe::kS || pipe_of_wait == Pipe::kAll || auto_sync ||
           traits_of(arch).cross_wait_holds == WaitHolds::kCore;
}

// The kind of an entry of a pipe, as far as its pipe distinguishes it.
enum class Form : uint8_t { kData, kSetFlag, kWaitFlag, kBufferToken, kOtherControl };
inline Form form_of(Opcode opcode) {
    if (!is_control(opcode)) return Form::kData;
    if (opcode == Opcode::kSET_FLAG) return Form::kSetFlag;
    if (opcode == Opcode::kWAIT_FLAG) return Form::kWaitFlag;
    return is_buffer_token(opcode) ? Form::kBufferToken : Form::kOtherControl;
}

struct Route {
    enum class To : uint8_t {
        kPipe,        // into the queue of its pipe
        kScalarUnit,  // executed by the scalar unit
        kNowhere,     // takes only its issue time, because the scoreboard orders the pipes
    };
    To to = To::kPipe;
    // For kPipe: the instruction starts after everything issued to these pipes, and the scalar unit continues after it.
    // Mostly empty.
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
