// Time of fragments, computed by another process. If a fragment stops that process (a deadlock, an access outside of an
// array), it is replaced, and the next request is answered.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "sim/session/fragment_cost.h"

namespace ptosim {

class CostOracle {
 public:
    // Uses the one chip that a process can have. Throws DiagnosticError.
    explicit CostOracle(const SessionOptions& options);
    ~CostOracle();
    CostOracle(const CostOracle&) = delete;
    CostOracle& operator=(const CostOracle&) = delete;

    const ChipModel& model() const { return machine_->model(); }
    // Answers a line of JSON with a line of JSON (docs/running.md), both without line ends. Throws DiagnosticError
    // (I66) if no process can be started.
    std::string answer(const std::string& request);
    // Throws DiagnosticError that describes the error in the fragment.
    FragmentCost cost(const Fragment& fragment);

 private:
    void start();
    void end();
    [[noreturn]] void serve(int socket);

    std::unique_ptr<FragmentMachine> machine_;  // for the forked processes; runs nothing in this one
    pid_t process_ = -1;
    int socket_ = -1;
};

}  // namespace ptosim
