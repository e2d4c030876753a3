// Data caches of the scalar units.
//
// Scalar loads and stores of global memory go through a cache of each core, in lines of 64 bytes,
// which nothing keeps coherent with the transfers of its own core or with other cores (CANN, "Data
// reading and writing by the scalar unit" and DataCacheCleanAndInvalid; hw-native-sys/PTOAS 696 and
// docs/designs/ptoas-memory-consistency-design.md). A store is in memory when its line has been
// cleaned (cmo.cacheinvalid), which assemblers do at the end of a block only; a load that hits a
// line gets the data of the time of its fetch. A line is written back whole: what others have
// written to any of its bytes since the fetch is lost (hw-native-sys/PTOAS 915).
//
// The checker looks at accesses that are ordered; those that are not are
// races. Only the last rule also covers accesses to different bytes of a line.
#pragma once

#include <map>
#include <vector>

#include "sim/check/checker.h"

namespace ptosim::check {

class CacheChecker final : public Checker {
 public:
    using Checker::Checker;
    void on_launch(const LaunchEvent& event) override;
    // The caches hold nothing when a block begins, and are clean when it has ended.
    void on_block_end(const RunEvent& event) override;
    // A load or store through the cache, or its cleaning.
    void on_cache(const CacheEvent& event) override;
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;

 private:
    static constexpr uint64_t kLineBytes = CacheUse::kLineBytes;
    using Bytes = uint64_t;  // of a line, a bit each
    struct Touch {
        Stamp stamp;
        bool writes = false, cached = false;
        std::string_view instruction, operand;
        SourceLocation location;
        Cycle time = 0;
        Bytes bytes = 0;  // of the line that is looked at
    };
    // Stores of a core to a line.
    struct Stores {
        Touch last;
        Bytes bytes = 0;  // 0: none
    };
    // A line in the cache of a core.
    struct Copy {
        uint16_t core = 0;
        uint32_t block = 0;
        bool held = false;
        Stores dirty;
        Stores cleaned;             // the last that have been written back
        Stamp clean;                // when
        std::vector<Touch> others;  // that have written the line since it was fetched
    };

    Copy& copy_of(uint64_t line, const Stamp& stamp);
    void clean(Copy& copy, const Stamp& stamp);
    void clean_all(uint16_t core);
    void own(uint64_t line, Touch touch);
    void touch(const Region& region, Touch touch);
    void check_stores(uint64_t line, const Copy& copy, const Stores& stores, const Stamp* clean,
                      const Touch& touch);
    enum class Kind : uint8_t { kLeft, kShared, kStale };  // E17, E18, E19
    void report(Kind kind, uint64_t line, Bytes bytes, uint16_t cache, const Touch& first,
                const Touch& second);
    Diagnostic describe(Kind kind, uint64_t line, Bytes bytes, uint16_t cache, const Touch& first,
                        const Touch& second) const;

    std::map<uint64_t, std::vector<Copy>> lines_;  // by address
    std::vector<std::vector<uint64_t>> held_;      // by core: lines that its cache holds
};

}  // namespace ptosim::check
