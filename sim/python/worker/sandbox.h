// What a request may use of this machine, and a sandbox for the native code of kernels.
//
// The sandbox is a seccomp filter: system calls that the simulator itself needs (memory,
// clocks, reading and writing of open files) are allowed, and all others are passed to the
// watching process, which refuses them and notes what they were. No privileges are needed.
// It protects the host from the kernel: no other files, no processes, no network, no signals
// to others. It does not protect the simulator's own memory, in whose process the kernel
// runs: a kernel can forge a result from within, which is why results are compared outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ptosim::worker {

// 0: no limit.
struct Limits {
    uint64_t memory_mib = 0;   // of address space, beyond what the process has when it begins
    uint64_t cpu_seconds = 0;  // of all threads
    uint64_t file_mib = 0;     // that one file may grow to
    uint64_t open_files = 0;
    uint64_t file_bytes = 0;  // as file_mib; the lesser of the two counts
};
// For this process and what it starts.
void apply(const Limits& limits);

// Puts this process into the sandbox, for good. Returns the descriptor by which another process
// watches it; -1 if this system has no such filters (`why` says what it lacks).
int enter_sandbox(std::string& why);

// The watching side: refuses what the sandboxed process `child` asks for, but for the loading of
// kernels from its own memory files and the reading of `readable`: files, and folders, which end in
// a slash.
class SandboxWatch {
 public:
    SandboxWatch(int listener, pid_t child, std::vector<std::string> readable)
        : listener_{listener}, child_{child}, readable_{std::move(readable)} {}
    ~SandboxWatch();
    SandboxWatch(const SandboxWatch&) = delete;
    SandboxWatch& operator=(const SandboxWatch&) = delete;

    int descriptor() const { return listener_; }
    // One request is there. False if the sandbox has gone.
    bool answer();
    // What was refused, each once with a count: "open /etc/passwd", "fork".
    struct Refused {
        std::string what;
        uint64_t count = 0;
    };
    const std::vector<Refused>& refused() const { return refused_; }

 private:
    void note(const std::string& what);
    std::string text_of_child(uint64_t address) const;
    int open_readable(const std::string& path) const;

    int listener_;
    pid_t child_;
    std::vector<std::string> readable_;
    std::vector<Refused> refused_;
};

}  // namespace ptosim::worker
