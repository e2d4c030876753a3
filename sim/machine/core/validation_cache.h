// Cache of instructions that have passed the checks of legality and of on-chip addresses, with their cost. Loops issue
// the same few instructions repeatedly, and a lookup is several times faster than the checks.
//
// Two instructions are the same if the checks cannot distinguish them. Everything counts except the addresses of global
// views: the checks depend only on their remainder modulo 512. The cache does not record whether a view lies in an
// allocation.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/machine/core/control.h"
#include "sim/machine/timing/cost.h"

namespace ptosim {

// The result of a successful validation: the instruction may be issued, at this cost.
struct ValidatedInstruction {
    Cost cost;
    uint64_t id = 0;  // unique; 0: the result is not cached
};

// An instruction that takes the same way at each issue.
struct KnownInstruction : ReadyInstruction {
    Instruction complete;  // as its core completes it
    ValidatedInstruction validated;
    Pipe pipe = Pipe::kS;
    Form form = Form::kData;
};

class ValidationCache {
 public:
    ValidationCache() : lines_(kLines) {}

    // The result for an instruction on this type of core. Returns false if there is none.
    bool get(const Instruction& instruction, CoreType core, ValidatedInstruction& result) const;
    // Stores the result for an instruction, and returns it.
    ValidatedInstruction add(const Instruction& instruction, CoreType core, const Cost& cost);
    // Returns the entry of an instruction that was offered before and is still in its line, as
    // `given` and as completed; null: there is none. It lives until clear().
    const KnownInstruction* keep(const Instruction& given, const Instruction& complete,
                                 CoreType core, Pipe pipe);
    // True: several threads use it from now on.
    void share(bool shared) { shared_ = shared; }
    // Must not be called while instructions are in flight.
    void clear() {
        lines_ = std::vector<std::unique_ptr<Line>>(kLines);
        known_.clear();
    }

 private:
    std::unique_lock<std::mutex> lock() const {
        return shared_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
    }
    // The line of an instruction, and whether it holds it.
    struct Lookup {
        uint32_t line;
        bool hit;
    };
    Lookup find(const Instruction& instruction, CoreType core) const;
    void fill(Lookup lookup, const Instruction& instruction, CoreType core, const Cost& cost);
    static constexpr uint32_t kLines = 2048;
    struct Line {
        CoreType core = CoreType::kAIC;
        Instruction instruction;
        ValidatedInstruction validated;
        const KnownInstruction* known = nullptr;
        bool offered = false;  // to keep()
    };
    static constexpr size_t kMostKnown = 8192;
    std::vector<std::unique_ptr<Line>> lines_;  // null until needed: most kernels use few
    std::deque<KnownInstruction> known_;
    uint64_t last_id_ = 0;
    bool shared_ = false;
    mutable std::mutex mutex_;
};

}  // namespace ptosim
