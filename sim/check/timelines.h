// Happens-before relation, derived from the events of a run.
//
// Every pipe of every core, including S, is a timeline. An access is stamped with the tick (logical time) of its
// timeline. The tick advances whenever the timeline releases something new: at set_flag, at a signal, at a barrier, and
// in S at each issue. S waits for its loads but not for its stores: these are a separate timeline, which S releases
// only by flags, signals and barriers of all pipes. A wait for a release joins the clock of the release into the clock
// of the waiter. An access is ordered before another if its tick is in the clock of the other's timeline, whatever the
// times of the two in this run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "isa/core/arch.h"
#include "sim/check/clock.h"
#include "sim/machine/observe/observer.h"

namespace ptosim::check {

// Time and place of an access.
struct Stamp {
    uint16_t core = 0;  // index among the cores of the launch
    Pipe pipe = Pipe::kS;
    Tick tick = 0;
    uint32_t block = 0;
    bool store = false;  // of the scalar unit
    unsigned lane() const { return store ? kScalarStores : static_cast<unsigned>(pipe); }
    friend bool operator==(const Stamp&, const Stamp&) = default;
};

class Timelines {
 public:
    // A flag in program order: set and awaited in turn.
    struct Flag {
        Clock clock;
        bool pending = false;
        std::deque<Clock> later;           // further sets, if the chip's flags hold more than one
        std::deque<Tick> taken;            // in that case: ticks of the destination at the last waits
        uint64_t sets = 0, waits = 0;      // of this launch
        // If the chip's flags hold more than one: a set that is ordered after the wait for the set n before it finds n
        // sets at most in any timing. The largest such n, and the number of the last set without one.
        uint64_t bound = 0, unbounded = 0;
        // True if the order of the kernel keeps the flag from holding more than `bound` sets.
        bool paced() const { return bound > unbounded; }
        SourceLocation set, before, wait;  // the last set, the one before it, and the last wait
        Pipe destination = Pipe::kS;
        Tick waited = 0;      // the tick of the destination at the last wait; 0: none
        uint64_t set_by = 0;  // sequence number of the set
        Cycle set_time = 0;
    };
    static constexpr unsigned kSignals = 15;          // limit of a cross-core flag (4 bits)
    using FlagKey = std::tuple<Pipe, Pipe, uint8_t>;  // source, destination, id
    using SignalKey = std::pair<uint8_t, uint8_t>;    // mode, id
    struct Sent {
        RemoteTicks ticks;
        SourceLocation location;
        Pipe pipe = Pipe::kS;
        Cycle time = 0;
        FifoSignal fifo = FifoSignal::kNone;
        uint32_t slots = 0, slot_bytes = 0;  // of the FIFO
        uint8_t split = 0;                   // as in Attributes
        uint32_t pitch = 0;                  // as in Attributes
    };
    struct Arrived {
        RemoteTicks ticks;
        uint16_t from = 0;
        Sent last;  // location and time of its last signal
    };
    struct Core {
        CoreId id;
        uint32_t block = 0;
        std::map<FlagKey, Flag> flags;
        std::map<SignalKey, std::deque<Sent>> sent;      // not yet matched by signals of the others in the group
        std::map<uint8_t, std::deque<Arrived>> arrived;  // by id; not yet awaited
        struct Count {
            uint64_t signals = 0, waits = 0;
            std::deque<std::pair<Pipe, Tick>> taken;  // the last kSignals waits
        };
        std::map<uint8_t, Count> counts;  // by id
        std::map<uint8_t, Sent> taken;    // by id: signal taken by the last wait, without its ticks
    };

    void launch(const LaunchEvent& event);
    void part_begin(const PartEvent& event);
    void block_begin(const RunEvent& event);
    void block_end(const RunEvent& event);
    // A task of a program begins on a core. It is ordered after all tasks that have ended, because the dispatcher has
    // seen their ends. At the end of a task, everything is complete for which its scalar unit has waited.
    void task_begin(CoreId core);
    void task_end(CoreId core);
    void issue(const InstructionEvent& event);
    void start(const InstructionEvent& event);
    // Called after the accesses of an instruction that synchronises itself: the scalar unit continues after it.
    void finish(const InstructionEvent& event);
    // Order of a set relative to the waits for earlier sets of the flag.
    enum class SetOrder : uint8_t {
        kInTurn,  // after the wait for the previous set
        kEarly,   // not after it, which documents forbid, but a counting flag has room
        kNoRoom,  // not even after the wait that would have made room for it
    };
    SetOrder flag_set(const FlagEvent& event);
    // Returns true if the wait added order.
    bool flag_wait(const FlagEvent& event);
    // Returns true if no counter can be full under any timing: the signal is ordered after the wait that consumed the
    // signal kSignals earlier.
    bool signal(const SignalEvent& event);
    // Cores synchronise through memory, past the cache. A store or an atomic operation of S releases at its address
    // everything for which S has waited; an atomic operation also keeps the earlier releases there. A load acquires
    // them.
    void release_at(CoreId core, uint64_t address, bool atomic);
    void acquire_at(CoreId core, uint64_t address);
    void forget_at(uint64_t address) { at_address_.erase(address); }
    // The ticks that a pipe releases at this moment, for an acquire by the scalar unit of another core.
    RemoteTicks released_by(CoreId core, Pipe pipe);
    void acquire(CoreId core, const RemoteTicks& released);
    // The same between chips: the release at an address of this one, or its copy of another's; null if there is none. A
    // release or an acquire that another chip has made. Launches of others that ended before this one.
    const RemoteTicks* released_at(uint64_t address) const;
    void release_from(uint64_t address, const OtherChips& chips, bool atomic);
    void acquire_from(CoreId core, const OtherChips& chips);
    void begin_after(const OtherChips& ended) { ended_chips_.add(ended); }
    // All that this timeline is ordered after on other chips.
    OtherChips chips_before(CoreId core, Pipe pipe) const;
    const OtherChips& ended_chips() const { return ended_chips_; }
    // The same for the host, which waits for launches.
    OtherChips chips_before_host() const {
        OtherChips before = ended_chips_;
        if (acquired_) before.add(*acquired_);
        return before;
    }
    // S waits until its own stores are done.
    void await_stores(CoreId core);
    // S itself accesses memory.
    void touch(CoreId core, bool stores) {
        lines(core).pipes[static_cast<size_t>(Pipe::kS)].touched = true;
        if (stores) lines(core).stores.touched = true;
    }

    Arch arch() const { return arch_; }
    bool runs_tasks() const { return runs_tasks_; }
    unsigned flag_sets() const { return flag_sets_; }  // sets that a flag can hold
    uint16_t index(CoreId core) const;
    // The cores of the launch that own the memory of an access by `core`.
    std::vector<CoreId> owners(CoreId core, const Access& access) const;
    const Core& core(uint16_t index) const { return cores_[index].state; }
    size_t cores() const { return cores_.size(); }
    // The stamp of an access by `pipe` at this moment.
    Stamp now(CoreId core, Pipe pipe, bool writes = false) const;
    // True if `earlier` is ordered before the present of the timeline of `later`. Accesses to global memory of two
    // blocks are ordered by signals only, because the assignment of blocks to cores is arbitrary.
    bool ordered(const Stamp& earlier, const Stamp& later, bool global) const;

    bool in_order(Pipe pipe) const { return works_in_order(pipe, arch_); }

    // The last tick of a pipe that precedes the present of its core's scalar unit.
    Tick scalar_clock(uint16_t core, Pipe pipe) const {
        return cores_[core].pipes[static_cast<size_t>(Pipe::kS)].clock[pipe];
    }

 private:
    struct Release {
        uint64_t sequence = 0;
        Clock clock;
        Sent says;  // contents of a FIFO's signal
    };
    struct Timeline {
        Clock clock;
        Tick tick = 1;
        bool touched = false;          // work since the last release that others may depend on
        std::deque<Clock> issued;      // of S, by instruction in the queue
        std::deque<Release> releases;  // of sets under way, by sequence
    };
    struct CoreLines {
        Core state;
        std::array<Timeline, kPipeCount> pipes;
        Timeline stores;              // of S: only its tick
        bool behind_ended = false;    // its part of the launch begins after the parts that have ended
        std::vector<Tick> behind;     // in that case: ticks that precede the whole block
        uint32_t remote_version = 0;  // of the ticks of other cores in the clock of S
        // Releases by RLS_BUF, by buffer id and pipe, the latest last.
        std::map<uint8_t, std::array<std::deque<Release>, kPipeCount>> buffers;
    };

    void put_behind_ended(CoreLines& core);
    // Accesses that a core has acquired from other chips precede later launches of this chip.
    void keep_acquired(const CoreLines& core);
    static Tick release_tick(Timeline& line);
    Clock release(CoreLines& core, Pipe pipe);
    Clock release_stores(CoreLines& core);  // release of S including its stores
    Release released(CoreLines& core, const FlagEvent& event);
    void join_all_pipes(CoreLines& core);
    void pass_buffer_token(CoreLines& core, const InstructionEvent& event);
    // Joins the ticks of all cores into the timeline's clock.
    void learn(CoreLines& core, Timeline& line, std::shared_ptr<RemoteTicks> remote);
    RemoteTicks flatten(const CoreLines& core, const Clock& clock) const;
    CoreLines& lines(CoreId core) { return cores_[index(core)]; }

    Arch arch_ = Arch::kA2A3;
    // `seen`: the tick of the destination in the clock of the source.
    SetOrder order_of_set(const Flag& flag, Tick seen) const;
    // True if the next set is after the wait for the set `back` sets before it, which exists.
    static bool set_behind(const Flag& flag, Tick seen, uint64_t back);
    void note_bound(Flag& flag, Tick seen) const;

    bool scoreboard_ = false;
    bool runs_tasks_ = false;
    unsigned flag_sets_ = 1;
    std::vector<CoreLines> cores_;
    bool has_parts_ = false;
    RemoteTicks ended_;                                     // ticks of tasks or blocks that have ended
    ChipsClock acquired_;     // by blocks that have ended
    OtherChips ended_chips_;  // of other chips: what precedes this launch
    std::unordered_map<uint64_t, RemoteTicks> at_address_;  // releases by address
    std::array<std::vector<uint16_t>, 2> index_;            // by core type and number
};

}  // namespace ptosim::check
