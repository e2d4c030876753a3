// Measures the shares of a run's time by the grades of the chip's figures.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "sim/machine/chip/chip.h"
#include "sim/machine/observe/latest_by_id.h"
#include "sim/machine/observe/per_core.h"
#include "traces/analyse/time_basis.h"
#include "traces/record/operand_set.h"

namespace ptosim {

// Finds the basis of an instruction's cost once for each opcode with operands of the same shapes. Adds up the work of
// all pipes for runs that are too long to be recorded.
class GradeMeter : public Observer {
 public:
    explicit GradeMeter(Chip& chip) : chip_{chip} {}
    CostBasis of(const Instruction& instruction) { return of(recorded_, instruction); }
    // Basis of the work of all pipes so far.
    TimeBasis basis() const;

    bool follows_instructions() const override { return false; }
    unsigned needs() const override { return 0; }
    bool takes_clusters_apart() const override { return true; }
    void on_launch(const LaunchEvent& event) override {
        for (const CoreId core : event.cores) cores_.expect(core);
    }
    void on_complete(const InstructionEvent& event) override { complete(cores_.of(event.core), event); }

 private:
    struct Key {
        Opcode opcode;
        OperandSet shapes;  // with addresses 0
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        size_t operator()(const Key& key) const;
    };
    using Known = std::unordered_map<Key, CostBasis, Hash>;
    static constexpr size_t kMost = 4096;

    struct Work {  // of instructions with one InstructionEvent::validation_id
        uint64_t id = 0;
        GradeParts parts{};
        uint64_t cycles = 0;
        uint32_t transfer_cycles = 0;  // as in CostBasis; 0: no transfer
    };
    struct OfCore {
        // Further distinct instructions count like the last ones of their opcode.
        Known known;
        std::unordered_map<Opcode, CostBasis> last;
        LatestById<Work, 1024> latest;
        TimeBasis rest;                  // of the others
        uint64_t of_l2 = 0, of_hbm = 0;  // cycles by which sharing prolonged transfers
        void add_shared(const InstructionEvent& event, uint64_t cycles);
    };
    CostBasis of(OfCore& core, const Instruction& instruction);
    void complete(OfCore& core, const InstructionEvent& event);
    void add_first(OfCore& core, const InstructionEvent& event, uint64_t cycles);

    Chip& chip_;
    std::mutex mutex_;  // for the grades of the chip, and what follows
    Known computed_;    // of all cores
    OfCore recorded_;   // for of()
    PerCore<OfCore> cores_;
};

}  // namespace ptosim
