// Resource limits of a request, and a sandbox for the native code of kernels.
//
// The sandbox is a seccomp filter. System calls that the simulator itself needs (memory, clocks, reading and writing of
// open files) are allowed. All others are passed to the watching process, which refuses and records them. No privileges
// are needed. The sandbox protects the host from the kernel: no other files, no processes, no network, no signals to
// others. It does not protect the simulator's own memory, because the kernel runs in its process: a kernel can forge a
// result from within, which is why results are compared outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/files/json.h"

namespace ptosim::worker {

// 0: no limit.
struct Limits {
    uint64_t memory_mib = 0;   // of address space, in addition to the initial one
    uint64_t cpu_seconds = 0;  // of all threads
    uint64_t file_mib = 0;     // size of one file
    uint64_t open_files = 0;
    uint64_t file_bytes = 0;  // like file_mib; the smaller one applies
};
// Applies the limits to this process and its children.
void apply(const Limits& limits);

// Puts this process into the sandbox permanently. Returns the descriptor by which another process watches it; -1 if
// this system lacks such filters (`why` names the missing feature).
int enter_sandbox(std::string& why);

// The watching side: refuses all requests of the sandboxed process `child`, except loading kernels from its own memory
// files and reading `readable`: files, and folders, which end in a slash.
class SandboxWatch {
 public:
    SandboxWatch(int listener, pid_t child, std::vector<std::string> readable)
        : listener_{listener}, child_{child}, readable_{std::move(readable)} {}
    ~SandboxWatch();
    SandboxWatch(const SandboxWatch&) = delete;
    SandboxWatch& operator=(const SandboxWatch&) = delete;

    int descriptor() const { return listener_; }
    // Answers a pending request. Returns false if the sandbox has ended.
    bool answer();
    // Refused calls, each once with a count: "open /etc/passwd", "fork".
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
