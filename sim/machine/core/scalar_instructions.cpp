#include "sim/machine/core/scalar_instructions.h"

namespace ptosim {
void ScalarInstructions::execute(const Instruction& instruction) {
    InstructionEvent event;
    event.core = core_.id;
    event.sequence = scalar_.take_sequence();
    event.instruction = &instruction;
    event.time = event.issued = event.started = event.pipe_free = core_.now();
    const ObserverList& observers = core_.observers;
    observers.issue(event);
    dispatch(instruction, event.sequence);
    if (observers.empty()) return;
    event.time = event.started = event.pipe_free = core_.now();
    observers.start(event);
    observers.complete(event, is_control(instruction.opcode));
}

void ScalarInstructions::dispatch(const Instruction& instruction, uint64_t sequence) {
    switch (instruction.opcode) {
        case Opcode::kPIPE_BARRIER:
            return barrier(instruction, sequence);
        case Opcode::kWAIT_FLAG:
            return wait_flag(instruction, sequence);
        case Opcode::kSET_FLAG:
            return sync_.flags.set(instruction, sequence);
        case Opcode::kCROSS_WAIT:
        case Opcode::kINTRA_WAIT:
            return wait_cross_core(instruction, sequence);
        case Opcode::kGET_BUF:
        case Opcode::kRLS_BUF:
            return buffer_token(instruction, sequence);
        case Opcode::kCROSS_SET:
        case Opcode::kINTRA_SET:
            if (core_.auto_sync) wait_until_drained(instruction, sequence);
            return core_.environment.cross_set(core_.id, instruction, sequence);
        case Opcode::kTPREFETCH_ASYNC:
            return core_.environment.prefetch(core_.id, instruction.operands[0].global);
        case Opcode::kTPRINT:
            barrier(instruction, sequence);
            return pipes_.data().print(instruction);
        default:
            return compute(instruction, sequence);
    }
}

void ScalarInstructions::barrier(const Instruction& instruction, uint64_t sequence) {
    if (instruction.attributes.destination_pipe != Pipe::kAll) return;  // S works in order anyway
    wait_until_drained(instruction, sequence);
}

void ScalarInstructions::wait_until_drained(const Instruction& instruction, uint64_t sequence) {
    scalar_.wait_for_pipes(pipes_.pushed(), BlockReason::kBarrier, &instruction, sequence);
}

void ScalarInstructions::wait_flag(const Instruction& instruction, uint64_t sequence) {
    const FlagFile::Flag& flag = sync_.flags.of(instruction);
    if (!flag.set) {
        scalar_.block(BlockReason::kFlag, &instruction, sequence);
        while (!flag.set) scalar_.wait_for(sync_.flags.arrived(Pipe::kS));
        scalar_.unblock(released_by(core_.id, instruction.attributes.source_pipe, flag.sequence));
    }
    sync_.flags.take(instruction, sequence);
}

void ScalarInstructions::wait_cross_core(const Instruction& instruction, uint64_t sequence) {
    const CrossCoreFlags::Flag& flag = sync_.cross_core.of(instruction);
    if (flag.count == 0) {
        scalar_.block(BlockReason::kCrossCore, &instruction, sequence);
        while (flag.count == 0) scalar_.wait_for(sync_.cross_core.arrived());
        scalar_.unblock(released_by(flag.last.from, flag.last.pipe, flag.last.sequence));
    }
    sync_.cross_core.take(instruction, sequence);
}

void ScalarInstructions::buffer_token(const Instruction& instruction, uint64_t sequence) {
    PipeCounts after{};
    sync_.buffers.pass(instruction, 0, after);
    scalar_.wait_for_pipes(after, BlockReason::kData, &instruction, sequence, true);
}

// Computes element by element, while the scalar unit can do nothing else.
void ScalarInstructions::compute(const Instruction& instruction, uint64_t sequence) {
    if (core_.auto_sync)
        for (const Access& access : accesses(instruction))
            memory_.begin_access(access, ScalarPath::kThroughCache, instruction.location);
    scalar_.charge(1000 * core_.environment.cost(instruction).occupancy);
    scalar_.spend();
    pipes_.data().execute(instruction, sequence);
}

}  // namespace ptosim
