// For tests: the instruction table with a row changed, to see which expectation fails then.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

#include "isa/table/instruction_table.h"
#include "isa/table/instruction_traits.h"

namespace ptosim {

// While an object of this class lives, the row of `opcode` has the traits that `change` makes of its original ones.
// Rows are constant data, whose page is made writable.
class ChangedRow {
 public:
    template <typename Change>
    ChangedRow(Opcode opcode, Change change)
        : traits_of_row_{const_cast<const InstructionTraits**>(&info(opcode).traits)},
          original_{*traits_of_row_},
          changed_{*original_} {
        change(changed_);
        const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
        const auto begin = reinterpret_cast<uintptr_t>(traits_of_row_) / page * page;
        if (mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE) != 0)
            throw std::runtime_error("the instruction table cannot be made writable");
        *traits_of_row_ = &changed_;
    }
    ~ChangedRow() { *traits_of_row_ = original_; }
    ChangedRow(const ChangedRow&) = delete;
    ChangedRow& operator=(const ChangedRow&) = delete;

 private:
    const InstructionTraits** traits_of_row_;
    const InstructionTraits* original_;
    InstructionTraits changed_;
};

}  // namespace ptosim
