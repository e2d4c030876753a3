#include "sim/native/code_lines.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string_view>

extern char** environ;

namespace ptosim {
namespace {

// An address outside of code: its answer marks the end of addr2line's answer to the previous address.
constexpr std::string_view kEnd = "0xffffffffffffffff";

void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
}

}  // namespace

CodeLines::~CodeLines() {
    close_end(to_);
    close_end(from_);
    if (child_ != 0) waitpid(child_, nullptr, 0);
}

bool CodeLines::start() {
    if (started_) return child_ != 0;
    started_ = true;
    for (const char* version : {"-22", "-21", "-20", "-19", ""})
        if (start({std::string("llvm-symbolizer") + version, "--obj=" + file_})) return true;
    gnu_ = true;
    return start({"addr2line", "-aifCe", file_});
}

bool CodeLines::start(const std::vector<std::string>& words) {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0) return false;
    if (pipe2(output, O_CLOEXEC) != 0) {
        close(input[0]);
        close(input[1]);
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int error =
        posix_spawnp(&child_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    if (error != 0) {
        child_ = 0;
        close(input[1]);
        close(output[0]);
        return false;
    }
    to_ = input[1];
    from_ = output[0];
    return true;
}

bool CodeLines::read_line(std::string& line) {
    for (;;) {
        const size_t end = unread_.find('\n');
        if (end != unread_.npos) {
            line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            return true;
        }
        char buffer[4096];
        const ssize_t n = read(from_, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        unread_.append(buffer, static_cast<size_t>(n));
    }
}

std::vector<CodeLocation> CodeLines::at(uint64_t offset) {
    if (!start()) return {};
    std::ostringstream question;
    question << "0x" << std::hex << offset << "\n";
    if (gnu_) question << kEnd << "\n";
    const std::string text = question.str();
    if (write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return {};
    std::vector<CodeLocation> found;
    std::string line;
    if (gnu_ && !read_line(line)) return {};  // the address
    // A function, and its location: "name.cpp:12:3", "name.cpp:12" with more text after it, "??:0".
    for (std::string function; read_line(function) && function != kEnd && !function.empty() && read_line(line);) {
        CodeLocation& location = found.emplace_back();
        if (!function.starts_with("?")) location.function = function;
        if (!gnu_) line.erase(std::min(line.rfind(':'), line.size()));  // the column
        const size_t colon = line.rfind(':');
        if (colon == line.npos || line.starts_with("?")) continue;
        location.line =
            static_cast<uint32_t>(std::strtoul(line.c_str() + colon + 1, nullptr, 10));
        if (location.line > 0) location.file = line.substr(0, colon);
    }
    if (!gnu_) return found;
    read_line(line);  // of the end mark
    read_line(line);
    return found;
}

}  // namespace ptosim
