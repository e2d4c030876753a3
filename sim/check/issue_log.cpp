#include "sim/check/issue_log.h"

#include <algorithm>

namespace ptosim::check {

void IssueLog::on_issue(const InstructionEvent& event) {
    if (last_ >= cores_.size() || !(cores_[last_].id == event.core)) {
        const auto found = std::find_if(cores_.begin(), cores_.end(),
                                        [&](const Core& core) { return core.id == event.core; });
        last_ = static_cast<size_t>(found - cores_.begin());
        if (found == cores_.end()) {
            if (cores_.size() == kMostCores) return;
            cores_.push_back({event.core, {}});
        }
    }
    std::vector<Issued>& issued = cores_[last_].issued;
    if (issued.size() == kMost) return;
    const Instruction& instruction = *event.instruction;
    const Attributes& a = instruction.attributes;
    issued.push_back({instruction.location, instruction.opcode, event.pipe, a.source_pipe,
                      a.destination_pipe, a.event_id});
}

const IssueLog::Core* IssueLog::find(const std::string& name) const {
    const auto found = std::find_if(cores_.begin(), cores_.end(), [&](const Core& core) {
        return ptosim::name(core.id) == name;
    });
    return found == cores_.end() ? nullptr : &*found;
}

}  // namespace ptosim::check
