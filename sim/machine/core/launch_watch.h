// Detects launches that exceed their limits or are interrupted. An endless loop issues instructions, or spends time,
// without bound.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "sim/machine/event/cycle.h"

namespace ptosim {

class LaunchWatch {
 public:
    struct Limits {
        uint64_t instructions = 0;  // limit for all cores together; 0: none
        // Cycles that the launch may take. It also limits the scalar operations of all cores together, because no time
        // passes in --mode functional. 0: no limit.
        Cycle cycles = 0;
        const std::atomic<int>* interrupted = nullptr;  // set to nonzero to interrupt; may be null
    };
    enum class Verdict : uint8_t { kGoesOn, kInterrupted, kTooManyInstructions, kTooManyCycles };

    void begin(const Limits& limits, Cycle now) {
        limits_ = limits;
        begin_ = now;
        end_ = limits.cycles == 0 ? std::numeric_limits<Cycle>::max() : now + limits.cycles;
        instructions_ = {};
        operations_ = {};
    }
    const Limits& limits() const { return limits_; }
    uint64_t instructions() const { return instructions_.count; }
    // The next instruction is one too many.
    void exhaust() { limits_.instructions = std::max<uint64_t>(1, instructions_.count); }

    // Counts an issued instruction, or scalar operations. Returns true if the core must check the verdict: every kTurn
    // instructions (kManyTurns operations), and when a limit is first exceeded.
    bool count_instruction(Cycle now) {
        return instructions_.add(1, kTurn) || now > end_ ||
               instructions_.count == limits_.instructions + 1;
    }
    bool count_operations(unsigned operations) {
        return operations_.add(operations, kManyTurns) ||
               (limits_.cycles != 0 && operations_.count > limits_.cycles);
    }
    Verdict verdict(Cycle now) const {
        if (limits_.interrupted != nullptr && limits_.interrupted->load(std::memory_order_relaxed))
            return Verdict::kInterrupted;
        if (limits_.instructions != 0 && instructions_.count > limits_.instructions)
            return Verdict::kTooManyInstructions;
        if (limits_.cycles != 0 && std::max(now - begin_, operations_.count) > limits_.cycles)
            return Verdict::kTooManyCycles;
        return Verdict::kGoesOn;
    }

 private:
    static constexpr uint64_t kTurn = 256, kManyTurns = 65536;  // between two checks of the verdict

    struct Counter {
        uint64_t count = 0, next = 0;
        bool add(uint64_t number, uint64_t turn) {
            count += number;
            if (count < next) return false;
            next = count + turn;
            return true;
        }
    };

    Limits limits_;
    Cycle begin_ = 0, end_ = 0;  // begin_: cycle at which the launch began; end_: last permitted cycle
    Counter instructions_, operations_;
};

}  // namespace ptosim
