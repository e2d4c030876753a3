// Whether a launch goes on for too long, or has been asked to end: a loop that never ends issues
// instructions, or spends time, for ever.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "sim/event/cycle.h"

namespace ptosim {

class LaunchWatch {
 public:
    struct Limits {
        uint64_t instructions = 0;  // that all cores together may issue; 0: any number
        // Cycles that the launch may take. It also limits the scalar operations of all
        // cores together, since no time passes in --mode functional. 0: any number.
        Cycle cycles = 0;
        const std::atomic<int>* interrupted = nullptr;  // becomes another than 0; may be null
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

    // A core issues an instruction, or does so many scalar operations. Returns whether it has to
    // ask for the verdict: every now and then, and at the first one over a limit.
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
    static constexpr uint64_t kTurn = 256, kManyTurns = 65536;  // between two verdicts

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
    Cycle begin_ = 0, end_ = 0;  // the last cycle that is within the limit
    Counter instructions_, operations_;
};

}  // namespace ptosim
