// Contents of the data caches of the AICPU, for the checker of stale lines (`--check cache`).
//
// On a2a3 a processor sees the writes of processors and cores. Of the host's writes it sees only lines that its cache
// does not hold, until it invalidates the line (simpler's docs/hardware/cache-coherency.md). In the simulator all
// writes are visible at once. So the content of a line at the end of a run is stored. If it differs at the begin of the
// next run, the host has written the line, and loading it before it is invalidated may give the old bytes.
//
// Caches of processors are coherent, so they are modelled as one, which evicts nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isa/core/diagnostic.h"
#include "isa/core/kernel.h"
#include "sim/machine/memory/global_memory.h"

namespace ptosim::mpmd {

class ProcessorCache {
 public:
    static constexpr uint64_t kLineBytes = 64;
    static constexpr size_t kMostLines = size_t{1} << 20;  // later ones are not checked

    // `sources` receives the files of findings.
    ProcessorCache(const GlobalMemory& memory, std::shared_ptr<SourceMap> sources)
        : memory_{memory}, sources_{std::move(sources)} {}

    void begin_run();
    void end_run();
    // A processor accesses bytes of device memory; `code` is the address in its code.
    void load(unsigned processor, uint64_t address, uint64_t size, const void* code);
    void store(uint64_t address, uint64_t size);
    void invalidate(uint64_t address, uint64_t size);
    void release(uint64_t address);  // the allocation that holds it

    // One finding for each location in the code.
    const std::vector<Diagnostic>& findings() const { return findings_; }

 private:
    using Bytes = std::array<std::byte, kLineBytes>;

    void hold(uint64_t line);
    void report(unsigned processor, uint64_t address, uint64_t size, const void* code);

    const GlobalMemory& memory_;
    const std::shared_ptr<SourceMap> sources_;
    std::unordered_map<uint64_t, Bytes> held_;   // by address: contents at the end of the last run
    std::unordered_map<uint64_t, Bytes> stale_;  // part of these: contents that the host has written since
    std::unordered_set<const void*> told_;
    std::vector<Diagnostic> findings_;
};

}  // namespace ptosim::mpmd
