#include "isa/assembly/context/layout_inference.h"

namespace ptosim::assembly {

namespace {

// True if the lines of a matrix (`count` of them, `pitch` apart, `extent` elements each, `gap` apart) lie one after the
// other. Lines or elements that there is only one of do not matter.
bool dense(int64_t count, int64_t pitch, int64_t extent, int64_t gap) {
    if (extent != 1 && gap != 1) return false;
    if (count == 1) return true;
    return pitch == extent;
}

}  // namespace

InferredLayout infer_layout(const GlobalView& view) {
    const auto& shape = view.shape;
    const auto& stride = view.stride;
    const int64_t box_bits = int64_t{shape[2]} * shape[3] * bits(view.dtype);
    if (shape[2] == 16 && box_bits == 512 * 8 && stride[4] == 1 && stride[3] == shape[4])
        return {GlobalLayout::kNZ, false};

    // Column blocks of 32 bytes, each dense: NZ, if the tile is NZ.
    const bool blocks = shape[4] * int64_t{bits(view.dtype)} == 32 * 8 && stride[4] == 1 &&
                        (shape[3] == 1 || stride[3] == shape[4]) &&
                        stride[2] == int64_t{shape[3]} * shape[4] && shape[0] * shape[1] > 1;
    if (blocks) return {GlobalLayout::kND, true};

    const bool by_rows = dense(shape[3], stride[3], shape[4], stride[4]);
    const bool by_cols = dense(shape[4], stride[4], shape[3], stride[3]);
    if (by_rows && by_cols) {
        const bool column = shape[4] == 1 && shape[3] != 1;
        return {column ? GlobalLayout::kDN : GlobalLayout::kND, shape[4] == 1};
    }
    // Columns that lie apart, with rows next to each other, are a part of a DN matrix.
    const bool part_by_cols = stride[3] == 1 && stride[4] >= shape[3] && stride[4] != 1;
    return {by_cols || (!by_rows && part_by_cols) ? GlobalLayout::kDN : GlobalLayout::kND, false};
}

std::optional<GlobalLayout> parse_layout(std::string_view word) {
    return parse_global_layout(word);
}

}  // namespace ptosim::assembly
