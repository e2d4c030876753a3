#include "sim/session/grade_meter.h"

#include <cstring>

#include "sim/machine/timing/chip_facts.h"

namespace ptosim {

size_t GradeMeter::Hash::operator()(const Key& key) const {
    const std::string_view bytes(reinterpret_cast<const char*>(&key.shapes), sizeof key.shapes);
    return std::hash<std::string_view>()(bytes) ^ static_cast<size_t>(key.opcode);
}

CostBasis GradeMeter::of(OfCore& core, const Instruction& instruction) {
    Key key{instruction.opcode, describe_shapes(instruction)};
    for (OperandSet::Item& item : key.shapes.items) item.address = 0;
    const auto found = core.known.find(key);
    if (found != core.known.end()) return found->second;
    const bool full = core.known.size() >= kMost;
    if (full) {
        const auto last = core.last.find(instruction.opcode);
        if (last != core.last.end()) return last->second;
    }
    const std::lock_guard locked(mutex_);
    const auto computed = computed_.find(key);
    const CostBasis basis = computed != computed_.end() ? computed->second : chip_.cost_grades().of(instruction);
    core.last[instruction.opcode] = basis;
    if (computed_.size() < kMost) computed_.emplace(key, basis);
    if (!full) core.known.emplace(key, basis);
    return basis;
}

void GradeMeter::complete(OfCore& core, const InstructionEvent& event) {
    const uint64_t cycles = event.pipe_free > event.started ? event.pipe_free - event.started : 0;
    Work& work = core.latest.in_place_of(event.validation_id);
    if (event.validation_id == 0 || work.id != event.validation_id)
        return add_first(core, event, cycles);
    if (work.transfer_cycles > 0 && cycles > work.transfer_cycles) {
        core.add_shared(event, cycles - work.transfer_cycles);
        work.cycles += work.transfer_cycles;
    } else {
        work.cycles += cycles;
    }
}

// The additional time of a transfer depends on what it shares, as in time_basis.cpp.
void GradeMeter::OfCore::add_shared(const InstructionEvent& event, uint64_t cycles) {
    (event.l2_miss_bytes > event.l2_hit_bytes ? of_hbm : of_l2) += cycles;
}

void GradeMeter::add_first(OfCore& core, const InstructionEvent& event, uint64_t cycles) {
    if (event.instruction == nullptr || is_sync(event.instruction->opcode)) return;
    const CostBasis basis = of(core, *event.instruction);
    const GradeParts& parts = basis.parts;
    const bool transfer = event.l2_hit_bytes + event.l2_miss_bytes > 0;
    if (transfer && cycles > basis.transfer_cycles) {
        core.add_shared(event, cycles - basis.transfer_cycles);
        cycles = basis.transfer_cycles;
    }
    const uint64_t id = event.validation_id;
    if (id == 0) return core.rest.add(parts, cycles);
    Work& work = core.latest.in_place_of(id);
    core.rest.add(work.parts, work.cycles);
    work = {id, parts, cycles, transfer ? basis.transfer_cycles : 0};
}

TimeBasis GradeMeter::basis() const {
    TimeBasis sum;
    uint64_t of_l2 = 0, of_hbm = 0;
    cores_.for_each([&](const OfCore& core) {
        for (size_t grade = 0; grade < sum.parts.size(); ++grade)
            sum.parts[grade] += core.rest.parts[grade];
        for (const Work& work : core.latest)
            if (work.id != 0) sum.add(work.parts, work.cycles);
        of_l2 += core.of_l2;
        of_hbm += core.of_hbm;
    });
    sum.of_path = false;
    const TimeGrades grades = chip_facts(chip_.model()).grades;
    sum.add(grades.l2, of_l2);
    sum.add(grades.hbm, of_hbm);
    sum.set_range(grades);
    return sum;
}

}  // namespace ptosim
