// Finds accesses of a warp whose order decides the result: lanes of a warp work in lockstep, but
// are executed one after another, as long as that gives the same.
//
// It differs if a lane accesses bytes after a higher lane in lockstep, and one of the two stores:
// one after another, the higher lane comes second. Atomic operations do not count, because their
// order among lanes is not defined.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/thread_run.h"

namespace ptosim {

class LaneOrder {
 public:
    // The next instruction of the warp, in lockstep order.
    void add(const WarpInstruction& instruction);
    // All lanes have met, so later accesses come after all earlier ones. Returns the code of a
    // conflict; null: none.
    const void* end();

 private:
    using Kind = WarpInstruction::Kind;
    struct Range {
        uint64_t begin = 0, end = 0;
        uint32_t number = 0;  // of the access
    };
    struct Bytes {
        uint64_t address = 0;
        uint32_t round = 0;               // of end() in which it is valid
        int8_t stored = -1, loaded = -1;  // highest lane
    };

    const void* conflict_within(size_t first, size_t last);
    bool is_own(size_t first, size_t last) const;
    Bytes& bytes_at(uint64_t address);

    std::vector<WarpInstruction> accesses_{};
    std::vector<Range> ranges_{};  // of the accesses
    std::vector<uint32_t> chosen_{};
    std::vector<Bytes> table_{};
    uint32_t round_ = 0;
    bool stores_ = false;
};

}  // namespace ptosim
