// Measures the shares of a run's time by the grades of the chip's figures.
#pragma once

#include <unordered_map>
#include <vector>

#include "sim/machine/chip/chip.h"
#include "traces/analyse/time_basis.h"
#include "traces/record/operand_set.h"

namespace ptosim {

// Finds the basis of an instruction's cost once for each opcode with operands of the same shapes. Adds up the work of
// all pipes for runs that are too long to be recorded.
class GradeMeter : public Observer {
 public:
    explicit GradeMeter(Chip& chip) : chip_{chip} {}
    CostBasis of(const Instruction& instruction);
    // Basis of the work of all pipes so far.
    TimeBasis basis() const;

    bool follows_instructions() const override { return false; }
    unsigned needs() const override { return 0; }
    void on_complete(const InstructionEvent& event) override;

 private:
    struct Key {
        Opcode opcode;
        OperandSet shapes;  // with addresses 0
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        size_t operator()(const Key& key) const;
    };
    // Further distinct instructions count like the last ones of their opcode.
    static constexpr size_t kMost = 4096;

    Chip& chip_;
    std::unordered_map<Key, CostBasis, Hash> known_;
    std::unordered_map<Opcode, CostBasis> last_;
    void add_first(const InstructionEvent& event, uint64_t cycles);
    void add_shared(const InstructionEvent& event, uint64_t cycles);

    struct Work {  // of instructions with one InstructionEvent::validation_id
        GradeParts parts{};
        uint64_t cycles = 0;
        uint32_t transfer_cycles = 0;  // as in CostBasis; 0: no transfer
        bool met = false;
    };
    std::vector<Work> work_;  // by validation id; index 0 has the instructions that occur once
    TimeBasis once_;
    uint64_t of_l2_ = 0, of_hbm_ = 0;  // cycles by which sharing prolonged transfers
};

}  // namespace ptosim
