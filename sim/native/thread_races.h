// Finds accesses of threads of two warps to the same bytes that no barrier of the block orders.
//
// Lanes of a warp execute in lockstep, so they do not race. A fence after an access, or before a
// store, orders it, because it may be part of a hand-over by a flag; so does a load that a thread
// repeats, which polls. Stores of two threads are not compared, because they may store the same
// value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/core/thread_run.h"

namespace ptosim {

struct ThreadRace {
    struct Side {
        uint32_t thread = 0;
        const void* code = nullptr;
        bool writes = false;
    };
    Side earlier, later;
    uint64_t address = 0;
    bool local = false;
};

class ThreadRaces {
 public:
    explicit ThreadRaces(size_t threads) : fences_(threads), after_fence_(threads) {}
    // Returns the first race of this instruction with an earlier one, if there is one.
    std::optional<ThreadRace> execute(const WarpInstruction& done);
    void release_barrier() { ++epoch_; }

 private:
    using Kind = WarpInstruction::Kind;
    // Accesses of a word of 4 bytes, or of a byte if a part of its word has been accessed, since
    // the last barrier; threads are numbered from 1 on.
    struct Cell {
        uint32_t epoch = 0;
        bool polled = false;
        bool split = false;  // of a word: its bytes have cells
        struct Last {
            uint32_t thread = 0;
            uint32_t fences = 0;  // of the thread, at this access
            const void* code = nullptr;
        };
        // Of each kind: the last access, and the last of another warp than that one.
        struct Accesses {
            Last last{}, elsewhere{};
        };
        Last stored{};
        Accesses loaded{}, changed{};  // changed: by an atomic operation
    };
    static constexpr uint64_t kWord = 4;
    // Open addressing, because most cells are of words far apart.
    class Cells {
     public:
        // The cell of a number. Adding one invalidates others.
        Cell& at(uint64_t key);

     private:
        struct Entry {
            uint64_t key = UINT64_MAX;
            Cell cell{};
        };
        void grow();
        std::vector<Entry> entries_{};
        size_t used_ = 0;
    };
    Cell& fresh(Cells& cells, uint64_t key);
    // Calls visit(cell, address) for the cells of some bytes.
    template <class Visitor>
    void visit_cells(bool local, uint64_t begin, uint64_t end, Visitor&& visit);
    std::optional<ThreadRace::Side> race_of(const WarpInstruction& done, const Cell& cell, uint32_t thread) const;
    void record(const WarpInstruction& done, Cell& cell, uint32_t thread);

    uint32_t epoch_ = 1;
    std::vector<uint32_t> fences_;     // of each thread
    std::vector<uint8_t> after_fence_;  // its last event is a fence
    std::array<Cells, 2> words_, bytes_;  // of global memory, and of UB
};

}  // namespace ptosim
