// Windows: memory that several chips share, each of them a process of its own. A window is an
// allocation of each chip's global memory whose pages are those of one file.
#pragma once

#include <cstdint>
#include <map>

#include "isa/core/relayed_port.h"
#include "sim/chip/chip.h"

namespace ptosim::mpmd {

class Windows {
 public:
    // Puts the file's first `size` bytes into the memory; null if there is no room.
    void* map(GlobalMemory& memory, uint64_t size, int file);
    // False if no window begins there.
    bool unmap(GlobalMemory& memory, void* window);
    bool hold(uint64_t address) const;

 private:
    struct Window {
        uint64_t end = 0;
        uint64_t allocation = 0;
    };
    std::map<uint64_t, Window> windows_;  // by their first byte
};

// The port of a task that may exchange signals with other chips. These run in their own simulated
// time: who waits for a signal waits in the host's time, too, until it is there.
class WindowPort : public RelayedPort {
 public:
    WindowPort(KernelPort& port, const BlockIdentity& identity, const Windows& windows, Chip& chip)
        : RelayedPort(port, identity), windows_{windows}, chip_{chip} {}

    uint64_t load_global(uint64_t address, DType type, ScalarPath path,
                         SourceLocation where) override;
    void store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                      SourceLocation where) override;
    void store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where) override;
    uint64_t atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                           SourceLocation where) override;

 private:
    void complete_what_was_issued(SourceLocation where);

    const Windows& windows_;
    Chip& chip_;
    uint64_t polled_ = 0, seen_ = 0;  // the address that was loaded last, and what was there
};

}  // namespace ptosim::mpmd
