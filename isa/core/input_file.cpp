#include "isa/core/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "isa/core/diagnostic.h"

namespace ptosim {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

const char* kind(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

}  // namespace

InputFile::InputFile(std::string path, const char* code)
    // A pipe without a writer would block otherwise.
    : path_{std::move(path)},
      code_{code},
      file_{::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)} {
    if (file_ < 0) {
        if (errno == ENOENT) fail_input(code_, path_ + ": no such file");
        if (errno == ENXIO) fail_input(code_, path_ + ": is a socket, not a file");
        fail_input(code_, path_ + ": cannot be opened: " + reason(errno));
    }
    struct stat status {};
    const bool has_status = fstat(file_, &status) == 0;
    if (has_status && S_ISREG(status.st_mode)) {
        size_ = static_cast<uint64_t>(status.st_size);
        return;
    }
    const int error = errno;
    ::close(file_);
    if (!has_status) fail_input(code_, path_ + ": cannot be read: " + reason(error));
    fail_input(code_, path_ + ": is " + kind(status.st_mode) + ", not a file",
               S_ISFIFO(status.st_mode) ? "write the output of the pipe to a file first" : "");
}

InputFile::~InputFile() { ::close(file_); }

size_t InputFile::read(void* to, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t n = ::read(file_, static_cast<char*>(to) + done, bytes - done);
        if (n == 0) break;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail_input(code_, path_ + ": cannot be read: " + reason(errno));
        done += static_cast<size_t>(n);
    }
    position_ += done;
    return done;
}

std::string read_file(const std::string& path, const char* code) {
    InputFile file(path, code);
    const auto check = [&](uint64_t size) {
        if (size > kMostInput)
            fail_input(code, path + ": has more than " + std::to_string(kMostInput >> 30) +
                                 " GiB: too large for this kind of file");
    };
    check(file.size());
    std::string content;
    // Files of /proc report size 0, and a file may grow while it is read.
    for (size_t room = file.size() + 1; content.size() < room; room = 2 * content.size()) {
        const size_t before = content.size();
        content.resize(room);
        content.resize(before + file.read(content.data() + before, room - before));
        if (content.size() < room) break;
        check(content.size());
    }
    return content;
}

std::string read_text(const std::string& path, const char* code) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    std::string text = read_file(path, code);
    if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    return text;
}

}  // namespace ptosim
