// Assigns the blocks of a launch to cores. A launch has one kernel, or several that may run at once on separate cores
// of the chip.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isa/core/kernel.h"
#include "sim/machine/chip/cross_core.h"
#include "sim/machine/event/event_queue.h"
#include "sim/machine/model/chip_model.h"
#include "sim/machine/timing/schedule.h"

namespace ptosim {

// A kernel of a launch.
struct LaunchPart {
    const Kernel* kernel = nullptr;
    KernelArguments arguments{};
    uint32_t blocks = 0;           // 0: as many as run at once
    std::vector<unsigned> after{};  // numbers of earlier parts that must end before it begins
};

class Dispatcher {
 public:
    // Progress of a kernel of a launch.
    struct Part {
        const Kernel* kernel = nullptr;
        std::vector<uint64_t> arguments;
        uint32_t blocks = 0;
        std::vector<unsigned> after;
        std::vector<CoreId> cores;
        size_t first_slot = 0, slots = 0;
        CrossCoreNetwork network;
        uint32_t next_block = 0, done = 0;
        std::vector<uint32_t> order;  // order of blocks under another timing; empty: first to last
        bool started = false;
        Cycle begin = 0, end = 0;
        bool ended() const { return done == blocks; }
    };
    using Notice = std::function<void(unsigned part)>;

    // `begins` is called before a part's first block, `ends` after its last.
    // `lanes`: by cluster.
    Dispatcher(EventQueue& event_queue, std::span<const std::unique_ptr<Lane>> lanes,
               const ChipModel& model, Notice begins, Notice ends);

    // Prepares a launch that begins at `begin`. `between`: cycles from the ends of kernels to the begin of one that
    // waits for them.
    void prepare(std::span<const LaunchPart> parts, Cycle begin, Cycle between, Schedule* schedule);
    void begin();
    const std::vector<Part>& parts() const { return parts_; }
    Part& part_of(CoreId core) { return parts_[slot_of(core)->part]; }
    // The part that has the core now, or had it last.
    const Part& part_of(CoreId core) const { return parts_[slot_of(core)->part]; }
    // The cores of all parts, each once.
    std::vector<CoreId> cores() const;
    bool finished() const;
    // The most blocks of a kernel of these core types that run at once.
    uint32_t capacity(const Kernel& kernel) const;

    // These implement CoreEnvironment.
    std::optional<BlockIdentity> next_block(CoreId core);
    bool has_block(CoreId core) const;
    Event& launched(CoreId core) { return events_of(core).launched; }
    Event* assigned(CoreId core);
    Cycle block_delay(CoreId core, Cycle now) const;
    void block_done(CoreId core);

 private:
    // The cores that run a block together (a cluster, or one core for a kernel of one core type), and their assigned
    // block.
    struct Slot {
        unsigned part = 0;
        std::vector<CoreId> cores;
        bool has_block = false;
        uint32_t block = 0;
        Cycle start = 0;    // when the dispatcher has started the block
        uint32_t busy = 0;  // cores that have not finished the block
        std::vector<bool> taken;

        size_t position(CoreId core) const;  // index of the core in its slot
    };

    std::vector<CoreId> cores_of_slot(const Kernel& kernel, uint32_t slot) const;
    bool comes_after(const Part& later, unsigned earlier) const;
    void choose_cores(Part& part);
    void make_slots(Part& part, Schedule* schedule);
    void start(Part& part);
    void start_due();
    void assign(Slot& slot);
    const Slot* slot_of(CoreId core) const;
    Slot* slot_of(CoreId core) { return const_cast<Slot*>(std::as_const(*this).slot_of(core)); }

    EventQueue& event_queue_;
    const ChipModel& model_;
    const Notice begins_, ends_;
    std::vector<Part> parts_;
    std::vector<Slot> slots_;
    std::array<std::vector<int32_t>, 2> slot_numbers_;  // by core type and core; -1: none
    // In the lane of the core.
    struct CoreEvents {
        Event launched, assigned;
        explicit CoreEvents(Lane& lane) : launched{lane}, assigned{lane} {}
    };
    CoreEvents& events_of(CoreId core) {
        return *events_[static_cast<size_t>(core.type)][core.index];
    }
    void notify_launched(Cycle after);
    std::array<std::vector<std::unique_ptr<CoreEvents>>, 2> events_;  // by core type and core
    Cycle between_ = 0;
    Milli next_dispatch_ = 0;  // thousandths of cycles
    Actor starter_ = Actor::of<&Dispatcher::start_due>(this, Actor::Kind::kUrgent);
    Event part_due_;
};

}  // namespace ptosim
