// What a core needs from the chip around it.
#pragma once

#include <optional>
#include <vector>

#include "isa/core/execution.h"
#include "isa/core/kernel.h"
#include "sim/core/data_engine.h"
#include "sim/core/launch_watch.h"
#include "sim/core/local_buffer.h"
#include "sim/core/validation_cache.h"
#include "sim/event/event_queue.h"
#include "sim/memory/global_memory.h"
#include "sim/memory/memory_system.h"
#include "sim/memory/remote_memory.h"
#include "sim/observe/observer.h"
#include "sim/timing/cost.h"
#include "sim/timing/schedule.h"

namespace ptosim {

class DataObserver;

enum class SyncMode : uint8_t { kExplicit, kAuto };
enum class RunMode : uint8_t { kFull, kTiming, kFunctional };

// Observers in the order they were attached. Costs nothing while there is none.
class ObserverList {
 public:
    void add(Observer* observer) {
        observers_.push_back(observer);
        if (observer->follows_instructions()) followers_.push_back(observer);
    }
    // Not from an event that is being passed on.
    void drop_those_with_enough() {
        const auto has_enough = [](const Observer* observer) { return observer->has_enough(); };
        std::erase_if(observers_, has_enough);
        std::erase_if(followers_, has_enough);
    }
    bool empty() const { return observers_.empty(); }
    // Nobody follows_instructions().
    bool nobody_follows() const { return followers_.empty(); }
    template <class Event>
    void tell(void (Observer::*method)(const Event&), const Event& event) const {
        for (Observer* observer : observers_) (observer->*method)(event);
    }
    template <class Event>
    void tell_followers(void (Observer::*method)(const Event&), const Event& event) const {
        for (Observer* observer : followers_) (observer->*method)(event);
    }
    void launch_end(Cycle time) const {
        for (Observer* observer : observers_) observer->on_launch_end(time);
    }

 private:
    std::vector<Observer*> observers_;
    std::vector<Observer*> followers_;  // of these
};

// Thrown through a kernel's control flow when the run ends early. Not an error of its own: what
// happened has been reported.
struct LaunchAborted {};

class CoreEnvironment {
 public:
    virtual ~CoreEnvironment() = default;

    virtual const ChipModel& model() const = 0;
    // Parameters that times rest on so far.
    virtual ParametersRead& parameters_read() = 0;
    virtual const ObserverList& observers() const = 0;
    // Lets go of observers that have enough. Not from one of their events.
    virtual void drop_observers_with_enough() = 0;
    virtual DataObserver* data_observer() const = 0;  // null: none
    virtual GlobalMemory& global() = 0;
    virtual SyncMode sync_mode() const = 0;
    virtual RunMode run_mode() const = 0;
    virtual Numerics numerics() const = 0;
    virtual bool reports_choices() const = 0;
    virtual const SourceMap& sources() const = 0;
    // Another timing than the chip's; null: none.
    virtual Schedule* schedule() = 0;

    // Whether the launch goes on too long, or is to end.
    virtual LaunchWatch& watch() = 0;
    // Of the instructions of all cores of the chip.
    virtual ValidationCache& validation_cache() = 0;
    virtual DataEngine& data() = 0;
    virtual EventQueue& event_queue() = 0;
    virtual LocalMemory& on_chip() = 0;
    virtual Cost cost(const Instruction& instruction) const = 0;
    // A transfer through shared memory; `done` is notified when it ends.
    virtual Transfer start_transfer(const Requester& requester, const Cost& cost,
                                    const Instruction& instruction, Event& done) = 0;
    // Brings a view into L2, in no time: the engine that does it is not modelled.
    virtual void prefetch(CoreId core, const GlobalView& view) = 0;
    // The memory of other chips; null: there is none.
    virtual RemoteMemory* remote() = 0;
    // A byte of another core's on-chip memory.
    virtual std::byte* local(CoreId core, Space space, uint64_t address) = 0;
    // A cross-core signal leaves `from`.
    virtual void cross_set(CoreId from, const Instruction& instruction, uint64_t sequence) = 0;

    // The core takes its next block, if there is one for it already.
    virtual std::optional<BlockIdentity> next_block(CoreId core) = 0;
    virtual bool has_block(CoreId core) = 0;
    // The events after which has_block() may have another answer: a launch begins; the core's next
    // block is assigned (null: the core takes no part in the launch).
    virtual Event& launched() = 0;
    virtual Event* assigned(CoreId core) = 0;
    // Cycles until the dispatcher has started the block that the core has just been given.
    virtual Cycle block_delay(CoreId core) = 0;
    virtual void block_done(CoreId core) = 0;
    // Of the core's block.
    virtual const Kernel& kernel(CoreId core) const = 0;
    virtual KernelArguments arguments(CoreId core) const = 0;

    virtual void print(CoreId core, std::string_view text) = 0;
    // A finding that does not stop the run.
    virtual void report(Diagnostic diagnostic) = 0;
    // An error that stays unnoticed on a device: does not stop the run unless checkers are on.
    virtual void warn(Diagnostic diagnostic) = 0;
    // Ends the run: nothing after it takes effect.
    [[noreturn]] virtual void fail(std::vector<Diagnostic> diagnostics) = 0;
    // Likewise: the run has been asked to end.
    [[noreturn]] virtual void interrupt() = 0;
    // An exception that no kernel should cause; the caller of the launch gets it.
    virtual void crash(std::exception_ptr exception) = 0;
};

}  // namespace ptosim
