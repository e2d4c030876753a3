#include "sim/faces/cli/progress.h"

#include <cstdio>

namespace ptosim::cli {
namespace {
constexpr double kFirst = 2.0, kEvery = 0.5;  // seconds
}

void Progress::on_complete(const InstructionEvent& event) {
    if (++count_ % 1024 != 0) return;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (seconds < kFirst || seconds - shown_ < kEvery) return;
    shown_ = seconds;
    std::fprintf(stderr, "\r%.0f s: %llu instructions, cycle %llu ", seconds,
                 static_cast<unsigned long long>(count_),
                 static_cast<unsigned long long>(event.time));
    std::fflush(stderr);
}

void Progress::clear() {
    if (shown_ > 0) std::fputs("\r\033[K", stderr);
}

}  // namespace ptosim::cli
