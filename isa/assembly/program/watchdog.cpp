#include "isa/assembly/program/watchdog.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "isa/core/diagnostic.h"

namespace ptosim::assembly {

namespace {

// The cores of a run are coroutines of one thread.
thread_local uint64_t progress = 0;

double computed_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

unsigned watchdog_seconds() {
    static const unsigned kSeconds = [] {
        const char* const text = std::getenv("PTOSIM_WATCHDOG");
        if (text == nullptr) return 10u;
        unsigned seconds = 0;
        const char* const end = text + std::strlen(text);
        const auto [stop, error] = std::from_chars(text, end, seconds);
        if (error != std::errc() || stop != end)
            fail_input("H20",
                       std::string("PTOSIM_WATCHDOG=") + text + " is not a number of seconds",
                       "0 switches the watchdog off");
        return seconds;
    }();
    return kSeconds;
}

void note_progress() { ++progress; }

bool Watchdog::expired() {
    const double now = computed_seconds();
    if (seen_ != progress) {
        seen_ = progress;
        since_ = now;
    }
    return watchdog_seconds() != 0 && now - since_ > watchdog_seconds();
}

}  // namespace ptosim::assembly
