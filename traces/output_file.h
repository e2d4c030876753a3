// A file that is there completely or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptosim {

// Writes beside the target and renames on commit. Fails with DiagnosticError (I40); the target is
// then what it was before.
class OutputFile {
 public:
    explicit OutputFile(std::filesystem::path path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view text);
    void commit();

 private:
    [[noreturn]] void fail(int error);
    void empty_buffer();
    void discard() noexcept;

    std::filesystem::path path_;
    std::filesystem::path temporary_;
    std::FILE* file_ = nullptr;
    std::string buffer_;
};

// Makes the folder and those above it. Fails with DiagnosticError (I40).
void make_folder(const std::filesystem::path& path);

}  // namespace ptosim
