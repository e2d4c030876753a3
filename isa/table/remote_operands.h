// Operands in memories of other cores (a5): the fixpipe writes UB of the cluster's vector cores (so does MTE1 from L1),
// and a vector core writes L1 of the cluster's cube core. The memory determines the core type; acc_to_vec of the
// instruction selects the vector core.
#pragma once

#include <array>

#include "isa/core/instruction.h"

namespace ptosim {

// Cores of a cluster, as a set.
enum ClusterCores : uint8_t { kOwnCore = 0, kRemoteAic = 1, kRemoteAiv0 = 2, kRemoteAiv1 = 4 };

// The core in whose memory a tile operand lies; kOwnCore for the core that executes the instruction.
uint8_t remote_cores_of(const Instruction& instruction, unsigned operand);
// True if a move out of L0C goes to both vector cores, half to each.
bool is_dual_move(const Instruction& instruction);
// The dimension that it halves: valid rows or columns; whole boxes between boxed tiles.
int32_t dual_extent(const Instruction& dual);
// Its two halves, as moves to one vector core each.
std::array<Instruction, 2> split_dual_destination(const Instruction& dual);

}  // namespace ptosim
