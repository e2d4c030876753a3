// What the data caches of the AICPU hold, for the checker of stale lines (`--check cache`).
//
// On a2a3 a processor sees what processors and cores have written, and of what the host has written
// only what its cache did not hold, until it invalidates the line (simpler's
// docs/hardware/cache-coherency.md). Here all see each other's bytes at once; so a line is
// remembered as it was at the end of a run, and one that is another at the begin of the next has
// been written by the host: loading it before it is invalidated may give the old bytes.
//
// Caches of processors see each other, and are one here, which drops nothing by itself.
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
#include "sim/memory/global_memory.h"

namespace ptosim::mpmd {

class ProcessorCache {
 public:
    static constexpr uint64_t kLineBytes = 64;
    static constexpr size_t kMostLines = size_t{1} << 20;  // later ones are not looked at

    // `sources` gets the files in which something is found.
    ProcessorCache(const GlobalMemory& memory, std::shared_ptr<SourceMap> sources)
        : memory_{memory}, sources_{std::move(sources)} {}

    void begin_run();
    void end_run();
    // A processor accesses bytes of device memory; `code` is where in its code.
    void load(unsigned processor, uint64_t address, uint64_t size, const void* code);
    void store(uint64_t address, uint64_t size);
    void invalidate(uint64_t address, uint64_t size);
    void release(uint64_t address);  // the allocation that holds it

    // One for each place of the code.
    const std::vector<Diagnostic>& findings() const { return findings_; }

 private:
    using Bytes = std::array<std::byte, kLineBytes>;

    void hold(uint64_t line);
    void report(unsigned processor, uint64_t address, uint64_t size, const void* code);

    const GlobalMemory& memory_;
    const std::shared_ptr<SourceMap> sources_;
    std::unordered_map<uint64_t, Bytes> held_;   // by address: as they were when the last run ended
    std::unordered_map<uint64_t, Bytes> stale_;  // of these: what the host has made of them since
    std::unordered_set<const void*> told_;
    std::vector<Diagnostic> findings_;
};

}  // namespace ptosim::mpmd
