// Compiled with a call for each basic block: its time is counted.
#include "runtime.h"

namespace {

volatile uint32_t* cell(const Core& core, uint32_t offset) {
    return reinterpret_cast<volatile uint32_t*>(core.registers + offset);
}

void orchestrate(Program& program) {
    if (program.invalidates)
        ptosim_mpmd_invalidate(const_cast<const uint32_t*>(program.setting), sizeof(uint32_t));
    if (program.setting != nullptr && *program.setting == 0) return;  // never
    for (uint32_t task = 1; task <= program.tasks; ++task) program.submitted = task;
}

// Each task needs the result of the one before: one at a time, on the AIVs in turn.
void schedule(Program& program) {
    const uint32_t clusters = static_cast<uint32_t>(program.cores.size()) / 3;
    for (uint32_t task = 1; task <= program.tasks; ++task) {
        while (program.submitted < task) ptosim_mpmd_spin();
        const uint32_t cluster = task % clusters;
        Core* parts[] = {&program.cores[clusters + task % (2 * clusters)], nullptr, nullptr};
        if (program.mixed) {
            parts[0] = &program.cores[cluster];
            parts[1] = &program.cores[clusters + 2 * cluster];
            parts[2] = parts[1] + 1;
        }
        for (Core* core : parts) {
            if (core == nullptr) continue;
            core->arguments[0] = program.buffers[(task - 1) % kBuffers];
            core->arguments[1] = program.step;
            core->arguments[2] = core == parts[2] ? program.other : program.buffers[task % kBuffers];
            core->task = task;
            ptosim_mpmd_store(cell(*core, kTask), task);
        }
        for (Core* core : parts)
            while (core != nullptr && ptosim_mpmd_load(cell(*core, kDone)) != task) {  // and loads while a kernel runs
                if (program.setting != nullptr && *program.setting == 0) return;
            }
        if (program.reads_results) program.read = reinterpret_cast<const volatile uint32_t*>(parts[0]->arguments[2])[7];
    }
    for (Core& core : program.cores) ptosim_mpmd_store(cell(core, kTask), kExit);
}

// Looks for the next word of the first AIV all the time.
void listen(Program& program) {
    Core& core = program.cores[program.cores.size() / 3];
    for (uint32_t word = 1; word <= program.words; ++word) {
        while (ptosim_mpmd_load(cell(core, kDone)) != word) {
        }
        program.seen.push_back(ptosim_mpmd_nanoseconds());
    }
}

}  // namespace

int go_round(int rounds) {
    volatile int sum = 0;
    for (int i = 0; i < rounds; ++i) sum = sum + i;
    return sum;
}

int run_processor(void* argument) {
    Program& program = *static_cast<Program*>(argument);
    const uint32_t role = program.roles;
    program.roles = role + 1;
    *ptosim_mpmd_processor_word() = static_cast<int32_t>(role);
    if (role == 0) {
        orchestrate(program);
    } else {
        listen(program);
        schedule(program);
    }
    return *ptosim_mpmd_processor_word() == static_cast<int32_t>(role) ? 0 : 1;
}
