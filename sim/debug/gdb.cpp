#include "sim/debug/gdb.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "isa/core/diagnostic.h"

extern char** environ;

namespace ptosim::debug {
namespace {

constexpr int kGdbPatience = 20000;  // milliseconds for an answer of gdb

[[noreturn]] void fail_gdb(const std::string& message, const std::string& hint = {}) { fail_input("I69", message, hint); }

// ---- the machine interface ----------------------------------------------------------------

// A reader of results; a text that breaks off gives what was complete.
class Results {
 public:
    explicit Results(std::string_view text) : text_{text} {}

    Json tuple() {
        Json json = Json::object();
        while (at_ < text_.size() && text_[at_] != '}') {
            if (text_[at_] == ',') {
                ++at_;
                continue;
            }
            const std::string name = this->name();
            if (at_ >= text_.size()) break;
            json[name] = value();
        }
        return json;
    }

 private:
    std::string name() {
        const size_t equals = std::min(text_.find('=', at_), text_.size());
        std::string name(text_.substr(at_, equals - at_));
        at_ = std::min(equals + 1, text_.size());
        return name;
    }
    Json value() {
        if (text_[at_] == '"') return string();
        if (text_[at_] == '[') return list();
        if (text_[at_] != '{') {
            at_ = text_.size();
            return {};
        }
        ++at_;
        Json json = tuple();
        ++at_;
        return json;
    }
    Json list() {
        Json json = Json::array();
        ++at_;
        while (at_ < text_.size() && text_[at_] != ']') {
            if (text_[at_] == ',') {
                ++at_;
                continue;
            }
            if (text_[at_] != '"' && text_[at_] != '{' && text_[at_] != '[') name();
            if (at_ < text_.size()) json.push_back(value());
        }
        ++at_;
        return json;
    }
    Json string() {
        std::string result;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] != '\\' || at_ + 1 >= text_.size()) {
                result += text_[at_];
                continue;
            }
            const char escaped = text_[++at_];
            if (escaped >= '0' && escaped <= '7' && at_ + 2 < text_.size()) {
                unsigned code = 0;
                std::from_chars(text_.data() + at_, text_.data() + at_ + 3, code, 8);
                result += static_cast<char>(code);
                at_ += 2;
            } else {
                result += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
            }
        }
        ++at_;
        return result;
    }

    std::string_view text_;
    size_t at_ = 0;
};

// ---- the remote protocol ------------------------------------------------------------------

std::string packet_of(const std::string& content) {
    unsigned sum = 0;
    for (const char c : content) sum += static_cast<unsigned char>(c);
    static constexpr char kDigits[] = "0123456789abcdef";
    return "+$" + content + "#" + kDigits[sum >> 4 & 15] + kDigits[sum & 15];
}

std::string little_endian(uint64_t value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned byte = 0; byte < 8; ++byte, value >>= 8) {
        text += kDigits[value >> 4 & 15];
        text += kDigits[value & 15];
    }
    return text;
}

// The registers of gdb's packet before the program counter, by their numbers in DWARF.
constexpr std::array<unsigned, 16> kPacketOrder = {0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

void write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<size_t>(written));
    }
}

bool read_more(int file, std::string& text) {
    char buffer[4096];
    ssize_t got = 0;
    do got = read(file, buffer, sizeof(buffer));
    while (got < 0 && errno == EINTR);
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
    return got > 0;
}

}  // namespace

Json parse_machine_interface(std::string_view results) { return Results(results).tuple(); }

Gdb::~Gdb() {
    if (child_ == 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
}

void Gdb::start() {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0) fail_gdb("no pipe for gdb");
    const Descriptor reads(input[0]);
    to_ = Descriptor(input[1]);
    if (pipe2(output, O_CLOEXEC) != 0) fail_gdb("no pipe for gdb");
    const Descriptor writes(output[1]);
    from_ = Descriptor(output[0]);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, reads.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, writes.number(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::array<const char*, 5> words = {"gdb", "-nx", "-q", "--interpreter=mi3", nullptr};
    const int error = posix_spawnp(&child_, words[0], &actions, nullptr, const_cast<char**>(words.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        child_ = 0;
        fail_gdb("variables and frames of compiled code need gdb, which is not installed",
                 "apt-get install gdb; lines, tiles, queues and flags work without it");
    }
    listener_ = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (folder_.path() / "gdb").string();
    if (path.size() >= sizeof(address.sun_path)) fail_gdb("'" + path + "' is too long for a socket", "set TMPDIR to a shorter path");
    path.copy(address.sun_path, path.size());
    if (bind(listener_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        listen(listener_.number(), 1) != 0)
        fail_gdb("no socket for gdb: " + std::string(std::strerror(errno)));
    for (const char* setting : {"confirm off", "auto-load off", "debuginfod enabled off", "architecture i386:x86-64",
                                "trust-readonly-sections on", "print elements 64", "print object off"})
        try {
            command("-gdb-set " + std::string(setting));
        } catch (const DiagnosticError&) {  // older versions lack some
        }
}

void Gdb::connect() {
    command("-target-select remote " + (folder_.path() / "gdb").string());
    connected_ = true;
}

void Gdb::show(CodeState state) {
    if (child_ == 0) start();
    if (connected_) command("-target-disconnect");
    connected_ = false;
    client_ = {};
    packets_.clear();
    state_ = std::move(state);
    if (loaded_.insert({state_.library, state_.base}).second)
        command("-interpreter-exec console \"add-symbol-file " + state_.library + " -o " + std::to_string(state_.base) + "\"");
    connect();
}

std::string Gdb::console(const std::string& where, const std::string& text) {
    command("-interpreter-exec" + where + " console \"" + text + "\"");
    return std::exchange(printed_, {});
}

Json Gdb::command(const std::string& text) {
    printed_.clear();
    write_all(to_.number(), text + "\n");
    for (;;) {
        for (size_t end = unread_.find('\n'); end != unread_.npos; end = unread_.find('\n')) {
            const std::string line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            if (line.starts_with('~')) printed_ += parse_machine_interface("text=" + line.substr(1)).value("text", "");
            if (!line.starts_with('^')) continue;
            const size_t comma = std::min(line.find(','), line.size());
            const Json results = parse_machine_interface(std::string_view(line).substr(comma));
            if (!line.starts_with("^error")) return results;
            fail_gdb("gdb: " + results.value("msg", "an error without a message"));
        }
        std::array<pollfd, 3> entries{{{from_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}, {client_.number(), POLLIN, 0}}};
        if (poll(entries.data(), entries.size(), kGdbPatience) <= 0) fail_gdb("gdb does not answer", "end the debugger and start it again");
        if (entries[0].revents != 0 && !read_more(from_.number(), unread_)) fail_gdb("gdb has ended", "start the debugger again");
        if ((entries[1].revents & POLLIN) != 0) client_ = Descriptor(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
        if (entries[2].revents != 0) serve();
    }
}

// Answers the packets that have arrived.
void Gdb::serve() {
    if (!read_more(client_.number(), packets_)) {
        client_ = {};
        return;
    }
    for (;;) {
        const size_t begin = packets_.find('$'), end = packets_.find('#', begin);
        if (begin == packets_.npos || end == packets_.npos || end + 2 >= packets_.size()) return;
        const std::string packet = packets_.substr(begin + 1, end - begin - 1);
        packets_.erase(0, end + 3);
        write_all(client_.number(), packet_of(answer(packet)));
    }
}

std::string Gdb::registers() const {
    const auto text = [this](unsigned number) {
        return (state_.known >> number & 1) != 0 ? little_endian(state_.registers[number]) : std::string(16, 'x');
    };
    std::string all;
    for (const unsigned number : kPacketOrder) all += text(number);
    return all + text(16);
}

std::string Gdb::answer(const std::string& packet) {
    if (packet.starts_with("qSupported")) return "PacketSize=4000";
    if (packet == "?") return "S05";
    if (packet == "g") return registers();
    if (packet == "qfThreadInfo") return "m1";
    if (packet == "qsThreadInfo") return "l";
    if (packet == "qC") return "QC1";
    if (packet == "qAttached") return "1";
    if (packet.starts_with("H") || packet.starts_with("T") || packet.starts_with("D")) return "OK";
    if (packet.starts_with("m")) {
        uint64_t address = 0, size = 0;
        const size_t comma = packet.find(',');
        if (comma == packet.npos) return "E01";
        std::from_chars(packet.data() + 1, packet.data() + comma, address, 16);
        std::from_chars(packet.data() + comma + 1, packet.data() + packet.size(), size, 16);
        const std::string bytes = state_.memory(address, size);
        return bytes.empty() ? "E01" : bytes;
    }
    if (packet.starts_with("M") || packet.starts_with("X") || packet.starts_with("G") || packet.starts_with("P")) return "E01";
    return {};
}

}  // namespace ptosim::debug
