#include "sim/faces/worker/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "sim/faces/worker/channel.h"
#include "sim/faces/worker/template.h"
#include "sim/faces/worker/watcher.h"
#include "sim/files/json.h"
#include "sim/session/documents.h"

namespace ptosim::worker {
namespace {

constexpr size_t kMostTemplates = 8;  // limit of kept templates; further chips are elaborated each time

// Closes the caller's socket, which is standard input, and reserves its number.
void let_go(int control) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, control) < 0) close(control);
    if (nothing >= 0) close(nothing);
}

// A request of the caller for a device: the chip as text, and the kind of kernels.
struct Asked {
    std::string chip;
    const char* kind = kNative;
};
Asked read(const std::string& text) {
    Json message = parse_json(text, {.discards = true});
    if (!message.is_object()) return {text};  // the template reports the error in it
    const auto found = message.find("interpreted");
    const bool interpreted = found != message.end() && *found == true;
    message.erase("interpreted");
    return {dump_json(message), interpreted ? kInterpreted : kNative};
}

// The sockets of the templates, by chip. Forks close the sockets of other templates, because a template ends when the
// worker's end of its socket is closed.
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

int serve(int control) {
    // Ctrl-C on a terminal is for the caller, which closes the sockets.
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);  // the watchers are not waited for
    if (write(control, "ready", 5) != 5) return kInputUnusable;
    Templates templates;
    while (true) {
        std::string text;
        const int device = receive_file(control, text);
        if (text.empty()) return kOk;
        if (device < 0) continue;
        const Asked asked = read(text);
        const int socket = templates.of(asked.chip, control);
        if (socket >= 0) {
            send_file(socket, device, asked.kind);
        } else if (fork() == 0) {
            let_go(control);
            templates.close_all();
            signal(SIGCHLD, SIG_DFL);
            watch_device(device);
            _exit(0);
        }
        close(device);
    }
}

}  // namespace ptosim::worker
