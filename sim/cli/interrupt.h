// Ctrl-C, or a request to end, in the middle of a recorded run.
#pragma once

#include "isa/diagnostic.h"
#include "sim/observe/observer.h"

namespace ptosim::cli {

// While it lives, SIGINT and SIGTERM end the run that it observes at the next instruction that
// completes, so that what has been recorded can be closed. A second signal ends the process at
// once.
class Interrupt : public Observer {
 public:
    struct Happened {};  // thrown out of the launch

    Interrupt();
    ~Interrupt() override;  // a signal that came too late for the run ends the process
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    bool follows_instructions() const override { return false; }
    void on_complete(const InstructionEvent& event) override;

    Diagnostic diagnostic() const;          // I43: by which signal, in which cycle
    [[noreturn]] void end_process() const;  // by the same signal, as who sent it expects

 private:
    Cycle time_ = 0;
};

}  // namespace ptosim::cli
