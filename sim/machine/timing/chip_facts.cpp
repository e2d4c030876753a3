#include "sim/machine/timing/chip_facts.h"

#include <algorithm>

#include "isa/core/arch.h"
#include "sim/machine/timing/vector_cost.h"

namespace ptosim {

namespace {
constexpr uint64_t kCubeOutputs = 16 * 16;  // outputs that a cube computes at once

// Rate of a path with rows of kWindow bytes, in thousandths of bytes per cycle.
uint64_t rate_of_long_rows(const DmaPath& path) {
    constexpr uint64_t kWindow = 512;  // of L2
    const uint64_t of_bytes = kWindow * 1'000'000 / std::max<uint64_t>(1, path.rate);
    uint64_t row = std::max<uint64_t>(path.row_least, path.row_cycles + of_bytes);
    if (path.most.value() > 0) row = std::max<uint64_t>(row, kWindow * 1'000'000 / path.most);
    return kWindow * 1'000'000 / std::max<uint64_t>(1, row);
}

TimeGrade grade_of(const ChipModel& chip, const ChipParameter& parameter) {
    const ChipModel::Provenance* const stated = chip.stated(parameter);
    return stated == nullptr ? TimeGrade::kAssumed : stated->grade;
}

TimeGrades time_grades(const ChipModel& chip) {
    TimeGrades grades{grade_of(chip, chip.scalar.operation), grade_of(chip, chip.sync.cross_core_latency),
                      grade_of(chip, chip.launch.block_start), grade_of(chip, chip.memory.l2.read),
                      grade_of(chip, chip.memory.hbm.rate), grade_of(chip, chip.launch.overhead)};
    for (size_t grade = 0; grade < kTimeGradeCount; ++grade)
        grades.error[grade] = chip.error[grade].value();
    return grades;
}
}  // namespace

Peaks peaks(const ChipModel& chip) {
    Peaks result;
    for (size_t type = 0; type < result.products.size(); ++type)
        result.products[type] = kCubeOutputs * chip.aic.cube.k_per_cycle[type] * chip.clusters;
    result.read_bytes = chip.per_cycle(chip.memory.l2.read);
    result.written_bytes = chip.per_cycle(chip.memory.l2.write);
    result.hbm_bytes = chip.per_cycle(chip.memory.hbm.rate);
    return result;
}

ChipFacts chip_facts(const ChipModel& model) {
    ChipFacts facts;
    std::copy(model.buffer_bytes.begin(), model.buffer_bytes.end(), facts.buffer_bytes.begin());
    facts.read_bytes_per_second = model.memory.l2.read;
    facts.write_bytes_per_second = model.memory.l2.write;
    facts.queue_depth = model.queue.depth;
    facts.aics = model.clusters;
    facts.aivs = model.clusters * model.cluster.aivs;
    facts.vector_bytes_per_cycle = kRepeatBytes;
    facts.peaks = peaks(model);
    facts.hbm_bytes_per_second = model.memory.hbm.rate;
    facts.aic_read_rate =
        std::max(rate_of_long_rows(model.aic.gm_to_l1),
                 rate_of_long_rows(model.aic.gm_to_l1_nd2nz));
    facts.aic_write_rate = rate_of_long_rows(model.aic.l0c_to_gm);
    facts.aiv_read_rate = rate_of_long_rows(model.aiv.gm_to_ub);
    facts.aiv_write_rate = rate_of_long_rows(model.aiv.ub_to_gm);
    if (traits_of(model.arch).vector_timing != VectorTiming::kFunctions) {
        facts.bank_read_conflict = model.aiv.vector.read_conflict;
        facts.bank_write_conflict = model.aiv.vector.write_conflict;
    }
    for (size_t type = 0; type < model.aic.cube.k_per_cycle.size(); ++type)
        facts.cube_operations_per_second[type] =
            2 * kCubeOutputs * model.aic.cube.k_per_cycle[type] * (model.clock / 1000);
    facts.grades = time_grades(model);
    facts.l2_bytes = model.memory.l2.bytes;
    return facts;
}

}  // namespace ptosim
