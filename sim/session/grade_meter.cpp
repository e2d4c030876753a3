#include "sim/session/grade_meter.h"

#include <cstring>

#include "sim/timing/chip_facts.h"

namespace ptosim {

size_t GradeMeter::Hash::operator()(const Key& key) const {
    const std::string_view bytes(reinterpret_cast<const char*>(&key.shapes), sizeof key.shapes);
    return std::hash<std::string_view>()(bytes) ^ static_cast<size_t>(key.opcode);
}

CostBasis GradeMeter::of(const Instruction& instruction) {
    Key key{instruction.opcode, describe_shapes(instruction)};
    for (OperandSet::Item& item : key.shapes.items) item.address = 0;
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    if (known_.size() >= kMost) {
        const auto last = last_.find(instruction.opcode);
        if (last != last_.end()) return last->second;
    }
    if (!costs_) costs_ = std::make_unique<CostGrades>(chip_);
    const CostBasis basis = costs_->of(instruction);
    last_[instruction.opcode] = basis;
    if (known_.size() < kMost) known_.emplace(key, basis);
    return basis;
}

void GradeMeter::on_complete(const InstructionEvent& event) {
    const uint64_t cycles = event.pipe_free > event.started ? event.pipe_free - event.started : 0;
    if (event.validation_id < work_.size() && work_[event.validation_id].met)
        work_[event.validation_id].cycles += cycles;
    else
        add_first(event, cycles);
}

void GradeMeter::add_first(const InstructionEvent& event, uint64_t cycles) {
    if (event.instruction == nullptr || is_sync(event.instruction->opcode)) return;
    const GradeParts parts = of(*event.instruction).parts;
    constexpr uint64_t kMostIds = 1u << 20;
    if (event.validation_id == 0 || event.validation_id >= kMostIds)
        return once_.add(parts, cycles);
    if (event.validation_id >= work_.size()) work_.resize(2 * event.validation_id);
    work_[event.validation_id] = {parts, cycles, true};
}

TimeBasis GradeMeter::basis() const {
    TimeBasis sum = once_;
    sum.of_path = false;
    for (const Work& work : work_) sum.add(work.parts, work.cycles);
    sum.set_range(chip_facts(chip_).grades);
    return sum;
}

}  // namespace ptosim
