// Extent of moves between on-chip memories. The hardware moves whole boxes or blocks of 32 bytes, so that elements next
// to the valid region move as well (hw-native-sys/pto-isa include/pto/npu/a5/{TMov,TExtract,TInsert}.hpp,
// include/pto/common/arch/memory/{tmov,textract}_common.hpp, include/pto/npu/a2a3/TInsert.hpp).
#pragma once

#include <cstdint>

#include "isa/core/execution.h"

namespace ptosim::semantics {

// The first elements of a move on both sides, and the number of rows and columns that are valid there.
struct MovedWindow {
    int32_t to_row = 0, to_col = 0;
    int32_t from_row = 0, from_col = 0;
    int32_t rows = 0, cols = 0;
};

// The window as the hardware moves it, as far as both tiles hold it.
MovedWindow moved_window(const Execution& e, MovedWindow valid);

// Moves from UB to L1 in runs of blocks, whose lengths and distances the tile library derives from valid regions and
// shapes: with some of them, other elements than those of the window. Returns false for any other move.
bool move_blocks_to_l1(const Execution& e, const MovedWindow& valid);

}  // namespace ptosim::semantics
