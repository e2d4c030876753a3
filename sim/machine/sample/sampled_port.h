// A core's port for a kernel whose time is sampled (sampler.h).
#pragma once

#include <deque>
#include <vector>

#include "isa/core/relayed_port.h"
#include "sim/machine/sample/period_finder.h"
#include "sim/machine/sample/sampler.h"

namespace ptosim {

// Cores that a core exchanges signals with.
enum class SignalReach : uint8_t { kNone, kCluster, kChip };

// Signals of a period: to one other core, within a cluster, and of all cores.
struct SignalCounts {
    uint64_t sets_for_one = 0, waits_for_one = 0;
    uint64_t sets_in_cluster = 0, waits_in_cluster = 0;
    uint64_t sets_for_all = 0, waits_for_all = 0;
};

class SampledPort : public RelayedPort {
 public:
    SampledPort(KernelPort& port, Sampler& sampler);
    ~SampledPort() override;

    // The control flow has ended: issues what it has put off.
    void end() { put_off_no_more(); }

    // ---- for the sampler

    CoreId id() const { return {identity().core, static_cast<uint16_t>(core_index())}; }
    unsigned cluster() const;
    SignalReach reach() const;
    SignalCounts signals() const;
    // Instructions of the period; 0: none is known.
    uint64_t length() const { return period_.size(); }
    // Enough periods were measured: they took equal times, or more are not worth waiting for.
    bool measured() const;
    Milli period() const;  // mean time of the measured periods
    Milli spread() const;  // difference between the means of their halves
    Milli measured_time() const { return (begun_.back() - begun_.front()) * 1000; }
    bool has_begun() const { return !begun_.empty(); }
    Cycle last_begin() const { return begun_.back(); }
    // Forgets the measured times.
    void measure_again() { begun_.clear(); }

    // Lets the control flow run ahead by this number of periods, if it repeats itself for as long.
    void run_ahead(uint64_t periods);
    bool runs_ahead() const { return runs_ahead_; }
    // Periods that were put off entirely, and follow the begin of a period at which they can be
    // skipped: the begin that is nearest to this time.
    uint64_t available(Cycle near) const;
    // Skips periods at that begin.
    void skip_at(Cycle near, uint64_t periods);
    bool skips() const { return skipped_periods_ != 0; }
    // Lists the instructions that were put off and access global memory, from now on or from that
    // begin on (if the port skips, the begin at which it does): next_transfer() gives the next one
    // before the end of that number of periods after the begin; null: none is left.
    enum class From : uint8_t { kNow, kBegin };
    void list_transfers(Cycle near, From from);
    const Instruction* next_transfer(uint64_t periods);
    // Time that the port has skipped minus the time that the chip has skipped.
    int64_t lead() const { return lead_; }
    void change_lead(int64_t by) { lead_ += by; }

    // ---- KernelPort

    void issue(const Instruction& instruction) override;
    void scalar_work(unsigned operations, SourceLocation where) override;
    void scalar_code(uint64_t instructions) override;
    void load_line(uint64_t address) override;
    uint64_t load_global(uint64_t address, DType type, ScalarPath path,
                         SourceLocation where) override;
    void store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                      SourceLocation where) override;
    void store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where) override;
    uint64_t atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                           SourceLocation where) override;
    void read_signals(const GlobalView& view, SourceLocation where) override;
    void use_cache(const CacheUse& use) override;
    void follow_pointer(const CacheUse& use) override;
    void follow_local(uint64_t address, uint64_t size, bool writes, SourceLocation where) override;
    uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation where) override;
    void store_local(const Tile& tile, int64_t offset, uint64_t bits,
                     SourceLocation where) override;
    uint64_t result_register(unsigned which, SourceLocation where) override;
    std::unique_ptr<ThreadRun> begin_threads(const ThreadLaunch& launch) override;
    void print(std::string_view text) override;
    uint64_t cycle() override;
    uint64_t system_counter() override;

 private:
    // Scalar work that precedes an instruction.
    struct Work {
        unsigned operations = 0;
        SourceLocation where;
        uint64_t code = 0;  // instructions of the host
    };
    struct Item {
        Work work;
        bool begins_period = false;
        unsigned addresses = 0;  // of global memory
        Instruction instruction;
    };

    static constexpr size_t kLeastPeriods = 4;  // to measure
    static constexpr size_t kLeastAgain =
        2;  // if they take as long as the measured ones
    static constexpr size_t kMostPeriods = 12;

    void remember(const Instruction& instruction, bool begins_period);
    bool put_off(const Instruction& instruction);
    void stop_ahead();
    void put_off_no_more();
    void issue_put_off();
    void issue_item(const Item& item);
    void drop_skipped();
    void begin_period();
    void note_signal(const Instruction& instruction);
    uint64_t begins_until(Cycle near) const;
    uint64_t to_begin(uint64_t begins) const;

    Sampler& sampler_;
    KernelPort& core_;
    PeriodFinder finder_;
    unsigned period_number_ = 0;  // of the finder's period that is measured
    std::vector<Cycle> begun_;    // times at which periods began
    Milli last_period_ = 0;       // their mean time before the last skip; 0: none
    int64_t lead_ = 0;
    uint64_t cluster_signal_ = 0,
             chip_signal_ = 0;  // one past the last instruction that sends or awaits one

    // The last period; empty if none is known. By position modulo its length. An instruction that
    // is put off differs from the one at its place in its addresses only.
    std::vector<Item> period_;
    uint64_t remembered_ = 0;  // successive instructions of the period in it
    uint64_t begin_ = 0;       // position of the last begin of a period, modulo its length
    Work work_;                // since the last instruction

    bool runs_ahead_ = false;
    bool at_once_ = false;            // a call waits until all instructions are issued
    bool issuing_ = false;            // instructions that were put off
    uint64_t most_ = 0;               // instructions to put off
    uint64_t next_ = 0;               // position of the next one to be issued
    uint64_t count_ = 0;              // of them: put off, and repeating the period
    std::deque<uint64_t> addresses_;  // of these
    std::vector<Item> rest_;          // what follows them, at most one instruction
    uint64_t skipped_periods_ = 0;    // that will be skipped,
    uint64_t begins_ = 0;             // at this begin of a period
    uint64_t listed_from_ = 0, listed_ = 0, listed_addresses_ = 0;  // by next_transfer()
    Instruction transfer_;
};

}  // namespace ptosim
