// State of a core that outlives a block and a launch: registers of the scalar unit, and unit flags of L0C
// (sim/machine/core/unit_flags.h). Nothing resets it between kernels, so that a kernel finds it as the last one has
// left it (asc-devkit, InitSocState).
#pragma once

#include <string>
#include <vector>

#include "isa/core/core_registers.h"
#include "isa/core/kernel.h"
#include "sim/machine/core/core_context.h"
#include "sim/machine/core/unit_flags.h"
#include "sim/machine/observe/observer.h"

namespace ptosim {

class CoreState {
 public:
    CoreRegisters registers;

    // A block begins: it has written nothing yet.
    void begin_block();
    // State that the block leaves changed.
    std::vector<LeftState> left(const UnitFlags& units) const;
    // The registers that the block has written, a bit for each, if observers watch them.
    uint32_t written() const;
    // The block has ended: keeps the lines at which it wrote registers as text.
    void end_block(const SourceMap& sources);

    // The operation of stores to global memory that name none (set_atomic_*).
    AtomicMode atomic() const;
    // Tells observers if an instruction uses a register that only an earlier block has written.
    void tell_use(const CoreContext& core, unsigned number, std::string_view instruction,
                  SourceLocation where) const;

 private:
    std::array<uint64_t, kCoreRegisters> at_begin_{};
};

// Name of a register in findings: "the vector mask".
std::string_view state_name(unsigned number);

}  // namespace ptosim
