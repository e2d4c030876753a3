// The instructions that each core has issued, in program order: input of the search for mends.
#pragma once

#include <vector>

#include "sim/machine/observe/observer.h"

namespace ptosim::check {

struct Issued {
    SourceLocation at;
    Opcode opcode{};
    Pipe pipe = Pipe::kS;
    // Of flags.
    Pipe source = Pipe::kS, destination = Pipe::kS;
    uint8_t id = 0;
    bool sets() const { return opcode == Opcode::kSET_FLAG; }
    bool waits() const { return opcode == Opcode::kWAIT_FLAG; }
};

class IssueLog final : public Observer {
 public:
    struct Core {
        CoreId id;
        std::vector<Issued> issued;
    };
    unsigned needs() const override { return kEachInstruction; }
    void on_launch(const LaunchEvent&) override { cores_.clear(); }
    void on_issue(const InstructionEvent& event) override;
    const std::vector<Core>& cores() const { return cores_; }
    // The core of this name, or null.
    const Core* find(const std::string& name) const;

 private:
    static constexpr size_t kMost = 4'000, kMostCores = 64;
    std::vector<Core> cores_;
    size_t last_ = 0;
};

}  // namespace ptosim::check
