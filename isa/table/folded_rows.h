// Shapes of f32 tiles whose row sums, maxima and minima a2a3 makes by folding blocks of eight
// (trait folds_rows_by_blocks; hw-native-sys/pto-isa include/pto/npu/a2a3/TRowReduceOps.hpp).
#pragma once

#include <array>
#include <string_view>

namespace ptosim {

// Each step is one instruction over all rows: g makes one element of each block of eight, h eight
// of each sixteen.
struct FoldedRows {
    int rows, cols;
    std::string_view steps;
};
inline constexpr std::array kFoldedRows{FoldedRows{64, 128, "ghg"}, FoldedRows{32, 256, "ghhg"},
                                        FoldedRows{16, 512, "ggg"}, FoldedRows{8, 1024, "gghg"}};

}  // namespace ptosim
