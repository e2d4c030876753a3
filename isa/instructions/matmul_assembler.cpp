// What the assembler requires of products with scales (MX) (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"
#include "isa/legality.h"
namespace ptosim::rows {

void product_mx_form(const WrittenOperation& op) {
    op.require(op.arch.block_scales, "P01", "exists on a5 only");
    const Tile *a = op.tile("a"), *b = op.tile("b"), *left = op.tile("a_scale"),
               *right = op.tile("b_scale");
    if (!a || !b || !left || !right) return;
    const auto is_fp4 = [](const Tile& tile) { return bits(tile.dtype) == 4; };
    const auto is_fp8 = [](const Tile& tile) {
        return tile.dtype == DType::kE4M3 || tile.dtype == DType::kE5M2;
    };
    for (const char* name : {"a", "b"}) {
        const std::string_view text = op.type(name).text;
        const size_t at = text.find("f8E4M3");
        op.require(at == text.npos || text.substr(at + 6).starts_with("FN"), "T10",
                   "takes f8E4M3FN, not f8E4M3");
    }
    op.require((is_fp4(*a) && is_fp4(*b)) || (is_fp8(*a) && is_fp8(*b)), "T10",
               "multiplies two 8-bit or two 4-bit floats, not " + std::string(name(a->dtype)) +
                   " and " + std::string(name(b->dtype)));
    op.require(a->valid_cols == b->valid_rows || !op.is_static("a") || !op.is_static("b"), "S08",
               "takes a factor of " + std::to_string(a->valid_cols) + " columns and one of " +
                   std::to_string(b->valid_rows) + " rows");
    op.require(a->cols > 0 && a->cols % 64 == 0, "S09",
               "needs a multiple of 64 along k, not " + std::to_string(a->cols));
    const int64_t groups = ceil_div(a->valid_cols, 32);
    op.require(!op.is_static("a") || !op.is_static("a_scale") ||
                   (left->valid_rows == a->valid_rows && left->valid_cols == groups),
               "S09", "needs a_scale of " + rules::shape_text(a->valid_rows, groups));
    op.require(!op.is_static("b") || !op.is_static("b_scale") ||
                   (right->valid_rows == groups && right->valid_cols == b->valid_cols),
               "S09", "needs b_scale of " + rules::shape_text(groups, b->valid_cols));
}

}  // namespace ptosim::rows
