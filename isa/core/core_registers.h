// Registers of a core that its scalar unit writes, and that keep their values from one block and one kernel to the next
// (asc-devkit, InitSocState). Their rows: include/ptosim/core_registers.def.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/core/diagnostic.h"

namespace ptosim {

inline constexpr unsigned kCoreRegisters = 32;

// Their numbers: core_register::MASK_LOW.
namespace core_register {
#define CORE_REGISTER(NAME, NUMBER, CODE, INITIAL, MODE, TEXT) inline constexpr unsigned NAME = NUMBER;
#include "include/ptosim/core_registers.def"
}  // namespace core_register

struct CoreRegisterRow {
    std::string_view name;
    uint64_t initial = 0;
    bool mode = false;  // other values change the meaning of instructions that do not mention the register
    std::string_view text;
};
// `number` < kCoreRegisters. Numbers without a register have an empty name.
const CoreRegisterRow& core_register_row(unsigned number);

struct CoreRegisters {
    std::array<uint64_t, kCoreRegisters> value = initial();
    std::array<std::array<uint64_t, 8>, 8> addresses{};  // VA registers: addresses in UB
    // Lines of the running block that wrote them last, if observers watch them (KernelPort::watched).
    std::array<SourceLocation, kCoreRegisters> written{};
    std::array<bool, kCoreRegisters> is_written{};
    // Kernels of earlier blocks that wrote them last, as text: "SetAtomicAdd at k.asc:24".
    std::array<std::string, kCoreRegisters> left_by{};

    static std::array<uint64_t, kCoreRegisters> initial();
};

}  // namespace ptosim
