#include "sim/faces/worker/channel.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "sim/files/json.h"

namespace ptosim::worker {

bool write_all(int file, const char* data, size_t size) {
    while (size > 0) {
        const ssize_t n = write(file, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        size -= static_cast<size_t>(n);
    }
    return true;
}

void close_others(std::vector<int> kept) {
    std::sort(kept.begin(), kept.end());
    unsigned next = 0;
    for (const int file : kept) {
        const auto number = static_cast<unsigned>(file);
        if (number > next) syscall(SYS_close_range, next, number - 1, 0);
        next = number + 1;
    }
    syscall(SYS_close_range, next, ~0u, 0);
}

int receive_file(int socket, std::string& text) {
    std::array<char, 65536> bytes;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control;
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t n = 0;
    do n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    text.assign(bytes.data(), n > 0 ? static_cast<size_t>(n) : 0);
    const cmsghdr* const c = n > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    int file = -1;
    if (c != nullptr && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        std::memcpy(&file, CMSG_DATA(c), sizeof file);
    return file;
}

bool send_file(int socket, int file, const std::string& text) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    iovec part{const_cast<char*>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(c), &file, sizeof file);
    return sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
}

Channel::~Channel() {
    for (const int file : files_) close(file);
    close(socket_);
}

bool Channel::fill() {
    std::string bytes;
    const int file = receive_file(socket_, bytes);
    if (file >= 0) files_.push_back(file);
    received_ += bytes;
    return !bytes.empty();
}

std::optional<Json> Channel::receive() {
    size_t end = 0;
    size_t searched = 0;
    while ((end = received_.find('\n', searched)) == std::string::npos) {
        flush();
        searched = received_.size();
        if (!fill()) return std::nullopt;
    }
    const std::string line = received_.substr(0, end);
    received_.erase(0, end + 1);
    return parse_json(line);
}

int Channel::take_file() {
    if (files_.empty()) return -1;
    const int file = files_.front();
    files_.pop_front();
    return file;
}

void Channel::send(const Json& line) {
    answers_ += dump_json(line) + "\n";
    if (received_.find('\n') == std::string::npos) flush();
}

void Channel::flush() {
    if (answers_.empty()) return;
    write_all(socket_, answers_.data(), answers_.size());
    answers_.clear();
}

}  // namespace ptosim::worker
