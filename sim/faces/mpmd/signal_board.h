// Signals between chips. Each chip is a process. In the folder of the command's findings it records the words of
// windows that it has set and the word for which it waits, so that the report of a chip that waits in vain can describe
// the state of the others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/system/windows.h"

namespace ptosim::mpmd {

// Number of the chip that this process simulates; empty for a program of one chip.
std::string chip_number();

class SignalBoard {
 public:
    // `by`: text such as "meet at barrier.py:19".
    void set(SharedWord word, const std::string& by);
    // Text such as "waits in meet at barrier.py:22"; empty: it no longer waits.
    void waits(const std::string& what);
    void begin_run() { state_ = "runs"; }
    void end_run(bool worked) { state_ = worked ? "has ended its run" : "has ended by an error"; }
    // Writes the state for the others. Does nothing outside `ptosim exec`, or for a program without windows.
    void write() const;
    // For each other chip: whether it has set the word, and its state.
    std::vector<std::string> others(SharedWord word) const;

    // Text such as " of chip 1"; empty for a program of one chip.
    static std::string of_chip();

 private:
    struct Set {
        uint64_t times = 0;
        std::string by;  // the last setter
    };
    std::map<SharedWord, Set> sets_;
    std::string state_ = "has not run yet", waits_;
};

}  // namespace ptosim::mpmd
