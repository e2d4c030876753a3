#include "sim/faces/debug/protocol.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace ptosim::debug {
namespace {

constexpr size_t kMostOfHeader = 4096, kMostContent = size_t{64} << 20;

}  // namespace

std::optional<Json> ProtocolStream::receive() {
    while (messages_.empty() && !ended_)
        if (!take_message() && !ended_) read_some();
    if (messages_.empty()) return {};
    Json message = std::move(messages_.front());
    messages_.pop_front();
    return message;
}

bool ProtocolStream::arrived() {
    pollfd entry{in_, POLLIN, 0};
    while (!ended_ && poll(&entry, 1, 0) > 0 && read_some()) {
    }
    while (take_message()) {
    }
    return ended_ || !messages_.empty();
}

bool ProtocolStream::read_some() {
    char chunk[16384];
    ssize_t got = 0;
    do got = read(in_, chunk, sizeof(chunk));
    while (got < 0 && errno == EINTR);
    if (got > 0) bytes_.append(chunk, static_cast<size_t>(got));
    ended_ = ended_ || got <= 0;
    return got > 0;
}

bool ProtocolStream::take_message() {
    if (!problem_.empty()) return false;
    const size_t end = bytes_.find("\r\n\r\n");
    const auto fail = [&](const char* problem) {
        problem_ = problem;
        ended_ = true;
        return false;
    };
    if (end == std::string::npos) return bytes_.size() > kMostOfHeader ? fail("a header without an end") : false;
    static constexpr std::string_view kName = "Content-Length: ";
    const size_t at = bytes_.find(kName);
    size_t size = 0;
    if (at == std::string::npos || at > end) return fail("a header without Content-Length");
    const char* const digits = bytes_.data() + at + kName.size();
    const auto [stop, error] = std::from_chars(digits, bytes_.data() + end, size);
    if (error != std::errc() || *stop != '\r' || size > kMostContent)
        return fail("a header whose Content-Length is not a size");
    if (bytes_.size() < end + 4 + size) return false;
    messages_.push_back(parse_json(std::string_view(bytes_).substr(end + 4, size), {.discards = true}));
    bytes_.erase(0, end + 4 + size);
    return true;
}

void ProtocolStream::send(const Json& message) {
    const std::string text = dump_json(message);
    const std::string all = "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
    for (size_t at = 0; at < all.size();) {
        const ssize_t written = write(out_, all.data() + at, all.size() - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        at += static_cast<size_t>(written);
    }
}

}  // namespace ptosim::debug
