// A file that is there completely or not at all.
#pragma once

#include <signal.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace ptosim {

// While it lives, a write beyond the limit of a file's size (ulimit -f) fails with EFBIG on this
// thread, and on those that it starts. SIGXFSZ would end the process; what becomes of a process's
// signals is for its main program to say, not for a library.
class SizeSignalHeld {
 public:
    SizeSignalHeld();
    ~SizeSignalHeld();
    SizeSignalHeld(const SizeSignalHeld&) = delete;
    SizeSignalHeld& operator=(const SizeSignalHeld&) = delete;

 private:
    sigset_t before_{};
    bool pending_ = false;  // before
};

// Has no name until commit: a process that is killed leaves nothing behind (where the
// file system has no nameless files, PATH.PID.tmp; while one file replaces another, the
// complete new one). What is not a regular file, such as /dev/stdout, is written at once.
// Fails with DiagnosticError of the given code; the target then is what it was before.
class OutputFile {
 public:
    explicit OutputFile(std::filesystem::path path, const char* code = "I40");
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view text);
    void commit();

 private:
    void open();
    void put(std::string_view bytes);
    void empty_buffer();
    bool give_name();
    void discard() noexcept;
    [[noreturn]] void fail(int error);

    std::filesystem::path path_;    // as it was given
    std::filesystem::path target_;  // what a link leads to
    std::filesystem::path temporary_;
    const char* code_;
    int file_ = -1;
    bool nameless_ = false;
    bool direct_ = false;  // no regular file
    std::string buffer_;
};

// Makes the folder and those above it. Fails with DiagnosticError (I40).
void make_output_folder(const std::filesystem::path& path);

}  // namespace ptosim
