#include "sim/timing/chip_facts.h"

#include <algorithm>

namespace ptosim {

namespace {
constexpr uint64_t kCubeOutputs = 16 * 16;  // that a cube works on at once
constexpr uint64_t kRepeatBytes = 256;      // of a vector unit, in one cycle at its best
}  // namespace

Peaks peaks(const ChipModel& chip) {
    Peaks result;
    for (size_t type = 0; type < result.products.size(); ++type)
        result.products[type] = kCubeOutputs * chip.cube_k[type] * chip.clusters;
    result.read_bytes = chip.per_cycle(chip.l2_read);
    result.written_bytes = chip.per_cycle(chip.l2_write);
    return result;
}

ChipFacts chip_facts(const ChipModel& model) {
    ChipFacts facts;
    std::copy(model.buffer_bytes.begin(), model.buffer_bytes.end(), facts.buffer_bytes.begin());
    facts.read_bytes_per_second = model.l2_read;
    facts.write_bytes_per_second = model.l2_write;
    facts.queue_depth = model.queue_depth;
    facts.aics = model.clusters;
    facts.aivs = model.clusters * model.aivs_per_cluster;
    facts.vector_bytes_per_cycle = kRepeatBytes;
    facts.peaks = peaks(model);
    for (size_t type = 0; type < model.cube_k.size(); ++type)
        facts.cube_operations_per_second[type] =
            2 * kCubeOutputs * model.cube_k[type] * (model.clock_hz / 1000);
    return facts;
}

}  // namespace ptosim
