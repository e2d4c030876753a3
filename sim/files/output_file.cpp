#include "sim/files/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <system_error>
#include <utility>

#include "isa/core/diagnostic.h"

namespace ptosim {

namespace fs = std::filesystem;

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kLargeBytes = size_t{1} << 15;  // too large for a copy to pay off

std::string reason(int error) { return std::generic_category().message(error); }

sigset_t size_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

}  // namespace

SizeSignalHeld::SizeSignalHeld() {
    const sigset_t set = size_signal();
    sigset_t pending;
    sigpending(&pending);
    pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &before_);
}

SizeSignalHeld::~SizeSignalHeld() {
    const sigset_t set = size_signal();
    const timespec now{};
    while (!pending_ && sigtimedwait(&set, nullptr, &now) == SIGXFSZ) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

OutputFile::OutputFile(fs::path path, const char* code)
    : path_{std::move(path)}, target_{path_}, code_{code} {
    std::error_code error;
    const fs::file_status status = fs::status(path_, error);
    direct_ = fs::exists(status) && !fs::is_regular_file(status);
    if (fs::is_regular_file(status)) {
        target_ = fs::canonical(path_, error);
        if (error) target_ = path_;
    }
    // The process id separates two runs that write to one folder.
    temporary_ = target_;
    temporary_ += "." + std::to_string(getpid()) + ".tmp";
    open();
    if (file_ < 0) fail(errno);
    buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::open() {
    constexpr mode_t kMode = 0666;
    if (direct_) {
        file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
        return;
    }
#ifdef O_TMPFILE
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    if (access("/proc/self/fd", X_OK) == 0)
        file_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
    nameless_ = file_ >= 0;
#endif
    if (file_ < 0)
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
}

void OutputFile::write(std::string_view text) {
    if (text.size() < kLargeBytes) {
        buffer_ += text;
        if (buffer_.size() >= kBufferBytes) empty_buffer();
        return;
    }
    empty_buffer();
    put(text);
}

void OutputFile::empty_buffer() {
    put(buffer_);
    buffer_.clear();
}

void OutputFile::put(std::string_view bytes) {
    const SizeSignalHeld held;
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(errno);
        bytes.remove_prefix(static_cast<size_t>(written));
    }
}

void OutputFile::commit() {
    empty_buffer();
    const bool named = nameless_ && give_name();
    if (::close(std::exchange(file_, -1)) != 0) {
        const int error = errno;
        if (!direct_) std::remove(temporary_.c_str());
        fail(error);
    }
    if (direct_ || named) return;
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) {
        std::remove(temporary_.c_str());
        fail(error.value());
    }
}

// Returns true if the file got its final name. A name can only be taken from another file by renaming, in which case
// this file has the temporary one.
bool OutputFile::give_name() {
    const std::string self = "/proc/self/fd/" + std::to_string(file_);
    const auto link = [&self](const fs::path& name) {
        return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(target_)) return true;
    if (errno != EEXIST) fail(errno);
    std::remove(temporary_.c_str());  // left by an earlier process with this id
    if (!link(temporary_)) fail(errno);
    nameless_ = false;
    return false;
}

void OutputFile::discard() noexcept {
    if (file_ < 0) return;
    ::close(std::exchange(file_, -1));
    if (!nameless_ && !direct_) std::remove(temporary_.c_str());
}

void OutputFile::fail(int error) {
    discard();
    fail_input(code_, path_.string() + ": cannot be written: " + reason(error),
               "check that the folder exists, may be written to, and has room");
}

void make_output_folder(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (!error && !fs::is_directory(path, error) && !error)
        error = std::make_error_code(std::errc::not_a_directory);
    if (error)
        fail_input("I40", "cannot create folder " + path.string() + ": " + reason(error.value()),
                   "Name a folder that can be created or written to.");
}

}  // namespace ptosim
