// The cause of a wait: what waits, for what, and where that is set.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/machine/observe/observer.h"
#include "traces/record/sources.h"

namespace ptosim {

inline constexpr unsigned kBlockReasonCount = static_cast<unsigned>(BlockReason::kDrain) + 1;

inline constexpr CoreId kNoCore{CoreType::kAIC, UINT16_MAX};

// The lane on which events of a pipe are shown: kAll has no lane.
constexpr Pipe lane_pipe(Pipe pipe) { return pipe == Pipe::kAll ? Pipe::kS : pipe; }

// The cause of a wait; equal in every iteration of a loop. Fields that a reason does not have keep
// their defaults.
struct WaitCause {
    SourceLocation waiter;           // of the run (Sources)
    SourceLocation release;          // of the set or of the instruction waited for; line 0: unknown
    CoreId released_core = kNoCore;  // kCrossCore
    Opcode opcode = Opcode::kCount;  // of the waiter; kCount: no instruction (a drain, an access)
    BlockReason reason = BlockReason::kFlag;
    // kFlag: of the flag. kBarrier, kQueueFull: destination is the pipe that is full or must
    // drain. kData: source is the pipe that makes the data. kCrossCore: of the two cores.
    Pipe source = Pipe::kAll;
    Pipe destination = Pipe::kAll;
    uint8_t id = 0;  // kFlag, kCrossCore

    auto key() const {
        return std::tuple(reason, source, destination, id, waiter.file, waiter.line, waiter.column,
                          release.file, release.line, release.column, released_core.type,
                          released_core.index, opcode);
    }
    friend bool operator<(const WaitCause& a, const WaitCause& b) { return a.key() < b.key(); }
    friend bool operator==(const WaitCause& a, const WaitCause& b) {
        return a.words() == b.words();
    }
    // All of it.
    std::array<uint64_t, 3> words() const {
        const auto number = [](auto value) { return static_cast<uint64_t>(value); };
        return {std::bit_cast<uint64_t>(waiter), std::bit_cast<uint64_t>(release),
                number(released_core.index) | number(opcode) << 16 | number(id) << 32 |
                    number(source) << 40 | number(destination) << 48 | number(reason) << 56 |
                    number(released_core.type) << 60};
    }
};

struct WaitCauseHash {
    size_t operator()(const WaitCause& cause) const { return (*this)(cause.words()); }
    size_t operator()(const std::array<uint64_t, 3>& words) const {
        const auto [waiter, release, others] = words;
        const uint64_t hash = (waiter ^ release << 7 ^ others) * 0x9E3779B97F4A7C15u;
        return (hash ^ hash >> 29) * 0x9E3779B97F4A7C15u;
    }
};

// Finds the causes of waits from the events of a run; shared by all observers, so that they agree.
// Expects a set, and the completion of the instruction waited for, before the unblock that follows
// from it.
class WaitCauses {
 public:
    explicit WaitCauses(const Sources& sources) : sources_{sources} {}

    // A core takes part.
    void expect(const CoreId& core) { of(core); }
    void on_flag_set(const FlagEvent& event);
    void on_complete(const InstructionEvent& event) {
        if (event.instruction == nullptr) return;
        of(event.core).last_completed[static_cast<size_t>(event.pipe)] = {
            event.sequence, event.instruction->location};
    }
    // Fills in the cause when a wait begins, and when it ends.
    void blocked(const BlockEvent& event, WaitCause& cause) const;
    void released(WaitCause& cause, const BlockEvent& event) const;

 private:
    struct Completion {
        uint64_t sequence = 0;
        SourceLocation location;  // of its launch
    };
    // Location of the last set of each flag. For a signal the core is the sender; pipes do not
    // distinguish signals.
    static constexpr unsigned kFewIds = 16;  // that a chip has; others are kept in a map
    static constexpr unsigned kPipes = 8;
    struct OfCore {
        std::array<Completion, kPipes> last_completed;
        std::array<SourceLocation, kPipes * kPipes * kFewIds> last_set;  // of the run
        std::array<SourceLocation, 256> last_signal;                     // of the run
        std::unordered_map<uint32_t, SourceLocation> more_set;           // of the run
    };
    static constexpr size_t flag(Pipe source, Pipe destination, uint8_t id) {
        return (static_cast<size_t>(source) * kPipes + static_cast<size_t>(destination)) * kFewIds +
               id;
    }
    OfCore& of(const CoreId& core) {
        const size_t at = core.index * 2u + static_cast<size_t>(core.type);
        if (at >= cores_.size() || cores_[at] == nullptr) add(at);
        return *cores_[at];
    }
    const OfCore* find(const CoreId& core) const {
        const size_t at = core.index * 2u + static_cast<size_t>(core.type);
        return at < cores_.size() ? cores_[at].get() : nullptr;
    }
    void add(size_t at);
    static SourceLocation last_set(const OfCore& core, const WaitCause& cause);

    const Sources& sources_;
    std::vector<std::unique_ptr<OfCore>> cores_;
};

// Cause of a wait: "MTE2->V #0", "barrier V", "MTE2 queue full", "data from MTE2", "signal #3 from
// AIV00", "drain".
std::string short_text(const WaitCause& cause);
// Cause of a wait for a sentence: "flag MTE2->V #0 set at add.pto:12".
std::string long_text(const WaitCause& cause, const std::string& release);

}  // namespace ptosim
