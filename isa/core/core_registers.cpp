#include "isa/core/core_registers.h"

namespace ptosim {
namespace {

constexpr auto kRows = [] {
    std::array<CoreRegisterRow, kCoreRegisters> rows{};
#define CORE_REGISTER(NAME, NUMBER, CODE, INITIAL, MODE, TEXT) \
    rows[NUMBER] = {#NAME, static_cast<uint64_t>(INITIAL), (MODE) != 0, TEXT};
#include "include/ptosim/core_registers.def"
    return rows;
}();

}  // namespace

const CoreRegisterRow& core_register_row(unsigned number) { return kRows[number]; }

std::array<uint64_t, kCoreRegisters> CoreRegisters::initial() {
    std::array<uint64_t, kCoreRegisters> values{};
    for (unsigned i = 0; i < kCoreRegisters; ++i) values[i] = kRows[i].initial;
    return values;
}

}  // namespace ptosim
