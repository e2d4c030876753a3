// Finds data that threads hand over by global memory without asc_threadfence.
//
// A thread stores data, then changes a word, the flag: by a store, or by an atomic operation. A thread of another warp
// sees the change: it uses the result of an atomic operation on the flag, or polls it. It may then access the data only
// if a fence lies between the data's store and the flag's change. Barriers order the threads of a block with each other.
// Cases that are not certain are not reported: only the last store of a word is kept, and of many words some are dropped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "isa/core/thread_run.h"

namespace ptosim {

struct MissingFence {
    uint32_t block = 0, thread = 0;  // that has stored the data
    const void* stored = nullptr;    // code
    const void* handed_over = nullptr;
    const void* accessed = nullptr;
    uint32_t accessing_thread = 0;  // of the block that executes
    bool writes = false;
    uint64_t address = 0;
};

// Of one launch of a kernel.
class ThreadFences {
 public:
    // A block that runs, by its number in the launch.
    class Running;
    // A block that has begun before begins a new launch.
    Running begin_block(uint32_t block, size_t threads);
    // The first access of this instruction without a fence, if there is one.
    std::optional<MissingFence> execute(Running& running, const WarpInstruction& done);
    void release_barrier(const Running& running);

 private:
    using Kind = WarpInstruction::Kind;
    using Moment = uint64_t;  // the number of an instruction; 0: never
    static constexpr uint64_t kWord = 4;
    struct Warp {
        uint32_t block = 0;
        uint16_t number = 0;
        bool operator==(const Warp&) const = default;
    };
    struct Change {  // of a flag
        Warp warp{};
        Moment when = 0;
        const void* code = nullptr;
    };
    struct Fence {
        uint16_t warp = 0;
        bool of_block = false;
        Moment when = 0;
    };
    struct Seen {  // a flag's change, by a warp of a block
        uint64_t word = 0;
        uint16_t warp = 0;
        Moment when = 0;
    };
    struct Block {
        std::vector<Moment> barriers{};
        std::vector<Fence> fences{};
        std::array<Seen, 8> seen{};  // the last ones
        size_t sights = 0;
        std::array<bool, 64> after_fence{};  // the last of a warp's events is a fence
    };
    struct Stored {
        uint64_t word = UINT64_MAX;
        Change change{};
        uint8_t lane = 0;
        uint8_t bytes = 0;  // a bit for each
        bool flag = false;  // stored after a fence, to hand other data over
    };

    Stored& slot(uint64_t word);
    const Change* last_store(uint64_t word);
    void see(Block& block, uint64_t word, uint16_t warp);
    bool polls(Running& running, uint32_t thread, uint64_t address, const void* code);
    void change(uint64_t word, const Change& by);
    static bool barrier_between(const Block& block, Moment begin, Moment end);
    bool precedes(const Change& store, const Change& flag) const;
    bool is_fenced(const Change& store, const Change& flag, uint32_t reader) const;
    const Change* handed_over(const Block& block, Warp reader, const Stored& data);

    Moment now_ = 0;
    std::unordered_map<uint32_t, Block> blocks_{};
    std::vector<Stored> stored_{};
    // Words that atomic operations change: of each block, the last change by each warp since the last store.
    std::unordered_map<uint64_t, std::unordered_map<uint32_t, std::vector<Change>>> atomics_{};
    size_t changes_ = 0;  // kept in atomics_
    std::set<const void*> polling_{};  // code that polls
};

class ThreadFences::Running {
 public:
    Running(uint32_t block, size_t threads) : block_{block}, loads_(threads) {}

 private:
    friend class ThreadFences;
    struct Load {
        uint64_t address = UINT64_MAX;
        const void* code = nullptr;
    };
    uint32_t block_;
    std::vector<Load> loads_;  // the last of each thread
};

}  // namespace ptosim
