#include "traces/analyse/scalar_extent.h"

#include <algorithm>

namespace ptosim {

std::vector<Cycle> scalar_recorded_until(const Recording& recording) {
    const bool broken_off = recording.ended_early && !recording.gaps.empty();
    std::vector<Cycle> known(recording.cores.size(), broken_off ? 0 : kNever);
    if (!broken_off) return known;
    for (const InstructionRecord& record : recording.instructions)
        known[record.core] = std::max(known[record.core], record.issued);
    for (const WaitRecord& wait : recording.waits)
        if (wait.pipe == Pipe::kS) known[wait.core] = std::max(known[wait.core], wait.end);
    return known;
}

}  // namespace ptosim
