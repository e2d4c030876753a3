#include "sim/machine/timing/vector_program_time.h"

#include "sim/machine/timing/arithmetic.h"
#include "sim/machine/timing/vector_machine.h"

namespace ptosim {
namespace {

// The last writer of each register read by operations.
class Writers {
 public:
    explicit Writers(unsigned registers) : steps_(registers) {}
    void set(uint32_t reg, uint32_t step) { steps_[reg] = step + 1; }
    void add(uint32_t reg, std::vector<uint32_t>& sources) const {
        if (reg != 0 && steps_[reg] != 0) sources.push_back(steps_[reg] - 1);
    }

 private:
    std::vector<uint32_t> steps_;  // step number plus one; 0: none
};

VectorStep step_of(const ChipModel& chip, const VectorOperation& op) {
    const VectorOperationInfo& row = info(op.opcode);
    VectorStep step;
    switch (row.unit) {
        case VectorUnit::kLoad:
            step.kind = VectorStep::Kind::kLoad;
            step.result = whole(chip.aiv.vector.function.load);
            return step;
        case VectorUnit::kStore:
            step.kind = VectorStep::Kind::kStore;
            return step;
        case VectorUnit::kNone:
            step.kind = VectorStep::Kind::kBarrier;
            return step;
        case VectorUnit::kCompute:
            break;
    }
    const VectorRate& rate = chip.aiv.vector.rate[static_cast<size_t>(row.timed_as)];
    step.result = whole(rate.result != 0 ? rate.result : chip.aiv.vector.function.result);
    step.special = whole(rate.special);
    return step;
}

}  // namespace

Cost vector_program_cost(const ChipModel& chip, const VectorProgram& program) {
    std::vector<VectorStep> steps;
    Writers writers(program.registers());
    for (const VectorOperation& op : program.operations()) {
        VectorStep step = step_of(chip, op);
        for (uint32_t source : op.sources) writers.add(source, step.sources);
        writers.add(op.mask, step.sources);
        const auto number = static_cast<uint32_t>(steps.size());
        for (uint32_t result : op.results)
            if (result != 0) writers.set(result, number);
        steps.push_back(std::move(step));
    }
    const VectorFunctions& function = chip.aiv.vector.function;
    const Milli frame = function.start + function.drain + function.store;
    return make_cost(1000 * time_of_passes(function, steps, 1), frame, frame);
}

}  // namespace ptosim
