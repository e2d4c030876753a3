// Input files, read whole, with errors that name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptosim {

// An open regular file. Folders, pipes, sockets and devices are refused: they have no size and may
// never end. Fails with DiagnosticError of the given code.
class InputFile {
 public:
    explicit InputFile(std::string path, const char* code = "I01");
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    uint64_t size() const { return size_; }          // bytes, when it was opened
    uint64_t position() const { return position_; }  // bytes that have been read
    // Reads on from the end of the last call; returns the number of bytes read.
    size_t read(void* to, size_t bytes);

 private:
    std::string path_;
    const char* code_;
    int file_;
    uint64_t size_ = 0, position_ = 0;
};

// Limit for files that are read whole.
inline constexpr uint64_t kMostInput = uint64_t{1} << 30;

// The content of a file. Fails with DiagnosticError for a special file, one with more than kMostInput bytes, or one
// that cannot be read.
std::string read_file(const std::string& path, const char* code = "I01");
// Reads a text, without the byte order mark of UTF-8.
std::string read_text(const std::string& path, const char* code = "I01");

}  // namespace ptosim
