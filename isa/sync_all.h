// A barrier of all cores of a launch (SYNCALL), made of cross-core flags.
//
// Each core first finishes what it was given. Cores of one type then meet by signals of mode 0; the
// two types of a mixed kernel by way of their AICs. The flags are the reserved ones of
// hw-native-sys/pto-isa include/pto/common/type.hpp: 11 AIC, 12 AIV, 13 AIC to AIV, 14 AIV only.
#pragma once

#include "isa/kernel.h"

namespace ptosim {

inline constexpr uint8_t kSyncAicFlag = 11;
inline constexpr uint8_t kSyncAivFlag = 12;
inline constexpr uint8_t kSyncAicAivFlag = 13;
inline constexpr uint8_t kSyncAivOnlyFlag = 14;

// What a core does at a SYNCALL: issues the instructions that it stands for. A core of a type that
// it does not join only finishes what it was given.
void sync_all(KernelPort& port, const Instruction& instruction);

}  // namespace ptosim
