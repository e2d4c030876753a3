// An AIC or AIV core: a scalar unit that runs a kernel's control flow, the pipes that it feeds,
// their flags, and the on-chip buffers.
//
// The control flow has a SystemC process of its own. It runs ahead of time as long as it only
// issues instructions to pipes: they are noted down with the scalar cycles before each, and the
// scalar unit, an actor, issues them when their time has come. Before anything else (a flag that
// the scalar unit waits for, an access of memory, the end of the kernel) the control flow waits
// until that has been done.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "isa/access.h"
#include "isa/data_check.h"
#include "isa/kernel.h"
#include "isa/mode_registers.h"
#include "sim/core/buffer_tokens.h"
#include "sim/core/environment.h"
#include "sim/core/flags.h"
#include "sim/core/local_buffer.h"
#include "sim/core/pipe_unit.h"
#include "sim/core/unit_flags.h"
#include "sim/timing/vector_function.h"

namespace ptosim {

class Core : public sc_core::sc_module, public KernelPort, private DataReporter {
 public:
    Core(sc_core::sc_module_name name, CoreId id, CoreEnvironment& environment);

    CoreId id() const { return id_; }
    // Null if this core type has no such pipe, and for S.
    PipeUnit* pipe(Pipe pipe) const { return pipes_[static_cast<size_t>(pipe)].get(); }
    FlagFile& flags() { return flags_; }
    UnitFlags& unit_flags() { return unit_flags_; }
    // What the scalar unit waits for, if it waits.
    struct ScalarState {
        bool running = false;  // between the begin and the end of a block
        bool issuing = false;  // the kernel's control flow has not ended yet
        bool blocked = false;
        BlockReason reason = BlockReason::kQueueFull;
        const Instruction* instruction = nullptr;
        uint64_t sequence = 0;
        Cycle since = 0;
    };
    const ScalarState& scalar_state() const { return scalar_; }
    uint64_t issued() const { return next_sequence_; }

    // A launch begins: what the one before left in flags and cross-core counters is gone.
    void reset_flags();

    // The flags that other cores signal, by the numbers of FlagEvent: 4-bit counters.
    struct CrossFlag {
        unsigned count = 0;
        CoreId from;  // of the last signal
        Pipe pipe = Pipe::kS;
        uint64_t sequence = 0;
    };
    // The flag that a CROSS_WAIT or INTRA_WAIT is about.
    CrossFlag& cross_flag(const Instruction& wait);
    Wakeup& cross_arrived() { return cross_arrived_; }
    // A signal from another core has arrived.
    void receive_cross_core(unsigned id, CoreId from, Pipe pipe, uint64_t sequence);
    // A wait has seen its flag: it counts down.
    void consume_cross(const Instruction& wait, uint64_t sequence);

    using sc_core::sc_module::print;  // not hidden by the kernel's
    // KernelPort
    const BlockIdentity& identity() const override { return identity_; }
    Arch arch() const override { return environment_.model().arch; }
    void issue(const Instruction& instruction) override;
    void scalar_work(unsigned operations) override;
    uint64_t load_global(uint64_t address, DType type, SourceLocation where) override;
    void store_global(uint64_t address, DType type, uint64_t bits, SourceLocation where) override;
    uint64_t atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                           SourceLocation where) override;
    void use_cache(const CacheUse& use) override;
    uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation where) override;
    void store_local(const Tile& tile, int64_t offset, uint64_t bits,
                     SourceLocation where) override;
    void print(std::string_view text) override;
    uint64_t cycle() override;
    unsigned core_index() const override { return id_.index; }

    // For the pipes.
    EventQueue& event_queue() const { return event_queue_; }
    bool auto_sync() const { return auto_sync_; }
    const ObserverList& observers() const { return observers_; }
    Transfer start_transfer(const PipeUnit::Entry& entry, Event& done) {
        return environment_.start_transfer(entry.cost, entry.instruction, done);
    }
    void give_back(PipeUnit::Entry* entry) { spare_entries_.push_back(entry); }
    // Whether MTE2 writes L1 now: moves out of L1 take longer then.
    bool l1_written() const { return l1_written_; }
    // A move out of L1 was slowed down by that, or would have been.
    void note_contention() { read_.note(model_.l1_contention); }
    void set_l1_written(bool written) { l1_written_ = written; }
    // A byte of an on-chip memory of this core.
    std::byte* local(Space space, uint64_t address) {
        return buffers_[static_cast<size_t>(space)].data + address;
    }
    // The effects of an instruction that has completed: data, flags, signals.
    void complete(const Instruction& instruction, uint64_t sequence);
    // Whether this would set a flag that has been set in this very cycle: the pipe that waits for
    // it takes it first, so that it is set a cycle later.
    bool set_in_this_cycle(const Instruction& instruction);
    void consume_flag(const Instruction& instruction, uint64_t sequence);
    FlagEvent flag_event(const Instruction& instruction, uint64_t sequence) const;
    void tell_block(Pipe pipe, BlockReason reason, const Instruction* instruction,
                    uint64_t sequence);
    void tell_unblock(Pipe pipe, const BlockEvent& released, const Instruction* instruction,
                      uint64_t sequence);

 private:
    // An instruction that the control flow has come to: to be issued so many cycles after the one
    // before. Without an entry: the cycles alone.
    struct Ahead {
        PipeUnit::Entry* entry = nullptr;
        PipeUnit* unit = nullptr;
        Cycle delay = 0;
    };

    void scalar_process();
    void act();  // of the scalar unit
    bool issue_ahead();
    void catch_up();
    void give_way();
    void wait_for(Event& event);
    void wait_for(Wakeup& wakeup) { wait_for(wakeup.event()); }
    void wait_for(Cycle cycles);
    BlockIdentity next_block();
    void run_block();
    void drain();
    Cycle charge(Milli more);  // whole cycles of what has been charged, not spent any more
    void spend();              // lets the scalar time that has been charged pass
    bool goes_to_pipe(const Instruction& instruction, Pipe pipe) const;
    void issue_completed(const Instruction& instruction);
    PipeUnit::Entry* new_entry();
    const KnownInstructions::Known& check(const Instruction& instruction, Pipe pipe, Cycle before);
    Cost cost_here(const Instruction& instruction, const Cost& alone);
    void prepare(const Instruction& instruction, Pipe pipe, const KnownInstructions::Known& known,
                 Cycle delay);
    Diagnostic describe(const Instruction& instruction, Pipe pipe, Problem problem) const;
    void refuse(const Instruction& instruction, Pipe pipe, Problem problem);
    void enqueue(PipeUnit& unit, PipeUnit::Entry& entry);
    void find_dependences(PipeUnit::Entry& entry, const Instruction& instruction);
    void issue_control(const Instruction& instruction, Pipe pipe);
    void execute_scalar(const Instruction& instruction);
    void compute_scalar(const Instruction& instruction, uint64_t sequence);
    void scalar_barrier(const Instruction& instruction, uint64_t sequence);
    void wait_until_drained(const Instruction& instruction, uint64_t sequence);
    void wait_until_drained(std::span<const Pipe> pipes, const Instruction& instruction,
                            uint64_t sequence);
    void scalar_wait_flag(const Instruction& instruction, uint64_t sequence);
    void pass_buffer_token(const Instruction& instruction, uint64_t place,
                           BufferTokens::After& after);
    void report(const BufferTokens::Misuse& misuse, SourceLocation where);
    void scalar_buffer_token(const Instruction& instruction, uint64_t sequence);
    void scalar_wait_cross(const Instruction& instruction, uint64_t sequence);
    void set_flag(const Instruction& instruction, uint64_t sequence);
    void execute(const Instruction& instruction);
    Execution execution_of(const Instruction& instruction);
    std::byte* place_of(const Instruction& instruction, unsigned operand);
    void report(const DataFinding& finding) override;
    // What a scalar operation touches in global memory; G01 if that is outside every allocation.
    Access scalar_access(uint64_t address, DType type, const char* what, bool reads, bool writes,
                         SourceLocation where) const;
    void wait_for_conflicts(const Access& access, SourceLocation where);
    // Until nothing under way touches it, neither in time nor in a worker thread.
    void settle(const Access& access, SourceLocation where);
    void charge_load();
    void scalar_block(BlockReason reason, const Instruction* instruction, uint64_t sequence);
    void scalar_unblock(const BlockEvent& released = {});
    std::byte* checked_local(const Tile& tile, int64_t offset, bool write, SourceLocation where);
    Diagnostic diagnostic(std::string code, Category category, std::string message,
                          SourceLocation where) const;

    CoreId id_;
    CoreEnvironment& environment_;
    EventQueue& event_queue_;
    const ChipModel& model_;
    ParametersRead& read_;
    const ObserverList& observers_;
    KnownInstructions& known_;
    const GlobalMemory& global_;
    unsigned cluster_;
    std::array<LocalBuffer, kSpaceCount> buffers_;
    std::array<std::unique_ptr<PipeUnit>, kPipeCount> pipes_;
    FlagFile flags_;
    UnitFlags unit_flags_;
    BufferTokens buffer_tokens_;
    ModeRegisters mode_registers_;
    VectorFunction vector_function_;
    std::array<CrossFlag, 2 * kIntraBlockIds> cross_;
    Wakeup cross_arrived_;

    Actor actor_ = Actor::of<&Core::act>(this);
    sc_core::sc_event resume_;  // of the scalar process
    Event timer_;
    std::vector<Ahead> ahead_;
    size_t issued_ahead_ = 0;   // of these
    bool delayed_ = false;      // the next of these has waited for its time
    bool handed_over_ = false;  // the actor issues these; otherwise it is the process that waits
    size_t most_ahead_ = 1;
    std::vector<std::unique_ptr<PipeUnit::Entry>> entries_;
    std::vector<PipeUnit::Entry*> spare_entries_;  // the last one used first: it is in the caches
    RunMode mode_ = RunMode::kFull;                // of the launch
    bool auto_sync_ = false;

    const Instruction* executing_ = nullptr;  // for findings about its data
    BlockIdentity identity_;
    ScalarState scalar_;
    bool l1_written_ = false;
    uint64_t next_sequence_ = 0;
    Milli charged_ = 0;  // scalar time not yet spent
};

}  // namespace ptosim
