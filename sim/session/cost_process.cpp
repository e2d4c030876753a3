#include "sim/session/cost_process.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "isa/core/diagnostic.h"
#include "sim/session/fragment_request.h"

namespace ptosim {
namespace {

// Sent before an answer: the process continues or ends.
constexpr char kGoesOn = '+', kEnds = '-';

// Reads up to the end of a line, which is dropped; empty if the other side has closed.
std::string line_of(int socket) {
    std::string line;
    std::array<char, 1 << 14> part{};
    while (true) {
        const ssize_t count = recv(socket, part.data(), part.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return {};
        line.append(part.data(), static_cast<size_t>(count));
        if (line.back() == '\n') break;
    }
    line.pop_back();
    return line;
}

bool write_line(int socket, std::string line) {
    line += '\n';
    for (size_t at = 0; at < line.size();) {
        const ssize_t count = ::send(socket, line.data() + at, line.size() - at, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += static_cast<size_t>(count);
    }
    return true;
}

}  // namespace

CostOracle::CostOracle(const SessionOptions& options)
    : machine_{std::make_unique<FragmentMachine>(options)} {}

CostOracle::~CostOracle() {
    end();
}

void CostOracle::start() {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 || (process_ = fork()) < 0)
        fail_input("I66", "cannot start a process to compute the cost of fragments",
                   "allow more processes and open files");
    if (process_ == 0) {
        close(ends[0]);
        serve(ends[1]);
    }
    close(ends[1]);
    socket_ = ends[0];
}

void CostOracle::end() {
    if (socket_ >= 0) close(socket_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
    socket_ = -1;
    process_ = -1;
}

void CostOracle::serve(int socket) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true) {
        const std::string request = line_of(socket);
        if (request.empty()) _exit(0);
        const std::string answer = answer_cost_request(*machine_, request);
        const bool ends = machine_->broken();
        if (!write_line(socket, (ends ? kEnds : kGoesOn) + answer) || ends) _exit(0);
    }
}

std::string CostOracle::answer(const std::string& request) {
    std::string line = request;
    // Texts in JSON contain no line ends.
    std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    if (line.find_first_not_of(" \t") == std::string::npos) line = "null";
    if (socket_ < 0) start();
    std::string found = write_line(socket_, line) ? line_of(socket_) : std::string();
    if (found.empty()) {
        end();
        fail_input("I66", "the process that ran the fragment exited unexpectedly",
                   "please report the fragment: this is a bug of ptosim");
    }
    if (found.front() == kEnds) end();
    return found.substr(1);
}

FragmentCost CostOracle::cost(const Fragment& fragment) {
    return cost_in_answer(answer(cost_request(fragment)));
}

}  // namespace ptosim
