// Messages between the debugger and the processes that run or keep the machine: JSON, each possibly with a file
// descriptor.
#pragma once

#include <optional>

#include "sim/files/json.h"

namespace ptosim::debug {

// A descriptor that is closed with its object.
class Descriptor {
 public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_{number} {}
    Descriptor(Descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();
    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

 private:
    int number_ = -1;
};

struct Message {
    Json content;
    Descriptor descriptor;
};

class Channel {
 public:
    Channel() = default;
    explicit Channel(Descriptor end) : end_{std::move(end)} {}

    // False if the other end is closed.
    bool send(const Json& content, int descriptor = -1) const;
    // Waits for a message. Empty if the other end is closed, or sends something else.
    std::optional<Message> receive() const;
    // True if a message, or the end of the channel, can be received within these milliseconds.
    bool waits(int milliseconds) const;
    int number() const { return end_.number(); }
    explicit operator bool() const { return static_cast<bool>(end_); }

    // Two connected ends. Throws std::system_error.
    static std::pair<Descriptor, Descriptor> make_ends();

 private:
    Descriptor end_;
};

}  // namespace ptosim::debug
