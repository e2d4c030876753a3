// Tiles that overlap while both are in use.
//
// Two tiles may share bytes, one after the other: memory is scarce. They may not share them while
// the first still holds something that is read later. A tile is in use from a write of it to the
// last read of it; a write through another tile in between, to some of its bytes and not to all, is
// found when the first tile is read again, unless those of its bytes that are read have been
// written anew. Windows of a tile and tiles with the same bytes are one tile under several names,
// not two. A window has the type and pitch of its tile, or is one line of it, and lies inside it:
// declared so, or with all that instructions touch of it, as pieces have to that are declared as
// large as the whole.
//
// All this follows the program order of a core: whether the accesses are ordered is another
// question, and the race checker's.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/check/findings.h"
#include "sim/check/footprint.h"
#include "sim/check/timelines.h"

namespace ptosim::check {

class TileChecker {
 public:
    TileChecker(const Timelines& timelines, Findings& findings)
        : timelines_{timelines}, findings_{findings} {}
    void launch(const LaunchEvent& event);
    void block_begin(const RunEvent& event);
    void issue(const InstructionEvent& event, const Footprint& footprint);

 private:
    struct Use {
        std::string_view instruction, operand;
        SourceLocation location;
    };
    // Bytes of a tile that were overwritten through another one that it has nothing to do with.
    struct Torn : Range {
        uint64_t at = 0;  // when, in program order
        uint32_t by = 0;
        Use tearer;
    };
    // A tile as instructions name it, and what makes it a window of another.
    struct Place {
        void forget();
        Tile tile;             // without its valid region
        Range declared;        // its bytes
        Range used;            // those that instructions have touched so far
        uint64_t written = 0;  // when last, in program order; 0: never, or its bytes are another's
        Use writer;
        std::vector<Range> held;        // all of it once it is written, else what its windows wrote
        std::vector<Torn> torn;         // no byte is held and torn, or torn twice
        std::vector<uint32_t> clashes;  // places that share some of its bytes and are not windows
        std::vector<uint32_t> inside;   // places whose bytes are all its own
        std::vector<uint32_t> around;   // places that it is a window of
        std::vector<uint32_t> same;     // places of the same bytes: other names for them
    };
    // The places of one memory of one core.
    struct Memory {
        std::vector<Place> places;
        std::unordered_multimap<uint64_t, uint32_t> by_address;
    };
    // Beyond so many tiles in one memory, what is known of it is forgotten.
    static constexpr size_t kMostPlaces = 2048;

    // The place of a tile, of which `region` is touched.
    static uint32_t place_of(Memory& memory, const Tile& tile, const Region& region);
    static void relate(Memory& memory, uint32_t at);
    static void part(Memory& memory, uint32_t at);
    static void adopt(Memory& memory, uint32_t at);
    static bool holds(const Place& place, const Region& region);
    static bool is_window(const Memory& memory, uint32_t inner, uint32_t outer);
    static void link(Memory& memory, uint32_t inner, uint32_t outer);
    static void write(Memory& memory, uint32_t at, const Region& region, uint64_t now,
                      const Use& writer);
    void read(const InstructionEvent& event, const Memory& memory, uint32_t at,
              const Region& region, const Use& reader);
    // `tile` is read, and `place` torn: itself, or what it is a window of.
    void tell(const InstructionEvent& event, const Place& tile, const Place& place,
              const Torn& torn, const Use& reader);

    const Timelines& timelines_;
    Findings& findings_;
    const SourceMap* sources_ = nullptr;
    std::vector<std::array<Memory, kSpaceCount>> memories_;  // by core
};

}  // namespace ptosim::check
