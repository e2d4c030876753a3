// Data caches of the scalar units.
//
// Scalar loads and stores of global memory use a cache of their core, in lines of 64 bytes. Nothing keeps it coherent
// with transfers of the same core or with other cores (CANN, "Data reading and writing by the scalar unit" and
// DataCacheCleanAndInvalid; hw-native-sys/PTOAS 696 and docs/designs/ptoas-memory-consistency-design.md). A store
// reaches memory when its line is cleaned (cmo.cacheinvalid), which assemblers do only at the end of a block. A load
// that hits a line gets the data of the time of its fetch. A line is written back whole, so data that others have
// written to any of its bytes since the fetch is lost (hw-native-sys/PTOAS 915).
//
// The checker examines ordered accesses; unordered ones are races. Only the last rule also covers accesses to different
// bytes of a line.
#pragma once

#include <map>
#include <vector>

#include "sim/check/checker.h"

namespace ptosim::check {

class CacheChecker final : public Checker {
 public:
    using Checker::Checker;
    void on_launch(const LaunchEvent& event) override;
    // The caches are empty when a block begins, and clean when it has ended.
    void on_block_end(const RunEvent& event) override;
    // A load or store through the cache, or a clean of a line.
    void on_cache(const CacheEvent& event) override;
    void on_start_accesses(const InstructionEvent& event, const Footprint& footprint) override;

 private:
    static constexpr uint64_t kLineBytes = CacheUse::kLineBytes;
    using Bytes = uint64_t;  // one bit for each byte of a line
    struct Touch {
        Stamp stamp;
        bool writes = false, cached = false;
        std::string_view instruction, operand;
        SourceLocation location;
        Cycle time = 0;
        Bytes bytes = 0;  // of the current line
    };
    // Stores of a core to a line.
    struct Stores {
        Touch last;
        Bytes bytes = 0;  // 0: none
    };
    // A copy of a line in the cache of a core.
    struct Copy {
        uint16_t core = 0;
        uint32_t block = 0;
        bool held = false;
        Stores dirty;
        Stores cleaned;             // the last ones that were written back
        Stamp clean;                // when they were written back
        std::vector<Touch> others;  // writers of the line since it was fetched
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
    std::vector<std::vector<uint64_t>> held_;      // by core: lines in its cache
};

}  // namespace ptosim::check
