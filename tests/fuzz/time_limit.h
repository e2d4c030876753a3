// Longest time for which one input may keep a fuzzing target busy. libFuzzer's own limit (-timeout)
// is elapsed time, which is meaningless on a host that does other work, too.
#pragma once

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace ptosim::fuzz {

// While it lives: a minute of processor time, then the process aborts, which is a finding.
class TimeLimit {
 public:
    TimeLimit() {
        static constexpr time_t kSeconds = 60;
        std::signal(SIGPROF, [](int) {
            static constexpr char kText[] = "fuzzing: an input took a minute of processor time\n";
            [[maybe_unused]] const auto written = write(STDERR_FILENO, kText, sizeof kText - 1);
            std::abort();
        });
        set(kSeconds);
    }
    ~TimeLimit() { set(0); }
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

 private:
    static void set(time_t seconds) {
        const itimerval timer{{0, 0}, {seconds, 0}};
        setitimer(ITIMER_PROF, &timer, nullptr);
    }
};

}  // namespace ptosim::fuzz
