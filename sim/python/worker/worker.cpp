#include "sim/python/worker/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "sim/files/sha256.h"
#include "sim/python/worker/channel.h"
#include "sim/python/worker/watcher.h"
#include "sim/session/documents.h"
#include "sim/session/session.h"

namespace ptosim::worker {
namespace {

constexpr size_t kMostTemplates = 8;  // chips that are kept; further ones are made anew each time

struct Elaborated {
    std::string chip;
    std::vector<std::string> overrides;
    Chip* made = nullptr;  // never destroyed: the process ends with it
};
Elaborated elaborated;

// Closes the caller's socket, which is standard input: nothing else shall get that number.
void let_go(int control) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, control) < 0) close(control);
    if (nothing >= 0) close(nothing);
}

void fork_device(int device) {
    if (fork() == 0) {
        signal(SIGCHLD, SIG_DFL);
        watch_device(device);
        _exit(0);
    }
    close(device);
}

// A chip that cannot be made is reported by the device, which tries again.
void elaborate(const std::string& text) {
    sha256({});  // its library reads its own files first: here, and not in every device
    try {
        const Json named = Json::parse(text);
        SessionOptions options;
        options.chip = named.at("chip");
        options.overrides = named.at("set").get<std::vector<std::string>>();
        elaborated = {options.chip, options.overrides, make_chip(options).release()};
    } catch (const std::exception&) {
        elaborated = {};
    }
}

// In a process of its own: one chip, and its devices.
[[noreturn]] void serve_template(int control, const std::string& chip) {
    elaborate(chip);
    while (true) {
        std::string text;
        const int device = receive_file(control, text);
        if (text.empty()) std::_Exit(0);
        if (device >= 0) fork_device(device);
    }
}

// The sockets of the templates, by what they are asked for. Forks close those of others: a
// template ends when the worker's end of its socket is closed.
class Templates {
 public:
    ~Templates() { close_all(); }
    void close_all() {
        for (const auto& [chip, socket] : sockets_) close(socket);
        sockets_.clear();
    }
    // -1: there are too many.
    int of(const std::string& chip, int control) {
        const auto found = sockets_.find(chip);
        if (found != sockets_.end()) return found->second;
        int ends[2] = {-1, -1};
        if (sockets_.size() >= kMostTemplates ||
            socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
            return -1;
        if (fork() == 0) {
            let_go(control);
            close(ends[0]);
            close_all();
            serve_template(ends[1], chip);
        }
        close(ends[1]);
        sockets_.emplace(chip, ends[0]);
        return ends[0];
    }

 private:
    std::map<std::string, int> sockets_;
};

}  // namespace

std::unique_ptr<Chip> take_elaborated(const SessionOptions& options) {
    if (elaborated.made == nullptr || elaborated.chip != options.chip ||
        elaborated.overrides != options.overrides)
        return nullptr;
    return std::unique_ptr<Chip>(std::exchange(elaborated.made, nullptr));
}

int serve(int control) {
    // Ctrl-C on a terminal is for the caller, who closes the sockets.
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);  // nobody waits for the watchers
    if (write(control, "ready", 5) != 5) return kInputUnusable;
    Templates templates;
    while (true) {
        std::string text;
        const int device = receive_file(control, text);
        if (text.empty()) return kOk;
        if (device < 0) continue;
        const int socket = templates.of(text, control);
        if (socket >= 0) {
            send_file(socket, device, "device");
            close(device);
        } else if (fork() == 0) {
            let_go(control);
            templates.close_all();
            fork_device(device);
            _exit(0);
        } else {
            close(device);
        }
    }
}

}  // namespace ptosim::worker
