#include "traces/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "isa/diagnostic.h"

namespace ptosim {

namespace {
constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kLargeBytes = size_t{1} << 15;  // not worth a copy

std::string reason(int error) { return std::generic_category().message(error); }
}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_{std::move(path)} {
    // The process id keeps two runs that write to one folder apart.
    temporary_ = path_;
    temporary_ += "." + std::to_string(getpid()) + ".tmp";
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (file_ == nullptr) fail(errno);
    buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::write(std::string_view text) {
    if (text.size() < kLargeBytes) {
        buffer_ += text;
        if (buffer_.size() >= kBufferBytes) empty_buffer();
        return;
    }
    empty_buffer();
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void OutputFile::empty_buffer() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail(errno);
    buffer_.clear();
}

void OutputFile::commit() {
    empty_buffer();
    if (std::fflush(file_) != 0) fail(errno);
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) {
        const int error = errno;
        std::remove(temporary_.c_str());
        fail(error);
    }
    std::error_code error;
    std::filesystem::rename(temporary_, path_, error);
    if (error) {
        std::remove(temporary_.c_str());
        fail(error.value());
    }
}

void OutputFile::discard() noexcept {
    if (file_ == nullptr) return;
    std::fclose(file_);
    file_ = nullptr;
    std::remove(temporary_.c_str());
}

void OutputFile::fail(int error) {
    discard();
    fail_input("I40", "cannot write " + path_.string() + ": " + reason(error),
               "Check that the folder exists, may be written to, and has room.");
}

void make_folder(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error && !std::filesystem::is_directory(path, error) && !error)
        error = std::make_error_code(std::errc::not_a_directory);
    if (error)
        fail_input("I40", "cannot make folder " + path.string() + ": " + reason(error.value()),
                   "Name a folder that can be made or written to.");
}

}  // namespace ptosim
