// The time of fragments, asked of another process: one that a fragment has stopped (a deadlock, an access
// outside of an array) is replaced, and the next request is answered.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "sim/session/fragment_cost.h"

namespace ptosim {

class CostOracle {
 public:
    // Takes the one chip that a process has. Throws DiagnosticError.
    explicit CostOracle(const SessionOptions& options);
    ~CostOracle();
    CostOracle(const CostOracle&) = delete;
    CostOracle& operator=(const CostOracle&) = delete;

    const ChipModel& model() const { return machine_->model(); }
    // A line of JSON for a line of JSON (docs/running.md), without their ends. Throws DiagnosticError
    // (I66) where no process can be started.
    std::string answer(const std::string& request);
    // Throws DiagnosticError: what is wrong with the fragment.
    FragmentCost cost(const Fragment& fragment);

 private:
    void start();
    void end();
    [[noreturn]] void serve(int socket);

    std::unique_ptr<FragmentMachine> machine_;  // of processes that are forked off this one; runs nothing here
    pid_t process_ = -1;
    int socket_ = -1;
};

}  // namespace ptosim
