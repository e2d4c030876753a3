#include "isa/core/thread_work.h"

namespace ptosim {

Instruction threads_instruction(const ThreadWork& work, SourceLocation where) {
    Instruction instruction(Opcode::kTHREADS, where);
    for (const uint64_t figure :
         {work.cycles, work.read, work.written, work.behind_l2, work.effects})
        instruction.add(Scalar{figure, DType::kU64});
    return instruction;
}

ThreadWork thread_work(const Instruction& instruction) {
    const auto figure = [&](unsigned i) { return instruction.operands[i].scalar.bits; };
    return {.cycles = figure(0),
            .read = figure(1),
            .written = figure(2),
            .behind_l2 = figure(3),
            .effects = figure(4)};
}

}  // namespace ptosim
