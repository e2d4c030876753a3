// Stores of cores that processors cannot see yet, for the checker of stale data (`--check cache`).
//
// The end of a task does not imply that its stores are in memory (hw-native-sys/simpler 2233): a transfer may be under
// way when the kernel returns, and a scalar store stays in the core's data cache until its line is cleaned. A scheduler
// that then reads a predicate gets the old value. Transfers reach memory when they complete. Elsewhere in the machine
// scalar stores do so at once; therefore this checker restores the old bytes of lines that a core has not cleaned when
// its task ends, until the core cleans them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isa/core/diagnostic.h"
#include "sim/check/region.h"
#include "sim/machine/memory/global_memory.h"
#include "sim/machine/observe/observer.h"

namespace ptosim::mpmd {

class CoreStores final : public Observer {
 public:
    // `sources` receives the files of findings.
    CoreStores(const GlobalMemory& memory, std::shared_ptr<SourceMap> sources)
        : memory_{memory}, sources_{std::move(sources)} {}

    void on_launch(const LaunchEvent& event) override;
    void on_launch_end(Cycle now) override;
    void on_issue(const InstructionEvent& event) override;
    void on_complete(const InstructionEvent& event) override;
    void on_cache(const CacheEvent& event) override;

    // A task's kernel has returned. `cleans`: it ends with a cleaning, as kernels from assemblers do.
    void end_task(CoreId core, bool cleans);
    // A processor loads bytes of device memory; `code` is the address in its code. Returns false if it gets old bytes.
    bool load(unsigned processor, uint64_t address, uint64_t size, const void* code);

    // One finding for each location in the code.
    const std::vector<Diagnostic>& findings() const { return findings_; }

 private:
    using CoreKey = std::pair<CoreType, unsigned>;
    using Bytes = std::array<std::byte, CacheUse::kLineBytes>;
    struct UnderWay {
        std::vector<check::Region> regions;
        SourceLocation where;
    };
    // A line in the cache of a core with bytes that the core has stored.
    struct Dirty {
        uint64_t stored = 0;  // a bit for each byte
        Bytes old, fresh;
        bool hidden = false;  // memory has the old bytes
        SourceLocation where;
    };
    using Lines = std::map<uint64_t, Dirty>;

    void clean(Lines& lines, uint64_t address, uint64_t size);
    static void show(uint64_t line, Dirty& dirty);
    bool report(unsigned processor, uint64_t address, uint64_t size, const void* code, const char* why,
                SourceLocation where);

    const GlobalMemory& memory_;
    const std::shared_ptr<SourceMap> sources_;
    std::map<std::tuple<CoreType, unsigned, uint64_t>, UnderWay> under_way_;  // by core and sequence number
    std::map<CoreKey, Lines> dirty_;
    std::unordered_set<const void*> reported_;
    std::vector<Diagnostic> findings_;
};

}  // namespace ptosim::mpmd
