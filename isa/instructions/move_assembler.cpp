// What the assembler requires of moves (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

namespace {

// Exponents of groups into row-major boxes in row-major order (ZZ): a move with a third tile that
// is no table of scales.
void exponents_form(const WrittenOperation& op, const Tile& tmp) {
    op.require(op.arch.block_scales, "P01", "to ZZ exists on a5 only");
    op.require(!op.has_results(), "K06", "to ZZ has no results");
    op.require(!op.given("preQuantScalar") && !op.has_attribute("accToVecMode") &&
                   op.instruction.attributes.relu == ReluMode::kNone,
               "K09", "to ZZ has no preQuantScalar, accToVecMode or reluPreMode");
    const Tile *src = op.tile("src"), *dst = op.tile("dst");
    if (src == nullptr || dst == nullptr) return;
    for (const Tile* tile : {src, dst, &tmp})
        op.require(tile->space == Space::kUB, "L01", "to ZZ takes tiles in vec");
    op.require(!op.same_value("src", "dst") && !op.same_value("src", "tmp") &&
                   !op.same_value("dst", "tmp"),
               "A07", "to ZZ takes three different tiles");
    for (const char* name : {"src", "dst"})
        op.require(op.is_static(name), "S09",
                   "to ZZ needs the shape of '" + std::string(name) + "'");
    op.require(src->dtype == dst->dtype && src->dtype == tmp.dtype, "T01",
               "to ZZ takes tiles of one element type");
    op.require(src->dtype == DType::kU8 || src->dtype == DType::kHIF8 || src->dtype == DType::kE8M0,
               "T03",
               "to ZZ takes elements of u8, hif8 or e8m0, not " + std::string(name(src->dtype)));
    op.require(is_row_major(*src), "L02", "to ZZ takes a row-major src without boxes");
    op.require(dst->outer == OuterLayout::kRowMajor && dst->inner == InnerLayout::kRowMajor, "L02",
               "to ZZ makes row-major boxes in row-major order");
    op.require(valid_elements(*src) == valid_elements(*dst), "S09",
               "to ZZ keeps the number of elements");
    if (op.instruction.attributes.group_rows) {
        op.require(src->valid_rows >= 2 && src->valid_rows % 2 == 0, "S09",
                   "to ZZ along axis0 takes an even number of valid rows");
        op.require(src->valid_cols % 16 == 0, "S09",
                   "to ZZ along axis0 takes a multiple of 16 valid columns");
        op.require(src->cols == src->valid_cols, "S09",
                   "to ZZ along axis0 takes a src without unused columns");
        return;
    }
    op.require(dst->valid_cols % 2 == 0, "S09", "to ZZ makes an even number of valid columns");
    op.require(src->valid_rows == 1 || src->cols == src->valid_cols, "S09",
               "to ZZ takes a src whose valid elements follow each other");
    const int64_t needed = round_up(dst->valid_rows, 16) * dst->valid_cols;
    op.require(packed_bytes(*src) >= needed && packed_bytes(*dst) >= needed, "S09",
               "to ZZ needs " + std::to_string(needed) +
                   " bytes in src and dst, the rows rounded up to whole boxes");
    const int64_t scratch = 64 + ceil_div(dst->valid_rows, 16) * dst->valid_cols;
    op.require(packed_bytes(tmp) >= scratch, "S16",
               "to ZZ needs " + std::to_string(scratch) + " bytes of tmp");
}

}  // namespace

void move_form(const WrittenOperation& op) {
    if (const Tile* tmp = op.tile("tmp")) return exponents_form(op, *tmp);
    op.require(!op.has_attribute("grpAxis"), "K09", "has grpAxis only with a scratch tile, to ZZ");
}

}  // namespace ptosim::rows
