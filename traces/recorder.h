// Records a run. Attach it to the machine, run, take the recording.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "traces/core_index.h"
#include "traces/recording.h"

namespace ptosim {

class Recorder : public Observer {
 public:
    Recorder() : causes_{recording_.sources} {}
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // What has happened so far. Whatever is still open ends at the end of the launch, or at the
    // last event if the machine did not say when that was, and is marked.
    const Recording& recording();

    void on_launch(const LaunchEvent& event) override;
    void on_launch_end(Cycle time) override;
    void on_block_begin(const RunEvent& event) override;
    void on_block_end(const RunEvent& event) override;
    void on_issue(const InstructionEvent& event) override;
    void on_start(const InstructionEvent& event) override;
    void on_complete(const InstructionEvent& event) override;
    void on_flag_set(const FlagEvent& event) override;
    void on_flag_wait(const FlagEvent& event) override;
    void on_block(const BlockEvent& event) override;
    void on_unblock(const BlockEvent& event) override;
    void on_diagnostic(const Diagnostic& diagnostic) override;

 private:
    // What goes on on a core: indices into the vectors of the recording.
    struct Open {
        std::vector<uint32_t> instructions;  // in order of issue
        std::vector<uint32_t> waits;
        std::vector<uint32_t> runs;
        std::vector<uint32_t> flags;  // set and not consumed, oldest first; no signals
    };
    // Signals: one may be taken by several cores, and each wait takes the next one of its id.
    struct Signals {
        std::map<std::tuple<uint16_t, uint16_t, uint8_t>, std::vector<uint32_t>> sent;
        std::map<std::tuple<uint16_t, uint8_t>, size_t> taken;  // by core and id
    };
    uint16_t core(CoreId id);
    uint32_t instruction(const InstructionEvent& event);
    void take_signal(const FlagEvent& event);
    void close_open(Cycle time);
    void saw(Cycle time) { now_ = std::max(now_, time); }

    Recording recording_;
    WaitCauses causes_;
    CoreIndex index_;
    std::vector<Open> open_;  // by core
    Signals signals_;
    Cycle now_ = 0;
    bool cut_ = false;  // a launch has ended with something open
};

}  // namespace ptosim
