// Memory accesses of the scalar unit itself, element by element. Each takes time, waits for conflicting accesses in
// flight, and then takes effect at once.
#pragma once

#include <array>
#include <memory>

#include "isa/core/kernel.h"
#include "sim/machine/core/line_cache.h"
#include "sim/machine/core/scalar_unit.h"

namespace ptosim {

class ScalarMemory {
 public:
    ScalarMemory(CoreContext& core, ScalarUnit& scalar, Pipes& pipes)
        : core_{core}, scalar_{scalar}, pipes_{pipes}, cached_{core.model.scalar.cache_lines} {}

    // These implement KernelPort. An address outside every allocation ends the run (G01).
    uint64_t load_global(uint64_t address, DType type, ScalarPath path, SourceLocation where);
    void store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                      SourceLocation where);
    void store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where);
    uint64_t atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                           SourceLocation where);
    // Drops lines of the data cache; with 0 bytes, all.
    void clean_cache(uint64_t address, uint64_t bytes) { cached_.drop(address, bytes); }
    CachedLines cached_lines() const;
    // Charges a load that the kernel's compiled code makes directly, if its line is missing.
    void load_line(uint64_t address);
    // Reports an access that the kernel's compiled code makes directly.
    void follow_pointer(const CacheUse& use);
    // The same for bytes of UB. One outside of it ends the run (A03).
    void follow_local(uint64_t address, uint64_t size, bool writes, SourceLocation where);
    // An element outside its buffer ends the run (A03); so does a load in --mode timing (U02).
    uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation where);
    void store_local(const Tile& tile, int64_t offset, uint64_t bits, SourceLocation where);

    // Throws in --mode timing, as load_local() does.
    uint64_t result_register(unsigned which, SourceLocation where);

    // In a system of several chips: a poll for a signal. A core that repeats its polls makes no progress.
    struct Look {
        uint64_t address = 0, bits = 0;
        SourceLocation where;
        Cycle since = 0;  // cycle at which these bits were first read
    };
    Cycle quiet_since() const { return quiet_since_; }
    const Look& last_look() const { return looks_[last_look_]; }
    void note_progress() { quiet_since_ = core_.now(); }

    // Begins an access of the scalar unit: with --sync auto it waits for conflicting instructions. Notifies the
    // observers. `stored`: the value that a store past the cache leaves.
    void begin_access(const Access& access, ScalarPath path, SourceLocation where,
                      const uint64_t* stored = nullptr, bool rewrites_line = false);

 private:
    Access global_access(uint64_t address, DType type, const char* what, bool reads, bool writes,
                         SourceLocation where) const;
    std::byte* local_element(const Tile& tile, int64_t offset, bool write, SourceLocation where);
    // Waits until nothing in flight touches these bytes, neither in simulated time nor in a thread that computes data.
    void settle(const Access& access, ScalarPath path, SourceLocation where,
                const uint64_t* stored = nullptr, bool rewrites_line = false);
    // Charges a load that misses the cache.
    void charge_load();
    void charge_load(uint64_t address, ScalarPath path);
    void note_look(uint64_t address, uint64_t bits, SourceLocation where);
    // True for addresses in the memory of other chips.
    bool is_remote(uint64_t address) const;
    void fetch(uint64_t address, uint64_t size);
    Event& arrived();
    void require_data(const char* what, SourceLocation where) const;

    CoreContext& core_;
    ScalarUnit& scalar_;
    Pipes& pipes_;
    LineCache cached_;
    std::array<Look, 16> looks_{};  // by address
    size_t last_look_ = 0;
    Cycle quiet_since_ = 0;
    std::unique_ptr<Event> arrived_;  // notified when data of another chip arrives; made on first use
};

}  // namespace ptosim
