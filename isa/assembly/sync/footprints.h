// Memory that the steps of a program can touch, on any path and in any iteration.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/assembly/sync/footprint_boxes.h"

namespace ptosim::assembly {

// Bytes that a step may read or write: a range of an on-chip memory, or bytes of the array that one
// of the kernel's pointers leads to.
struct Reach {
    // In global memory: an index into Program::arguments, or one of these.
    static constexpr int kAnywhere = -1;
    static constexpr int kRings = 1 << 20;  // and up: the ring of a FifoEnd

    bool writes = false;
    bool global = false;
    Space space = Space::kUB;     // if not global
    uint64_t begin = 0, end = 0;  // bytes of the space
    int pointer = kAnywhere;      // if global

    friend bool operator==(const Reach&, const Reach&) = default;
};

// True if the two may touch a common byte that one of them writes. Pointers that are different
// arguments are taken to lead to different memory, as the assembler does (hw-native-sys/PTOAS
// docs/designs/ptoas-auto-sync-design.md).
bool meet(const Reach& a, const Reach& b);

// Memory that the steps of a loop can touch in an iteration, if that repeats after some iterations:
// buffers with several slots that are used in turn.
struct IterationReach {
    unsigned period = 1;  // iterations
    // If the first iteration's number is not known (it begins at a block's
    // index), the number of remainders that it may have; otherwise 1.
    unsigned starts = 1;
    // By step: [start * period + iteration % period].
    std::unordered_map<uint32_t, std::vector<std::vector<Reach>>> steps;
    // By step: all that it touches of global memory, where that is known.
    std::unordered_map<uint32_t, GlobalBox> boxes;
    std::optional<uint64_t> trips;  // how often it runs, if that is always the same
};

// Follows addresses through the program: constants, selections from a few constants, windows at
// constant offsets; any other access counts with the whole tile, or the whole memory.
class Footprints {
 public:
    explicit Footprints(const Program& program);

    // Footprint of a step that issues an instruction, loads, stores, or works on a FIFO.
    std::vector<Reach> of(const Step& step) const;
    // Reads of the scalar unit, before the pipe begins, for a step that issues an instruction.
    std::vector<Reach> of_scalar_unit(const Step& step, Arch arch) const;
    // Footprints of all steps inside the loop whose end is the kLoop step `loop`, if some of them
    // touch less in an iteration than in all.
    std::optional<IterationReach> iterations(uint32_t loop) const;
    // The first step inside the loop that gives a tile one of several addresses: a slot of a
    // buffer.
    std::optional<uint32_t> slot_step(uint32_t loop) const;
    // For the transfers inside the loop: the part of global memory that moves with its iterations.
    std::unordered_map<uint32_t, GlobalBox> boxes(uint32_t loop) const;
    static constexpr unsigned kMostIterations = 8;
    // The on-chip memory that a tile slot lies in.
    Space space(Slot tile) const { return tiles_[tile].space; }

 private:
    friend class IterationFollower;

    // Values that a scalar may have.
    struct Values {
        static constexpr size_t kMost = 8;
        static constexpr int kNoPointer = -2;

        bool any = false;             // more than kMost, or unknown
        bool maybe_negative = false;  // matters if `any`
        int pointer = kNoPointer;
        std::vector<uint64_t> values;  // sorted
        bool bottom() const { return !any && values.empty(); }
        friend bool operator==(const Values&, const Values&) = default;
    };
    struct Range {
        uint64_t begin = 0, end = 0;
        friend bool operator==(const Range&, const Range&) = default;
        friend auto operator<=>(const Range&, const Range&) = default;
    };
    // Possible addresses of a tile.
    struct AddressRanges {
        bool any = false;
        bool bottom = true;
        Space space = Space::kUB;
        std::vector<Range> ranges;
        std::optional<Tile> tile;  // if it is always the same
        friend bool operator==(const AddressRanges&, const AddressRanges&) = default;
    };

    static void join(Values& to, const Values& from);
    static void join(AddressRanges& to, const AddressRanges& from);
    static Values anything(bool maybe_negative = true);
    void solve();
    void transfer(const Step& step);
    // Adds values to a slot's possible values.
    void add(Slot slot, const Values& values);
    void add_area(Slot tile, const AddressRanges& area);
    void add_pointer(Slot view, int pointer);
    void add_copy(const Step& step, Slot from);
    AddressRanges area_of(const Step& step) const;
    AddressRanges retyped(const Step& step) const;
    AddressRanges scales(const Step& step) const;
    Values evaluated(const Step& step) const;
    AddressRanges ranges_at(const Tile& tile, const Values& addresses, uint64_t bytes) const;
    AddressRanges window(const Step& step) const;
    AddressRanges slot_of(const Step& step) const;
    AddressRanges ring(const FifoPlan& plan) const;
    static AddressRanges all_of(Space space);
    void add_tile(std::vector<Reach>& list, const AddressRanges& area, bool writes) const;
    void add_view(std::vector<Reach>& list, int pointer, bool reads, bool writes) const;
    void of_issue(std::vector<Reach>& list, const IssuePlan& plan) const;
    void of_fifo(std::vector<Reach>& list, const FifoPlan& plan) const;

    const Program& program_;
    std::vector<Values> scalars_;
    std::vector<AddressRanges> tiles_;
    std::vector<Values> views_;  // their pointers
    bool changed_ = false;
};

}  // namespace ptosim::assembly
