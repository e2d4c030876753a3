#include "traces/analyse/scalar_extent.h"

#include <algorithm>

namespace ptosim {

std::vector<Cycle> scalar_recorded_until(const Recording& recording) {
    const bool truncated = recording.ended_early && !recording.gaps.empty();
    std::vector<Cycle> until(recording.cores.size(), truncated ? 0 : kNever);
    if (!truncated) return until;
    for (const InstructionRecord& record : recording.instructions)
        until[record.core] = std::max(until[record.core], record.issued);
    for (const WaitRecord& wait : recording.waits)
        if (wait.pipe == Pipe::kS) until[wait.core] = std::max(until[wait.core], wait.end);
    return until;
}

}  // namespace ptosim
