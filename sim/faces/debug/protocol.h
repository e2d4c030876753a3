// The framing that the Debug Adapter Protocol and the Language Server Protocol share: JSON after a header with its size.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "sim/files/json.h"

namespace ptosim::debug {

class ProtocolStream {
 public:
    // Reads and writes these descriptors, which it does not close.
    ProtocolStream(int in, int out) : in_{in}, out_{out} {}

    // The next message; empty at the end of the input, or after a header that is not one. A text that is not JSON gives
    // a discarded value.
    std::optional<Json> receive();
    // Reads without waiting. True if a message is complete, or the input has ended.
    bool arrived();
    void send(const Json& message);
    // The problem of a header that has ended the input; empty if there was none.
    const std::string& problem() const { return problem_; }

 private:
    bool read_some();
    bool take_message();

    const int in_, out_;
    std::string bytes_;
    std::deque<Json> messages_;
    bool ended_ = false;
    std::string problem_;
};

}  // namespace ptosim::debug
