#include "sim/faces/worker/watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>

#include "sim/faces/worker/channel.h"
#include "sim/faces/worker/device_end.h"
#include "sim/faces/worker/device_requests.h"
#include "sim/faces/worker/sandbox.h"

namespace ptosim::worker {
namespace {

// State of a watched device.
struct Watched {
    pid_t process = -1;
    int ended = -1;   // pidfd
    int socket = -1;  // the caller's
    int side = -1;    // on which the device sends the sandbox's listener
    PrintedText printed;
    std::optional<SandboxWatch> sandbox;
    bool sandboxed = false;  // and the sandbox still answers
};

// Receives the listener made by enter_sandbox, and the readable paths, one per line.
void take_listener(Watched& device) {
    std::string paths;
    const int listener = receive_file(device.side, paths);
    if (listener >= 0) {
        std::vector<std::string> readable;
        for (size_t at = 0, end = 0; (end = paths.find('\n', at)) != std::string::npos;
             at = end + 1)
            readable.push_back(paths.substr(at, end - at));
        device.sandbox.emplace(listener, device.process, std::move(readable));
        device.sandboxed = true;
    }
    close(device.side);
    device.side = -1;
}

// Runs until the device has ended, or was killed because the caller closed its socket.
void follow(Watched& device) {
    bool killed = false;
    while (true) {
        std::array<pollfd, 4> polled{
            {{device.ended, POLLIN, 0},
             {killed ? -1 : device.socket, 0, 0},  // POLLHUP alone
             {device.printed.descriptor(), POLLIN, 0},
             {device.sandboxed ? device.sandbox->descriptor() : device.side, POLLIN, 0}}};
        if (poll(polled.data(), polled.size(), -1) < 0) continue;
        if (polled[1].revents != 0) {
            kill(device.process, SIGKILL);
            killed = true;
        }
        if (polled[2].revents & POLLIN) device.printed.drain();
        if (polled[3].revents == 0) {
            if (polled[0].revents != 0) return;
            continue;
        }
        if (!device.sandboxed)
            take_listener(device);
        else if (!(polled[3].revents & POLLIN) || !device.sandbox->answer())
            device.sandboxed = false;  // its refused calls are kept
    }
}

// Ends the processes that it has started, and their descendants, which become children of this process after their
// parents have ended. Returns their number.
unsigned end_descendants() {
    unsigned count = 0;
    const std::string list = "/proc/self/task/" + std::to_string(getpid()) + "/children";
    for (int round = 0; round < 1000; ++round) {
        std::ifstream children(list);
        pid_t child = 0;
        bool any = false;
        while (children >> child) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            any = true;
            ++count;
        }
        if (!any) break;
    }
    return count;
}

Json refused_by(const Watched& device) {
    Json list = Json::array();
    if (device.sandbox)
        for (const SandboxWatch::Refused& refused : device.sandbox->refused())
            list.push_back({{"what", refused.what}, {"count", refused.count}});
    return list;
}

}  // namespace

void watch_device(int socket) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int text[2] = {-1, -1}, side[2] = {-1, -1};
    if (pipe2(text, O_CLOEXEC) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, side) != 0)
        return;
    Watched device;
    device.process = fork();
    if (device.process < 0) return;
    if (device.process == 0) {
        close_others({STDIN_FILENO, socket, side[1], text[1]});
        dup2(text[1], STDOUT_FILENO);
        dup2(text[1], STDERR_FILENO);
        close(text[1]);
        run_device(socket, side[1]);
    }
    close(text[1]);
    close(side[1]);
    device.socket = socket;
    device.printed = PrintedText(text[0]);
    device.side = side[0];
    device.ended = static_cast<int>(syscall(SYS_pidfd_open, device.process, 0));
    if (device.ended < 0) return;
    follow(device);
    DeviceEnd end;
    wait4(device.process, &end.status, 0, &end.used);
    end.descendants = end_descendants();
    end.refused = refused_by(device);
    device.printed.drain();
    const std::string last = end_line(end, device.printed.text());
    write_all(socket, last.data(), last.size());
}

}  // namespace ptosim::worker
