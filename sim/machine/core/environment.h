// Interface of the chip to its cores.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "isa/core/execution.h"
#include "isa/core/kernel.h"
#include "sim/machine/core/data_engine.h"
#include "sim/machine/core/launch_watch.h"
#include "sim/machine/core/local_buffer.h"
#include "sim/machine/core/validation_cache.h"
#include "sim/machine/event/event_queue.h"
#include "sim/machine/memory/global_memory.h"
#include "sim/machine/memory/memory_system.h"
#include "sim/machine/memory/remote_memory.h"
#include "sim/machine/observe/data_observer.h"
#include "sim/machine/timing/cost.h"
#include "sim/machine/timing/schedule.h"

namespace ptosim {

enum class SyncMode : uint8_t { kExplicit, kAuto };
enum class RunMode : uint8_t { kFull, kTiming, kFunctional };

// Observers in the order in which they were attached. Costs nothing while there are none.
class ObserverList {
 public:
    void add(Observer* observer) {
        observers_.push_back(observer);
        for (unsigned need = 0; need < Observer::kNeeds; ++need)
            if ((observer->needs() >> need & 1) != 0) by_need_[need].push_back(observer);
    }
    // Must not be called while an event is being passed on.
    void drop_those_with_enough() {
        const auto has_enough = [](const Observer* observer) { return observer->has_enough(); };
        std::erase_if(observers_, has_enough);
        for (std::vector<Observer*>& needing : by_need_) std::erase_if(needing, has_enough);
    }
    bool empty() const { return observers_.empty(); }
    bool take_clusters_apart() const {
        return std::ranges::all_of(observers_, [](const Observer* observer) { return observer->takes_clusters_apart(); });
    }
    bool nobody_needs(Observer::Need need) const { return by_need_[need].empty(); }
    template <class Event>
    void tell(void (Observer::*method)(const Event&), const Event& event) const {
        for (Observer* observer : observers_) (observer->*method)(event);
    }
    void issue(const InstructionEvent& event) const {
        for (Observer* observer : by_need_[Observer::kIssue]) observer->on_issue(event);
    }
    void start(const InstructionEvent& event) const {
        for (Observer* observer : by_need_[Observer::kStart]) observer->on_start(event);
    }
    void complete(const InstructionEvent& event, bool synchronises) const {
        for (Observer* observer : synchronises ? by_need_[Observer::kSynchronised] : observers_)
            observer->on_complete(event);
    }
    void set_flag(const FlagEvent& event) const {
        for (Observer* observer : by_need_[Observer::kFlagSet]) observer->on_flag_set(event);
    }
    void take_flag(const FlagEvent& event) const {
        for (Observer* observer : by_need_[Observer::kFlagWait]) observer->on_flag_wait(event);
    }
    void block(const BlockEvent& event) const {
        for (Observer* observer : by_need_[Observer::kStall]) observer->on_block(event);
    }
    void unblock(const BlockEvent& event) const {
        for (Observer* observer : by_need_[Observer::kStall]) observer->on_unblock(event);
    }
    void launch_end(Cycle time) const {
        for (Observer* observer : observers_) observer->on_launch_end(time);
    }

 private:
    std::vector<Observer*> observers_;
    std::array<std::vector<Observer*>, Observer::kNeeds> by_need_;
};

// Thrown through a kernel's control flow when the run ends early. It carries no error because the cause has already
// been reported.
struct LaunchAborted {};

class CoreEnvironment {
 public:
    virtual ~CoreEnvironment() = default;

    virtual const ChipModel& model() const = 0;
    // Parameters that have affected times so far.
    virtual ParametersRead& parameters_read() = 0;
    virtual const ObserverList& observers() const = 0;
    // Drops observers that have seen enough. Must not be called from one of their events.
    virtual void drop_observers_with_enough() = 0;
    virtual std::span<DataObserver* const> data_observers() const = 0;
    virtual GlobalMemory& global() = 0;
    virtual SyncMode sync_mode() const = 0;
    virtual RunMode run_mode() const = 0;
    virtual Numerics numerics() const = 0;
    virtual bool reports_choices() const = 0;
    virtual const SourceMap& sources() const = 0;
    // The schedule that replaces the chip's own timing; null: none.
    virtual Schedule* schedule() = 0;

    // Limits of the launch, and requests to end it.
    virtual LaunchWatch& watch() = 0;
    // Shared by the instructions of all cores of the chip.
    virtual ValidationCache& validation_cache() = 0;
    virtual DataEngine& data() = 0;
    virtual EventQueue& event_queue() = 0;
    virtual Lane& lane(unsigned cluster) = 0;
    virtual LocalMemory& on_chip() = 0;
    virtual Cost cost(const Instruction& instruction) const = 0;
    // Starts a transfer through shared memory; `done` is notified when it ends. `result` is there at the end of this
    // cycle, when those that start in it have met L2. The cost, the instruction and the result must live until then.
    virtual void start_transfer(const Requester& requester, const Cost& cost,
                                const Instruction& instruction, Event& done, Transfer& result) = 0;
    // Brings a view into L2 in no time, because the prefetch engine is not modelled.
    virtual void prefetch(CoreId core, const GlobalView& view) = 0;
    // For threads: a line of 128 bytes passes L2. Returns the bytes that L2 lacked, and that it wrote back.
    virtual uint64_t touch_line(CoreId core, uint64_t address, bool writes) = 0;
    // For atomic operations of threads: L2 works on a sector for `time`, not before `from`. Returns the end.
    virtual Milli hold_sector(CoreId core, uint64_t sector, Milli from, Milli time,
                              Milli handover) = 0;
    // The memory of other chips; null if there are none.
    virtual RemoteMemory* remote() = 0;
    // Address of a byte of another core's on-chip memory.
    virtual std::byte* local(CoreId core, Space space, uint64_t address) = 0;
    // Sends a cross-core signal from `from`.
    virtual void cross_set(CoreId from, const Instruction& instruction, uint64_t sequence) = 0;

    // Takes the core's next block, if one is already assigned.
    virtual std::optional<BlockIdentity> next_block(CoreId core) = 0;
    virtual bool has_block(CoreId core) = 0;
    // Events after which has_block() may change: the beginning of a launch, and the assignment of the core's next block
    // (null: the core takes no part in the launch). Both are in the core's lane.
    virtual Event& launched(CoreId core) = 0;
    virtual Event* assigned(CoreId core) = 0;
    // Cycles until the dispatcher has started the block that was just assigned to the core.
    virtual Cycle block_delay(CoreId core) = 0;
    virtual void block_done(CoreId core) = 0;
    // The kernel of the core's block, and its arguments.
    virtual const Kernel& kernel(CoreId core) const = 0;
    virtual KernelArguments arguments(CoreId core) const = 0;

    virtual void print(CoreId core, std::string_view text) = 0;
    // Calls `work` when nothing else runs, if clusters run apart: at the end of this cycle, after which it notifies
    // `then`; returns true in this case. Otherwise calls it at once.
    virtual bool call_alone(CoreId core, std::function<void()> work, Event& then) = 0;
    // Reports a finding, which does not stop the run.
    virtual void report(Diagnostic diagnostic) = 0;
    // Reports an error that a device would not notice: stops the run only if checkers are on.
    virtual void warn(Diagnostic diagnostic) = 0;
    // Ends the run: nothing after this call takes effect.
    [[noreturn]] virtual void fail(std::vector<Diagnostic> diagnostics) = 0;
    // Ends the run, too, on request.
    [[noreturn]] virtual void interrupt(CoreId core) = 0;
    // An exception that no kernel should cause. The caller of the launch receives it.
    virtual void crash(CoreId core, std::exception_ptr exception) = 0;
};

}  // namespace ptosim
