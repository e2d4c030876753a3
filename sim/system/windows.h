// Windows: memory shared by several chips, each of which is a separate process. A window is an allocation of each
// chip's global memory whose pages belong to one file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "isa/core/relayed_port.h"
#include "isa/core/signal_listener.h"
#include "sim/machine/chip/chip.h"

namespace ptosim {

// Identifies a word of a window across processes.
struct SharedWord {
    uint64_t file = 0, offset = 0;
    auto operator<=>(const SharedWord&) const = default;
};

class Windows {
 public:
    // Maps the file's first `size` bytes into the memory; null if there is no room.
    void* map(GlobalMemory& memory, uint64_t size, int file);
    // Returns false if no window begins there.
    bool unmap(GlobalMemory& memory, void* window);
    bool hold(uint64_t address) const;
    // The window's pages from `begin` to its end become this process's own, zeroed: the others reach them by the links of
    // chips with one clock. Returns the number of its file; 0 if it is none, or there is no room.
    uint64_t keep(uint64_t begin, uint64_t size);
    // All windows are kept so.
    bool have_clock() const { return have_clock_; }
    std::optional<std::pair<uint64_t, uint64_t>> range(const void* window) const;
    bool empty() const { return windows_.empty(); }
    // The shared word at an address, which must be in a window.
    SharedWord word_at(uint64_t address) const;

 private:
    struct Window {
        uint64_t end = 0;
        uint64_t allocation = 0;
        uint64_t file = 0;  // number of the file
    };
    std::map<uint64_t, Window> windows_;  // by their first byte
    bool have_clock_ = false;
};

// The port of a task that may exchange signals with other chips. Without a common clock, these run in their own simulated
// time, so waiting for a signal also takes the host's time.
class WindowPort : public RelayedPort {
 public:
    WindowPort(KernelPort& port, const BlockIdentity& identity, const Windows& windows, Chip& chip)
        : RelayedPort(port, identity), windows_{windows}, chip_{chip} {}

 protected:
    // A word of a window has been set or added to.
    virtual void note_signal(SharedWord, SourceLocation) {}
    // A load in a window has repeated the previous load with the same result.
    virtual void note_unchanged(const AwaitedSignal&) {}
    // A load has returned another value, or used another address.
    virtual void note_changed() {}

 public:
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
    uint64_t polled_ = 0, seen_ = 0;  // address and value of the last load
};

// A kernel whose cores may exchange signals with other chips.
class WindowedKernel : public DerivedKernel {
 public:
    WindowedKernel(const Kernel& kernel, const Windows& windows, Chip& chip)
        : DerivedKernel{kernel}, windows_{windows}, chip_{chip} {}

    void run(KernelPort& port, KernelArguments arguments) const override {
        WindowPort windowed(port, port.identity(), windows_, chip_);
        kernel_.run(windowed, arguments);
    }

 private:
    const Windows& windows_;
    Chip& chip_;
};

}  // namespace ptosim
