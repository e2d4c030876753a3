// An output file that is either complete or absent.
#pragma once

#include <signal.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace ptosim {

// While an object of this class lives, a write beyond the limit of a file's size (ulimit -f) fails with EFBIG on this
// thread, and on threads that it starts. Otherwise SIGXFSZ would end the process. A library must not change the
// handlers of the process, which belong to its main program.
class SizeSignalHeld {
 public:
    SizeSignalHeld();
    ~SizeSignalHeld();
    SizeSignalHeld(const SizeSignalHeld&) = delete;
    SizeSignalHeld& operator=(const SizeSignalHeld&) = delete;

 private:
    sigset_t before_{};
    bool pending_ = false;  // before the constructor
};

// The file has no name until commit, so a process that is killed leaves nothing (on file systems without unnamed files,
// PATH.PID.tmp; while one file replaces another, the complete new one). Special files such as /dev/stdout are written
// at once. Fails with DiagnosticError of the given code, and then leaves the target unchanged.
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

    std::filesystem::path path_;    // as given
    std::filesystem::path target_;  // after resolving links
    std::filesystem::path temporary_;
    const char* code_;
    int file_ = -1;
    bool nameless_ = false;
    bool direct_ = false;  // a special file
    std::string buffer_;
};

// Makes the folder and its parents. Fails with DiagnosticError (I40).
void make_output_folder(const std::filesystem::path& path);

}  // namespace ptosim
