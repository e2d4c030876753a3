#include "sim/timing/bounds.h"

namespace ptosim {

Peaks peaks(const ChipModel& chip) {
    Peaks result;
    for (size_t type = 0; type < result.products.size(); ++type)
        // A cube multiplies 16 x 16 x cube_k in a cycle.
        result.products[type] = 256 * chip.cube_k[type] * chip.clusters;
    result.read_bytes = chip.per_cycle(chip.l2_read);
    result.written_bytes = chip.per_cycle(chip.l2_write);
    return result;
}

}  // namespace ptosim
