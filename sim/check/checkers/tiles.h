// Tiles that overlap while both are in use.
//
// Because memory is scarce, two tiles may share bytes one after the other, but not while both are live. A tile is live
// from a write of it to its last read. If another tile in between writes some of its bytes but not all, this is
// reported when the first tile is read again, unless the bytes read have been rewritten. Windows of a tile, and tiles
// with the same bytes, are aliases of one tile. A window has the type and pitch of its tile, or is one line of it, and
// lies inside it: as declared, or by the bytes that instructions touch, since pieces may be declared as large as the
// whole.
//
// Everything follows the program order of a core. The race checker checks whether the accesses are synchronised.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/check/checker.h"

namespace ptosim::check {

class TileChecker final : public Checker {
 public:
    using Checker::Checker;
    void on_launch(const LaunchEvent& event) override;
    void on_block_begin(const RunEvent& event) override;
    void on_issue_accesses(const InstructionEvent& event, const Footprint& footprint) override;

 private:
    struct Use {
        std::string_view instruction, operand;
        SourceLocation location;
    };
    // Bytes of a tile that were overwritten through a tile that is not an alias of it.
    struct Torn : Range {
        uint64_t at = 0;  // when, in program order
        uint32_t by = 0;
        Use tearer;
    };
    // A tile as named by instructions, and its relations to other tiles of the memory.
    struct TileEntry {
        void forget();
        Tile tile;             // without its valid region
        Range declared;        // all its bytes
        Range used;            // bytes that instructions have touched so far
        uint64_t written = 0;  // last write in program order; 0: never, or its bytes are another's
        Use writer;
        std::vector<Range> held;        // the whole tile after a write, else bytes written by its windows
        std::vector<Torn> torn;         // disjoint from `held` and from one another
        std::vector<uint32_t> clashes;  // entries that share some of its bytes and are not windows
        std::vector<uint32_t> inside;   // entries that lie inside it
        std::vector<uint32_t> around;   // entries of which it is a window
        std::vector<uint32_t> same;     // entries of the same bytes: other names for it
    };
    // All tiles of one memory of one core.
    struct Memory {
        std::vector<TileEntry> entries;
        std::unordered_multimap<uint64_t, uint32_t> by_address;
    };
    // If a memory has more tiles, all of its entries are dropped.
    static constexpr size_t kMaxEntries = 2048;

    // Returns the index of the tile's entry, which is made on first use. `region` counts as touched.
    static uint32_t entry_of(Memory& memory, const Tile& tile, const Region& region);
    static void relate(Memory& memory, uint32_t at);
    static void part(Memory& memory, uint32_t at);
    static void adopt(Memory& memory, uint32_t at);
    static bool holds(const TileEntry& entry, const Region& region);
    static bool is_window(const Memory& memory, uint32_t inner, uint32_t outer);
    static void link(Memory& memory, uint32_t inner, uint32_t outer);
    static void write(Memory& memory, uint32_t at, const Region& region, uint64_t now,
                      const Use& writer);
    void read(const InstructionEvent& event, const Memory& memory, uint32_t at,
              const Region& region, const Use& reader);
    // `tile` is read; bytes of `entry`, the tile itself or one that contains it, were overwritten.
    void report(const InstructionEvent& event, const TileEntry& tile, const TileEntry& entry,
                const Torn& torn, const Use& reader);

    std::vector<std::array<Memory, kSpaceCount>> memories_;  // by core
};

}  // namespace ptosim::check
