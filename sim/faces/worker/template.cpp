#include "sim/faces/worker/template.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "sim/faces/worker/channel.h"
#include "sim/faces/worker/device_end.h"
#include "sim/faces/worker/device_requests.h"
#include "sim/faces/worker/pages.h"
#include "sim/faces/worker/watcher.h"
#include "sim/files/json.h"
#include "sim/session/documents.h"
#include "sim/session/session.h"

namespace ptosim::worker {
namespace {

struct Elaborated {
    std::string chip;
    std::vector<std::string> overrides;
    Chip* made = nullptr;  // never destroyed: it ends with the process
};
Elaborated elaborated;

// If a chip cannot be made, the device reports it, because it tries again.
void elaborate(const std::string& text) {
    try {
        const Json named = parse_json(text);
        SessionOptions options;
        options.chip = named.at("chip");
        options.overrides = named.at("set").get<std::vector<std::string>>();
        std::unique_ptr<Chip> made = make_chip(options);
        made->start();
        elaborated = {options.chip, options.overrides, made.release()};
    } catch (const std::exception&) {
        elaborated = {};
    }
}

// The part of the heap that a device uses first. Its pages are prepared all at once while the device waits for a
// request.
constexpr size_t kHeap = 1 << 20;
std::byte* heap = nullptr;

void reserve_heap() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // both values are the largest that malloc chooses by itself
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    heap = static_cast<std::byte*>(std::malloc(kHeap));
    std::free(heap);  // remains the end of the heap
}

// A process that has the socket of a device, or waits for it.
struct Child {
    pid_t process = -1;
    int ended = -1;   // pidfd
    int side = -1;    // for sending it the socket; -1 after that
    int socket = -1;  // the caller's, while this process watches the device
    PrintedText printed;
    std::string last;  // unwritten rest of the device's last line
    bool reaped = false;
};

// Runs in a separate process, made before it is needed.
[[noreturn]] void wait_for_socket(int side) {
    prepare_pages(heap, kHeap);
    std::string kind;
    const int socket = receive_file(side, kind);
    close(side);
    if (socket < 0) _exit(0);  // the template has ended
    if (kind == kInterpreted)
        run_device(socket, -1);
    else
        watch_device(socket);
    _exit(0);
}

class Template {
 public:
    explicit Template(int control) : control_{control} {}

    [[noreturn]] void serve();

 private:
    Child* fork_child();
    void take_request();
    void hand_over(int socket, const std::string& kind);
    void reap(Child& child);
    void write_last(Child& child);
    void stop_serving();

    int control_;  // -1 after it was closed
    std::list<Child> children_;
    Child* spare_ = nullptr;  // one of them, waiting
};

// Returns null if the host has no room for another process.
Child* Template::fork_child() {
    int text[2] = {-1, -1}, side[2] = {-1, -1};
    if (pipe2(text, O_CLOEXEC) != 0) return nullptr;
    Child child;
    child.printed = PrintedText(text[0]);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, side) == 0) child.process = fork();
    if (child.process == 0) {
        dup2(text[1], STDOUT_FILENO);
        dup2(text[1], STDERR_FILENO);
        close_others({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, side[1]});
        wait_for_socket(side[1]);
    }
    close(text[1]);
    if (side[1] >= 0) close(side[1]);
    child.side = side[0];
    if (child.process > 0)
        child.ended = static_cast<int>(syscall(SYS_pidfd_open, child.process, 0));
    if (child.ended < 0) {
        if (child.side >= 0) close(child.side);  // which ends the child
        return nullptr;
    }
    return &children_.emplace_back(std::move(child));
}

// Sends the socket to the waiting process. The next one is made while that one works.
void Template::hand_over(int socket, const std::string& kind) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        Child* const child = spare_ != nullptr ? spare_ : fork_child();
        spare_ = nullptr;
        if (child == nullptr) break;
        const bool sent = send_file(child->side, socket, kind);
        close(std::exchange(child->side, -1));
        if (!sent) continue;  // the process was killed
        if (kind == kInterpreted) child->socket = std::exchange(socket, -1);
        break;
    }
    if (socket >= 0) close(socket);
    spare_ = fork_child();
}

void Template::take_request() {
    std::string kind;
    const int socket = receive_file(control_, kind);
    if (kind.empty()) return stop_serving();
    if (socket >= 0) hand_over(socket, kind);
}

void Template::stop_serving() {
    close(std::exchange(control_, -1));
    if (spare_ != nullptr) close(std::exchange(spare_->side, -1));
    spare_ = nullptr;
}

void Template::reap(Child& child) {
    DeviceEnd end;
    wait4(child.process, &end.status, 0, &end.used);
    child.reaped = true;
    close(std::exchange(child.ended, -1));
    if (child.side >= 0) close(std::exchange(child.side, -1));
    if (&child == spare_) spare_ = nullptr;
    if (child.socket < 0) return;
    child.printed.drain();
    child.last = end_line(end, child.printed.text());
    write_last(child);
}

// Writes as much as the caller's socket accepts now, because other devices are waiting.
void Template::write_last(Child& child) {
    const ssize_t n =
        send(child.socket, child.last.data(), child.last.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) child.last.erase(0, static_cast<size_t>(n));
    if (n < 0 && errno != EAGAIN && errno != EINTR) child.last.clear();
    if (child.last.empty()) close(std::exchange(child.socket, -1));
}

void Template::serve() {
    spare_ = fork_child();
    while (control_ >= 0 || !children_.empty()) {
        std::vector<pollfd> polled{{control_, POLLIN, 0}};
        for (const Child& child : children_) {
            polled.push_back({child.ended, POLLIN, 0});
            // While the device runs, only the end of its caller matters.
            const short wanted = child.reaped ? POLLOUT : 0;
            polled.push_back({child.socket, wanted, 0});
            polled.push_back({child.printed.descriptor(), POLLIN, 0});
        }
        if (poll(polled.data(), polled.size(), -1) < 0) continue;
        size_t at = 1;
        for (auto child = children_.begin(); child != children_.end(); at += 3) {
            if (polled[at + 1].revents != 0) {
                if (child->reaped) {
                    write_last(*child);
                } else {
                    kill(child->process, SIGKILL);
                    close(std::exchange(child->socket, -1));  // the caller does not read the last line
                }
            }
            if (polled[at + 2].revents != 0) child->printed.drain();
            if (polled[at].revents != 0) reap(*child);
            child = child->reaped && child->socket < 0 ? children_.erase(child) : ++child;
        }
        if (polled[0].revents != 0) take_request();
    }
    std::_Exit(0);
}

}  // namespace

std::unique_ptr<Chip> take_elaborated(const SessionOptions& options) {
    if (elaborated.made == nullptr || elaborated.chip != options.chip ||
        elaborated.overrides != options.overrides)
        return nullptr;
    return std::unique_ptr<Chip>(std::exchange(elaborated.made, nullptr));
}

void serve_template(int control, const std::string& chip) {
    signal(SIGCHLD, SIG_DFL);
    elaborate(chip);
    reserve_heap();
    Template(control).serve();
}

}  // namespace ptosim::worker
