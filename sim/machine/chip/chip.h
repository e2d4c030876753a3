// A chip: clusters of cores around shared memory, built from a model.
//
// SystemC modules live from before the first start to the end of the process, so build one Chip and launch on it.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "sim/machine/chip/deadlock.h"
#include "sim/machine/chip/dispatcher.h"
#include "sim/machine/core/core.h"
#include "sim/machine/core/environment.h"
#include "sim/machine/memory/memory_system.h"
#include "sim/machine/model/assumed.h"
#include "sim/machine/sample/sampled_machine.h"
#include "sim/machine/timing/cost_grades.h"

namespace ptosim {

struct LaunchOptions {
    uint32_t blocks = 0;  // 0: as many as run at once on the chip
    SyncMode sync = SyncMode::kExplicit;
    RunMode mode = RunMode::kFull;
    Numerics numerics = Numerics::kIEEE;
    LaunchWatch::Limits limits{};
    bool choices = false;  // report implementation-defined results (isa/core/behaviour.h)
    // Threads that compute data; the results do not depend on their number. Data of kernels that follow pointers is
    // computed at once.
    unsigned threads = 1;
    // A timing for this launch instead of the chip's own; null: none. All data is computed at once.
    Schedule* schedule = nullptr;
    // Receives the kernel's output, line by line, with the core's name.
    std::function<void(CoreId, std::string_view)> print;
    // Adds to the report of a deadlock; may be empty.
    std::function<void(Diagnostic&)> explain;
};

// Result of one kernel of a launch.
struct PartResult {
    uint32_t blocks = 0;
    Cycle begin = 0, end = 0;  // since the chip came up
    uint64_t instructions = 0;
    bool finished = false;
};

struct LaunchResult {
    Cycle cycles = 0;  // from the launch to the end of its last block
    uint64_t instructions = 0;
    uint32_t blocks = 0;
    std::vector<PartResult> parts;
    bool finished = false;     // false: stopped by an error, a deadlock or a signal
    bool interrupted = false;  // by a signal (LaunchWatch::Limits::interrupted)
    unsigned flags_held = 0;   // sets of flags that earlier launches had left on its cores
    std::vector<CoreId> cores;
    std::vector<Diagnostic> diagnostics;  // in the order found, one per location
    std::vector<Diagnostic> warnings;     // in the same order: errors that a device would not notice
};

// Makes the memory that the cores of a chip share.
using MakeMemory = std::function<std::unique_ptr<MemorySystem>(EventQueue&, const ChipModel&,
                                                               ParametersRead&)>;
// Memory of a chip of one die: all cores share the domain of the model.
std::unique_ptr<MemorySystem> one_domain(EventQueue& event_queue, const ChipModel& model,
                                         ParametersRead& read);

// Of several chips in a process: the event queue that they share, and the number of this one.
struct ChipPlace {
    EventQueue* event_queue = nullptr;  // null: the chip has its own
    unsigned number = 0;
};

class Chip : public sc_core::sc_module, public SampledMachine, private CoreEnvironment, private Exchange {
 public:
    Chip(sc_core::sc_module_name name, ChipModel model, const MakeMemory& memory = one_domain, ChipPlace place = {});
    ~Chip() override;

    const ChipModel& model() const override { return model_; }
    // Paths of parameters of grade `assumed` that have affected times so far.
    std::vector<std::string> assumed() const { return assumed_figures(model_, read_); }
    GlobalMemory& global() override { return global_; }
    // Accesses of these bytes bypass L2, which keeps nothing of them that it does not already hold.
    void bypass_l2(uint64_t address, uint64_t size) { memory_->bypass_l2(address, size); }
    // For transfers of other chips.
    MemorySystem& memory() { return *memory_; }
    LinkCounts& link_counts() { return link_counts_; }
    // SampledMachine
    uint64_t pass(CoreId core, const Instruction& instruction) override;
    uint64_t behind_l2() const override { return memory_->behind_l2(); }
    Milli time_behind_l2(uint64_t bytes) const override {
        return bytes * 1000 * 1000 / per_cycle(model_.memory.hbm.rate, model_.clock);
    }
    void keep_l2() override { memory_->keep_l2(); }
    void restore_l2() override { memory_->restore_l2(); }
    void attach(Observer* observer) {
        observers_.add(observer);
        if (auto* data = dynamic_cast<DataObserver*>(observer)) data_observers_.push_back(data);
    }
    // Removes all observers.
    void detach_all() {
        observers_ = {};
        data_observers_.clear();
    }
    // Address of a byte of an on-chip memory.
    const std::byte* byte_of(CoreId id, Space space, uint64_t address) const {
        return core(id).local(space, address);
    }
    // For debuggers: a core, the cores of the current launch, and the waits of one of them.
    const Core& core_at(CoreId id) const { return core(id); }
    std::span<const CoreId> cores_of_launch() const { return result_.cores; }
    std::vector<PresentWait> waits(CoreId id) const { return present_waits(core(id), *sources_); }
    // Waits until the results of all completed instructions are in memory.
    void finish_data() { data_.finish(); }
    // Notifies the observers of a checker's finding.
    void announce(const Diagnostic& finding) const {
        observers_.tell(&Observer::on_diagnostic, finding);
    }

    // Joins other chips with which this one shares its clock, and their memory; null: the chip is alone. Only between
    // launches.
    void join(Neighbours* neighbours, RemoteMemory* remote) {
        event_queue_.attend(neighbours);
        join(remote);
    }
    // The same for a chip that shares its event queue with them.
    void join(RemoteMemory* remote) { remote_ = remote; }
    // In the current launch: the cycle since which all its cores only poll for signals, and the address that each
    // polls.
    Cycle quiet_since() const;
    std::vector<std::string> looks() const;
    // The most blocks that run at once for a kernel of these core types.
    uint32_t capacity(const Kernel& kernel) const { return dispatcher_.capacity(kernel); }
    // Core cycles since the chip came up.
    Cycle now() const override { return event_queue_.now(); }
    // Waits until results of instructions that have completed on the core's cluster are in memory.
    void wait_for_data(CoreId core);
    // For processors (sim/machine/aicpu), which share the clock of the cores.
    EventQueue& event_queue() override { return event_queue_; }
    Lane& lane(unsigned cluster) override { return *lanes_[cluster]; }
    ParametersRead& parameters_read() override { return read_; }
    // Parameters that costs on this chip depend on; made on first use.
    CostGrades& cost_grades();
    // Starts SystemC and builds tables of the model, as the first launch does otherwise. No result depends on this
    // call: it is for a host process that forks before it launches.
    void start();
    // Runs a kernel to its end. One argument for each parameter.
    LaunchResult launch(const Kernel& kernel, KernelArguments arguments,
                        const LaunchOptions& options);
    // Runs several kernels, at once if `after` permits and cores are free. The blocks of `options` are not used, and
    // the kernels' locations refer to the first one's sources.
    LaunchResult launch(std::span<const LaunchPart> parts, const LaunchOptions& options);

    // ---- a launch in steps, for chips that share an event queue, which runs between them

    // The queue stops when the launch has ended.
    void begin(std::span<const LaunchPart> parts, const LaunchOptions& options);
    // Between begin() and end().
    bool under_way() const { return under_way_; }
    // Its last block has ended, or an error has stopped it.
    bool ended() const { return aborted_ || dispatcher_.finished(); }
    // Ends a launch that has not ended because of an error elsewhere.
    LaunchResult end();

 private:
    using sc_core::sc_module::print;  // hidden otherwise by a kernel's print
    // CoreEnvironment
    const ObserverList& observers() const override { return observers_; }
    void drop_observers_with_enough() override {
        if (lanes_run()) return;
        observers_.drop_those_with_enough();
        run_apart_if_possible();
    }
    std::span<DataObserver* const> data_observers() const override { return data_observers_; }
    SyncMode sync_mode() const override { return options_.sync; }
    RunMode run_mode() const override { return options_.mode; }
    Numerics numerics() const override { return options_.numerics; }
    bool reports_choices() const override { return options_.choices; }
    const SourceMap& sources() const override { return *sources_; }
    LaunchWatch& watch() override { return watch_; }
    LaunchWatch& watch_of(unsigned cluster) { return apart_ ? ports_[cluster]->watch : watch_; }
    bool call_alone(CoreId core, std::function<void()> work, Event& then) override;
    [[noreturn]] void interrupt(CoreId core) override;
    Schedule* schedule() override { return options_.schedule; }
    ValidationCache& validation_cache() override { return validation_cache_; }
    DataEngine& data() override { return data_; }
    LocalMemory& on_chip() override { return on_chip_; }
    Cost cost(const Instruction& instruction) const override;
    void start_transfer(const Requester& requester, const Cost& cost,
                        const Instruction& instruction, Event& done, Transfer& result) override;
    Transfer start_remote(const Cost& cost, const Instruction& instruction, Event& done);
    uint64_t touch_line(CoreId core, uint64_t address, bool writes) override {
        return memory_->touch_line(core, address, writes);
    }
    Milli hold_sector(CoreId core, uint64_t sector, Milli from, Milli time,
                      Milli handover) override;
    void prefetch(CoreId core, const GlobalView& view) override { memory_->pass(core, view, false); }
    RemoteMemory* remote() override { return remote_; }
    std::byte* local(CoreId id, Space space, uint64_t address) override {
        return core(id).local(space, address);
    }
    void cross_set(CoreId from, const Instruction& instruction, uint64_t sequence) override;
    void settle_signal(CoreId from, const Instruction& instruction, uint64_t sequence);
    std::optional<BlockIdentity> next_block(CoreId core) override { return dispatcher_.next_block(core); }
    bool has_block(CoreId core) override { return dispatcher_.has_block(core); }
    Event& launched(CoreId core) override { return dispatcher_.launched(core); }
    Event* assigned(CoreId core) override { return dispatcher_.assigned(core); }
    Cycle block_delay(CoreId core) override {
        return dispatcher_.block_delay(core, lanes_[cluster_of(core)]->now());
    }
    void block_done(CoreId core) override;
    const Kernel& kernel(CoreId core) const override { return *dispatcher_.part_of(core).kernel; }
    KernelArguments arguments(CoreId core) const override { return dispatcher_.part_of(core).arguments; }
    void print(CoreId core, std::string_view text) override;
    void report(Diagnostic diagnostic) override;
    void warn(Diagnostic diagnostic) override;
    void tell(Diagnostic diagnostic, std::vector<Diagnostic>& list);
    [[noreturn]] void fail(std::vector<Diagnostic> diagnostics) override;
    void crash(CoreId core, std::exception_ptr exception) override;

    // A request of a cluster, settled at the end of the cycle.
    struct Request {
        enum class Kind : uint8_t { kTransfer, kSignal, kBlockDone, kCall };
        Kind kind = Kind::kCall;
        Cycle time = 0;
        CoreId core;
        Cycle earliest = 0;  // cycle in which something can come back
        // kTransfer
        Pipe pipe = Pipe::kS;
        const Cost* cost = nullptr;
        const Instruction* instruction = nullptr;
        Event* event = nullptr;  // notified at its end; also of kCall
        Transfer* result = nullptr;
        // kSignal
        std::unique_ptr<Instruction> signal{};
        uint64_t sequence = 0;
        // kCall
        std::function<void()> work{};
    };
    struct Signal {
        Cycle due = 0;
        CoreId to;
        unsigned id = 0;
        CrossCoreSignal sent;
    };
    // The side of a cluster that faces the others.
    struct Port {
        Port(Chip& of, Lane& of_cluster) : chip{of}, lane{of_cluster}, due{of_cluster, deliverer} {}
        void deliver_signals();

        Chip& chip;
        Lane& lane;
        std::vector<Request> requests;
        size_t settled = 0;            // requests
        std::vector<Signal> signals;   // to it, in flight, in order of arrival
        unsigned unmatched = 0;        // signals to all cores (mode 0) that it has sent and that wait for others
        LaunchWatch watch;             // while clusters run apart
        Actor deliverer = Actor::of<&Port::deliver_signals>(this, Actor::Kind::kUrgent);
        Event due;                     // the first of the signals
        Cycle first_request() const {
            return settled == requests.size() ? LaneCalendar::kNever : requests[settled].time;
        }
    };
    unsigned cluster_of(CoreId core) const {
        return core.type == CoreType::kAIC ? core.index : core.index / static_cast<unsigned>(model_.cluster.aivs);
    }
    // Lanes run apart at this moment.
    bool lanes_run() const { return event_queue_.is_apart() && !settles_; }
    void ask(Request request);
    void call_later(CoreId core, std::function<void()> work);
    void settle_calls(Port& port);
    void settle(Port& port);
    void settle(Request& request);
    Cycle signal_latency() const;
    // Exchange
    Cycle first_request() const override;
    void settle() override;
    void settle_cycle() { settle(); }
    void set_limits(Cycle horizon) override;

    Core& core(CoreId id) const;
    bool may_run_apart(std::span<const LaunchPart> parts) const;
    void run_apart_if_possible();
    void end_apart();
    void prepare(std::span<const LaunchPart> parts, const LaunchOptions& options);
    LaunchResult take_result(Cycle end);
    void note_launch();
    void tell_launch(Cycle begin);
    void begin_part(unsigned number);
    void count_issued(unsigned number);
    void end_part(unsigned number);
    void explain_stuck();
    void take_results(Cycle end);
    Diagnostic cross_finding(const char* code, std::string message, const char* hint, CoreId from,
                             const Instruction& instruction) const;
    void tell_cross_set(CoreId from, CoreId whose, uint8_t id, uint8_t mode,
                        const Instruction& instruction, uint64_t sequence);
    void send(const CrossCoreNetwork::Match& match, CoreId from, uint8_t id, uint8_t mode,
              const Instruction& instruction, uint64_t sequence);
    void end_early(CoreId core, std::function<void()> work);

    ChipModel model_;
    const std::string model_text_;  // the model's text, for the record of launches
    mutable ParametersRead read_;
    CostModel cost_model_;
    struct Sector {
        Milli free = 0;
        std::optional<CoreId> holder{};  // the last one
    };
    std::unordered_map<uint64_t, Sector>
        sectors_;  // for atomic operations of threads, in this launch
    std::unique_ptr<CostGrades> cost_grades_;
    GlobalMemory global_;
    std::unique_ptr<EventQueue> own_event_queue_;
    EventQueue& event_queue_;
    std::vector<std::unique_ptr<Lane>> lanes_;  // by cluster
    std::unique_ptr<MemorySystem> memory_;
    RemoteMemory* remote_ = nullptr;
    LinkCounts link_counts_;
    LocalMemory on_chip_;
    std::vector<std::unique_ptr<Core>> aics_, aivs_;
    LaunchWatch watch_;
    ValidationCache validation_cache_;
    DataEngine data_;
    ObserverList observers_;
    std::vector<DataObserver*> data_observers_;
    std::vector<std::unique_ptr<Port>> ports_;  // by cluster
    std::vector<Cycle> limits_;                 // by cluster; scratch
    bool settles_ = false;                      // within settle()
    bool may_run_apart_ = false;                // clusters, as far as the kernel is concerned
    bool apart_ = false;                        // they do
    Actor settler_ = Actor::of<&Chip::settle_cycle>(this);

    Dispatcher dispatcher_{event_queue_, lanes_, model_, [this](unsigned part) { begin_part(part); },
                           [this](unsigned part) { end_part(part); }};
    const SourceMap* sources_ = nullptr;
    LaunchOptions options_;
    Cycle begin_ = 0;  // of the launch
    bool under_way_ = false;  // begin() was called, and end() was not
    LaunchResult result_;
    std::vector<uint64_t> issued_;  // by part: its instructions; while it runs, minus the earlier ones
    bool launched_before_ = false;
    bool aborted_ = false;
    std::exception_ptr crash_;
};

}  // namespace ptosim
