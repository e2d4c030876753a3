// An AIC or AIV core: the port for a kernel's control flow, and the parts that do the work.
//
//   control flow -> Core::issue -> Completion -> Validator -> ScalarUnit (run-ahead queue) -> Pipes -> PipeUnit
//                                                          -> ScalarInstructions (no pipe)
//
// A part depends only on parts that precede it in the list of members below.
#pragma once

#include <set>
#include <systemc>

#include "isa/core/kernel.h"
#include "sim/machine/core/completion.h"
#include "sim/machine/core/counter_reads.h"
#include "sim/machine/core/data_path.h"
#include "sim/machine/core/pipes.h"
#include "sim/machine/core/scalar_instructions.h"
#include "sim/machine/core/scalar_memory.h"
#include "sim/machine/core/scalar_unit.h"
#include "sim/machine/core/sync_state.h"
#include "sim/machine/core/validator.h"
#include "sim/machine/timing/vector_function.h"

namespace ptosim {

class Core : public sc_core::sc_module, public KernelPort {
 public:
    Core(sc_core::sc_module_name name, CoreId id, CoreEnvironment& environment);

    CoreId id() const { return context_.id; }
    // Null for S, and for pipes that this core type lacks.
    const PipeUnit* pipe(Pipe pipe) const { return pipes_[pipe]; }
    // The event for which the scalar unit waits, if any.
    const ScalarUnit::State& scalar_state() const { return scalar_.state(); }
    // In a system of several chips: the cycle since which the core has only polled for signals, and the last poll.
    Cycle quiet_since() const { return memory_.quiet_since(); }
    const ScalarMemory::Look& last_look() const { return memory_.last_look(); }
    // Number of instructions since the chip came up.
    uint64_t issued() const { return scalar_.next_sequence(); }
    // A byte of an on-chip memory of this core.
    std::byte* local(Space space, uint64_t address) { return data_.local(space, address); }

    // True if an earlier launch has left unit flags of L0C set that this product waits for.
    bool finds_left_units(const Instruction& product) const;
    void count_in(LaunchWatch& watch) { scalar_.count_in(watch); }
    // Flags that are set and not yet taken by a wait.
    std::vector<FlagFile::Pending> pending_flags() const { return sync_.flags.pending(); }
    // A launch begins. Returns the number of sets that the previous launch left in flags.
    unsigned begin_launch() { return sync_.begin_launch(); }
    // A signal from another core has arrived.
    void receive_cross_core(unsigned id, const CrossCoreSignal& signal) {
        sync_.cross_core.receive(id, signal);
    }
    const CrossCoreFlags& cross_core_flags() const { return sync_.cross_core; }

    using sc_core::sc_module::print;  // hidden otherwise by the kernel's print
    // KernelPort
    const BlockIdentity& identity() const override { return identity_; }
    Arch arch() const override { return context_.arch; }
    void issue(const Instruction& instruction) override;
    const ReadyInstruction* issue_and_keep(const Instruction& instruction) override {
        return issue_new(instruction, true);
    }
    void issue_again(const ReadyInstruction& ready, std::span<const uint64_t> addresses) override;
    void scalar_work(unsigned operations, SourceLocation where) override {
        scalar_.charge_operations(operations, where);
    }
    void scalar_code(uint64_t instructions) override { scalar_.charge_code(instructions); }
    CachedLines cached_lines() const override { return memory_.cached_lines(); }
    uint64_t image_data(std::span<const std::byte> data, const std::string& name) override;
    std::pair<uint64_t, uint64_t> global_range() const override;
    void load_line(uint64_t address) override { memory_.load_line(address); }
    void read_signals(const GlobalView& view, SourceLocation where) override;
    uint64_t load_global(uint64_t address, DType type, ScalarPath path,
                         SourceLocation where) override;
    void store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                      SourceLocation where) override;
    uint64_t atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                           SourceLocation where) override {
        return memory_.atomic_global(address, type, mode, bits, where);
    }
    void store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where) override;
    void use_cache(const CacheUse& use) override;
    void follow_pointer(const CacheUse& use) override;
    void follow_local(uint64_t address, uint64_t size, bool writes, SourceLocation where) override {
        memory_.follow_local(address, size, writes, where);
    }
    WatchedMemory watched() const override;
    CoreRegisters* registers() override { return &state_.registers; }
    void use_left_register(unsigned number, std::string_view instruction, SourceLocation where) override;
    uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation where) override {
        return memory_.load_local(tile, offset, where);
    }
    void store_local(const Tile& tile, int64_t offset, uint64_t bits,
                     SourceLocation where) override {
        memory_.store_local(tile, offset, bits, where);
    }
    uint64_t result_register(unsigned which, SourceLocation where) override {
        return memory_.result_register(which, where);
    }
    std::byte* local_bytes(Space space) override {
        return data_.size(space) == 0 ? nullptr : data_.local(space, 0);
    }
    void note_masked_write(const MaskedWrite& write) override;
    uint64_t local_size(Space space) const override { return data_.size(space); }
    std::unique_ptr<ThreadRun> begin_threads(const ThreadLaunch& launch) override;
    void warn(Diagnostic diagnostic) override;
    void print(std::string_view text) override;
    uint64_t cycle() override;
    uint64_t system_counter() override;
    unsigned core_index() const override { return context_.id.index; }

 private:
    // The process of the scalar unit: runs one block after the other.
    void work();
    BlockIdentity next_block();
    void run_block();
    void run_kernel();
    void fetch_kernel();

    // Issues an instruction. Returns its entry in the validation cache if it is to be kept and
    // takes the same way at each issue of this launch.
    const KnownInstruction* issue_new(const Instruction& given, bool keeps);
    bool repeats(const Instruction& instruction) const;
    bool move_views(Instruction& instruction, std::span<const uint64_t> addresses) const;

    void end_state();
    void check_remote(const Instruction& instruction) const;
    void check_barrier(const Instruction& instruction) const;
    void check_window(const Instruction& instruction, unsigned operand) const;
    // The cost of an instruction; within a vector function, the time by which it prolongs the function.
    Cost cost_here(const Instruction& instruction, const Cost& alone);

    CoreContext context_;
    SyncState sync_;
    DataPath data_;
    Pipes pipes_;
    ScalarUnit scalar_;
    ScalarMemory memory_;
    ScalarInstructions scalar_instructions_;
    Validator validator_;
    CoreState state_;
    Completion completion_;
    VectorFunction vector_function_;
    CounterReads counter_reads_;
    BlockIdentity identity_;
    bool cold_ = false;      // no instruction of a kernel that runs on this core for the first time was issued
    std::set<size_t> warm_;  // kernels that have run on this core, by a hash of their names
};

}  // namespace ptosim
