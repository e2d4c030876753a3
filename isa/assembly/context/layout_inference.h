// Infers the layout of a tensor view that does not give it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/core/global_view.h"

namespace ptosim::assembly {

struct InferredLayout {
    GlobalLayout layout = GlobalLayout::kND;
    // For this shape, row form and column form are the same bytes ([R, 1] without gaps), or it may be column blocks of
    // 32 bytes ([C1, 1, R, 1, C0]) as well as rows; the UB tile that a load or a store names decides.
    bool ambiguous = false;
};

// From a shape and strides that are all known, right-aligned to five dimensions. NZ: dimension 2
// is 16, dimensions 2 and 3 make a box of 512 bytes, dimension 4 is contiguous and dimension 3
// follows it. Otherwise the last two dimensions decide: DN if they are dense by columns, else ND;
// where both hold, DN for [R, 1] and ND for [1, C]
// (hw-native-sys/PTOAS lib/PTO/Transforms/InferPTOLayout.cpp).
InferredLayout infer_layout(const GlobalView& view);

// "nd", "dn", "nz", "mx_a_zz" ...
std::optional<GlobalLayout> parse_layout(std::string_view word);

}  // namespace ptosim::assembly
