#include "sim/native/kernel_registers.h"

#include <algorithm>

#include "isa/core/neutral_registers.h"
#include "sim/native/kernel_call.h"

namespace ptosim {
namespace {

static_assert(std::size(ptosim_registers{}.value) == kCoreRegisters);

// Name of the operation that writes it, for findings.
std::string_view setter_of(unsigned number) {
    switch (number) {
        case PTOSIM_REGISTER_MASK_LOW:
        case PTOSIM_REGISTER_MASK_HIGH:
            return "set_vector_mask";
        case PTOSIM_REGISTER_COUNTER:
            return "set_mask_count";
        case PTOSIM_REGISTER_ATOMIC:
            return "set_atomic";
        default:
            return "register";
    }
}

}  // namespace

void take_registers(Running& core) {
    const CoreRegisters initial;
    const CoreRegisters* const kept = core.port.registers();
    const CoreRegisters& registers = kept == nullptr ? initial : *kept;
    std::ranges::copy(registers.value, core.registers.value);
    for (size_t i = 0; i < registers.addresses.size(); ++i)
        std::ranges::copy(registers.addresses[i], core.registers.va[i]);
    for (unsigned i = 0; i < kCoreRegisters; ++i)
        if (!registers.left_by[i].empty() && !is_neutral(i, registers.value[i], core_register_row(i).initial))
            core.left_registers |= 1U << i;
}

void return_registers(Running& core) {
    CoreRegisters* const kept = core.port.registers();
    if (kept == nullptr) return;
    std::ranges::copy(core.registers.value, kept->value.begin());
    for (size_t i = 0; i < kept->addresses.size(); ++i)
        std::ranges::copy(core.registers.va[i], kept->addresses[i].begin());
}

void use_register(Running& core, unsigned number, std::string_view instruction, SourceLocation where) {
    if ((core.left_registers >> number & 1) == 0) return;
    core.left_registers &= ~(1U << number);
    core.port.use_left_register(number, instruction, where);
}

}  // namespace ptosim

void ptosim_note_register(uint32_t number) {
    if (ptosim::running == nullptr || number >= ptosim::kCoreRegisters) return;
    ptosim::call_from(__builtin_frame_address(0), ptosim::setter_of(number), [&](ptosim::Running& core) {
        core.left_registers &= ~(1U << number);
        ptosim::CoreRegisters* const kept = core.port.registers();
        if (kept == nullptr) return;
        kept->is_written[number] = true;
        kept->written[number] = locate(core, core.at);
    });
}
