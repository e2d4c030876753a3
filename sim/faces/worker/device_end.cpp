#include "sim/faces/worker/device_end.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sim/files/json.h"

namespace ptosim::worker {
namespace {

constexpr size_t kMostText = 16384;

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

PrintedText::PrintedText(int file) : file_{file} { fcntl(file_, F_SETFL, O_NONBLOCK); }

PrintedText::~PrintedText() {
    if (file_ >= 0) close(file_);
}

PrintedText::PrintedText(PrintedText&& other) noexcept
    : file_{std::exchange(other.file_, -1)}, text_{std::move(other.text_)} {}

PrintedText& PrintedText::operator=(PrintedText&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(text_, other.text_);
    return *this;
}

void PrintedText::drain() {
    std::array<char, 4096> bytes;
    ssize_t n = 0;
    while (file_ >= 0 && (n = read(file_, bytes.data(), bytes.size())) > 0) {
        const size_t room = kMostText - std::min(kMostText, text_.size());
        text_.append(bytes.data(), std::min(room, static_cast<size_t>(n)));
    }
    if (n == 0) close(std::exchange(file_, -1));
}

std::string end_line(const DeviceEnd& end, const std::string& printed) {
    const int status = end.status;
    const Json line{
        {"ended",
         {{"exit", WIFEXITED(status) ? WEXITSTATUS(status) : -1},
          {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
          {"peak_kib", end.used.ru_maxrss},
          {"processor_seconds", seconds(end.used.ru_utime) + seconds(end.used.ru_stime)},
          {"text", printed},
          {"processes", end.descendants},
          {"refused", end.refused}}}};
    return "\n" + dump_json(line) + "\n";
}

}  // namespace ptosim::worker
