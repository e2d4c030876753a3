// What the assembler requires of transfers and TPRINT (isa/assembler_rules.h).
#include "isa/instructions/assembler_rules.h"

namespace ptosim::rows {

void load_form(const WrittenOperation& op) {
    const Tile* tile = op.tile("dst");
    if (tile == nullptr) return;
    const bool nz = tile->outer == OuterLayout::kColMajor && tile->inner == InnerLayout::kRowMajor;
    op.require(!op.for_a5() || tile->space != Space::kUB || !tile->boxed() || nz, "L03",
               "fills tiles in vec that are ND, DN or NZ on a5");
}

void store_form(const WrittenOperation& op) {
    const Tile* tile = op.tile("src");
    if (tile == nullptr) return;
    const bool a5 = op.for_a5(), accumulator = tile->space == Space::kL0C;
    op.require(!a5 || tile->space == Space::kUB || accumulator, "L01",
               "stores tiles in vec or acc on a5");
    op.require(!a5 || !accumulator || tile->dtype == DType::kF32 || tile->dtype == DType::kI32,
               "T03", "stores accumulators of f32 or i32, not " + std::string(name(tile->dtype)));
    if (!op.given("dst")) return;
    const WrittenType view = op.type("dst");
    const bool scaled = op.given("fp") || op.given("preQuantScalar");
    op.require(!a5 || !accumulator || !scaled || view.dtype != DType::kE5M2, "T04",
               "makes no e5m2 of an accumulator with a scale");
    int64_t count = 1;
    for (const int64_t extent : view.dims) {
        if (extent <= 0) return;
        count *= std::min<int64_t>(extent, INT32_MAX);
    }
    const bool open = !op.is_static("src") || valid_elements(*tile) == 0 || op.given("fp");
    op.require(open || count == valid_elements(*tile), "S04",
               "stores " + std::to_string(valid_elements(*tile)) +
                   " valid elements into a view of " + std::to_string(count));
}

void print_form(const WrittenOperation& op) {
    op.require(!op.given("tmp") || op.tile("src") != nullptr, "T00",
               "takes a tmp only with a tile");
}

}  // namespace ptosim::rows
