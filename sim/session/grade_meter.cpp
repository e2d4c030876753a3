#include "sim/session/grade_meter.h"

#include <cstring>

#include "sim/machine/timing/chip_facts.h"

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
    const CostBasis basis = chip_.cost_grades().of(instruction);
    last_[instruction.opcode] = basis;
    if (known_.size() < kMost) known_.emplace(key, basis);
    return basis;
}

void GradeMeter::on_complete(const InstructionEvent& event) {
    const uint64_t cycles = event.pipe_free > event.started ? event.pipe_free - event.started : 0;
    if (event.validation_id >= work_.size() || !work_[event.validation_id].met)
        return add_first(event, cycles);
    Work& work = work_[event.validation_id];
    if (work.transfer_cycles > 0 && cycles > work.transfer_cycles) {
        add_shared(event, cycles - work.transfer_cycles);
        work.cycles += work.transfer_cycles;
    } else {
        work.cycles += cycles;
    }
}

// The additional time of a transfer depends on what it shares, as in time_basis.cpp.
void GradeMeter::add_shared(const InstructionEvent& event, uint64_t cycles) {
    (event.l2_miss_bytes > event.l2_hit_bytes ? of_hbm_ : of_l2_) += cycles;
}

void GradeMeter::add_first(const InstructionEvent& event, uint64_t cycles) {
    if (event.instruction == nullptr || is_sync(event.instruction->opcode)) return;
    const CostBasis basis = of(*event.instruction);
    const GradeParts& parts = basis.parts;
    const bool transfer = event.l2_hit_bytes + event.l2_miss_bytes > 0;
    if (transfer && cycles > basis.transfer_cycles) {
        add_shared(event, cycles - basis.transfer_cycles);
        cycles = basis.transfer_cycles;
    }
    constexpr uint64_t kMostIds = 1u << 20;
    if (event.validation_id == 0 || event.validation_id >= kMostIds)
        return once_.add(parts, cycles);
    if (event.validation_id >= work_.size()) work_.resize(2 * event.validation_id);
    work_[event.validation_id] = {parts, cycles, transfer ? basis.transfer_cycles : 0, true};
}

TimeBasis GradeMeter::basis() const {
    TimeBasis sum = once_;
    sum.of_path = false;
    for (const Work& work : work_) sum.add(work.parts, work.cycles);
    const TimeGrades grades = chip_facts(chip_.model()).grades;
    sum.add(grades.l2, of_l2_);
    sum.add(grades.hbm, of_hbm_);
    sum.set_range(grades);
    return sum;
}

}  // namespace ptosim
