// Device memory of a program: allocations of its host, and windows shared with other chips.
#pragma once

#include <cstdint>
#include <set>

#include "sim/faces/mpmd/processor_cache.h"
#include "sim/faces/mpmd/run_queue.h"
#include "sim/session/session.h"
#include "sim/system/windows.h"

namespace ptosim::mpmd {

// For one thread at a time. The thread of a run reads the table of device memory, so the table does not change during a
// run.
class ProgramMemory {
 public:
    // `cache` may be null.
    ProgramMemory(Session& session, RunQueue& queue, ProcessorCache* cache)
        : session_{session}, queue_{queue}, cache_{cache} {}

    // During a run returns host memory, e.g. for buffers of collectors; null if none is left. Throws DiagnosticError if
    // the device has none left.
    void* allocate(uint64_t size);
    // Memory that a run may still use stays allocated.
    void release(void* memory);
    // Maps the first `size` bytes of a file; null if there is no room, or during a run.
    void* map(uint64_t size, int file);
    void unmap(void* window);
    uint64_t keep_window(uint64_t begin, uint64_t size) { return windows_.keep(begin, size); }

    const Windows& windows() const { return windows_; }
    bool holds(uint64_t address) const { return session_.memory().reserves(address); }

 private:
    Session& session_;
    RunQueue& queue_;
    ProcessorCache* const cache_;
    Windows windows_;
    std::set<void*> on_host_;
};

}  // namespace ptosim::mpmd
