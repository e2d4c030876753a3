#include "sim/debug/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace ptosim::debug {
namespace {

constexpr uint32_t kMostBytes = 1u << 30;  // of a message

bool send_bytes(int socket, const char* bytes, size_t size) {
    while (size > 0) {
        const ssize_t sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes += sent;
        size -= static_cast<size_t>(sent);
    }
    return true;
}

bool receive_bytes(int socket, char* bytes, size_t size) {
    while (size > 0) {
        const ssize_t got = recv(socket, bytes, size, MSG_WAITALL);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

// The first four bytes of a message, which carry the descriptor.
struct Head {
    uint32_t size = 0;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
    iovec bytes{&size, sizeof(size)};
    msghdr header{};

    Head() {
        header.msg_iov = &bytes;
        header.msg_iovlen = 1;
    }
    void use_control() {
        header.msg_control = control;
        header.msg_controllen = sizeof(control);
    }
};

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) close(number_);
}

std::pair<Descriptor, Descriptor> Channel::make_ends() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::system_error(errno, std::generic_category(), "a socket for the debugger");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool Channel::send(const Json& content, int descriptor) const {
    const std::string text = dump_json(content);
    Head head;
    head.size = static_cast<uint32_t>(text.size());
    if (descriptor >= 0) {
        head.use_control();
        cmsghdr* const control = CMSG_FIRSTHDR(&head.header);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(sizeof(descriptor));
        std::memcpy(CMSG_DATA(control), &descriptor, sizeof(descriptor));
    }
    ssize_t sent = 0;
    do sent = sendmsg(number(), &head.header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == sizeof(head.size) && send_bytes(number(), text.data(), text.size());
}

std::optional<Message> Channel::receive() const {
    Head head;
    head.use_control();
    ssize_t got = 0;
    do got = recvmsg(number(), &head.header, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != sizeof(head.size) || head.size > kMostBytes) return {};
    Message message;
    const cmsghdr* const control = CMSG_FIRSTHDR(&head.header);
    if (control != nullptr && control->cmsg_type == SCM_RIGHTS) {
        int descriptor = -1;
        std::memcpy(&descriptor, CMSG_DATA(control), sizeof(descriptor));
        message.descriptor = Descriptor(descriptor);
    }
    std::string text(head.size, '\0');
    if (!receive_bytes(number(), text.data(), text.size())) return {};
    message.content = parse_json(text, {.discards = true});
    if (!message.content.is_object()) return {};
    return message;
}

bool Channel::waits(int milliseconds) const {
    pollfd entry{number(), POLLIN, 0};
    return poll(&entry, 1, milliseconds) > 0;
}

}  // namespace ptosim::debug
