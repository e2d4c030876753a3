// The end of a device: the last line on its caller's socket (docs/python.md).
#pragma once

#include <sys/resource.h>

#include <string>

#include "sim/files/json.h"

namespace ptosim::worker {

// Standard output and error of a device; only the beginning is kept.
class PrintedText {
 public:
    PrintedText() = default;
    // Reads from the reading end of a pipe, which is closed with this object.
    explicit PrintedText(int file);
    ~PrintedText();
    PrintedText(PrintedText&& other) noexcept;
    PrintedText& operator=(PrintedText&& other) noexcept;

    int descriptor() const { return file_; }  // -1 after the writing end was closed
    // Reads everything available without waiting.
    void drain();
    const std::string& text() const { return text_; }

 private:
    int file_ = -1;
    std::string text_;
};

struct DeviceEnd {
    int status = 0;  // of wait4
    rusage used{};
    unsigned descendants = 0;  // processes that it left running
    // Calls that the sandbox has refused.
    Json refused = Json::array();
};
// The line, preceded by a line end, because the device may have been killed while it wrote a line.
std::string end_line(const DeviceEnd& end, const std::string& printed);

}  // namespace ptosim::worker
