// A line on a terminal for runs of more than two seconds.
#pragma once

#include <chrono>

#include "sim/machine/observe/observer.h"

namespace ptosim::cli {

class Progress : public Observer {
 public:
    bool follows_instructions() const override { return false; }
    void on_complete(const InstructionEvent& event) override;
    // Removes the line.
    void clear();

 private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    double shown_ = 0;
    uint64_t count_ = 0;
};

}  // namespace ptosim::cli
