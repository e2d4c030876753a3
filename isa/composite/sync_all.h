// A barrier of all cores of a launch (SYNCALL), made of cross-core flags.
//
// Each core first waits for its own pipes. Cores of one type then meet by
// signals of mode 0; the two types of a mixed kernel by way of their AICs.
// hw-native-sys/pto-isa include/pto/common/type.hpp: 11 AIC, 12 AIV, 13 AIC to AIV, 14 AIV only.
#pragma once

#include "isa/core/kernel.h"

namespace ptosim {

inline constexpr uint8_t kSyncAicFlag = 11;
inline constexpr uint8_t kSyncAivFlag = 12;
inline constexpr uint8_t kSyncAicAivFlag = 13;
inline constexpr uint8_t kSyncAivOnlyFlag = 14;

// Executes a SYNCALL on a core: issues the instructions that make up the barrier. A core of a type that takes no part
// only waits for its own pipes.
void sync_all(KernelPort& port, const Instruction& instruction);

}  // namespace ptosim
