// Legality rules of fused operations, and the assembler's requirements on them.
#include "isa/instructions/fused_rules.h"

#include <algorithm>

#include "isa/instructions/assembler_rules.h"
#include "isa/legality/legality.h"

namespace ptosim::rules {

using enum DType;

namespace {

bool check_axpy_types(const Instruction& instruction, const InstructionInfo& row, Arch,
                      Problem& problem) {
    const DType dst = instruction.tile(0).dtype;
    const DType src = instruction.tile(1).dtype;
    if (dst == src || (dst == kF32 && src == kF16)) return true;
    return wrong_type(problem, row, "T01", 1, src,
                      dst == kF32 ? DTypeSet{kF32, kF16} : DTypeSet{dst});
}

}  // namespace

const LegalityRule axpy_types{"axpy_types", "T01", "src has the type of dst, or is f16 with a dst of f32",
                              &check_axpy_types};

namespace {

// hw-native-sys/pto-isa include/pto/npu/a2a3/TAddReluConv.hpp.
bool check_relu_conversion(const Instruction& instruction, const InstructionInfo& row, Arch,
                           Problem& problem) {
    const DType src = instruction.tile(1).dtype;
    if (instruction.tile(2).dtype != src)
        return wrong_type(problem, row, "T01", 2, instruction.tile(2).dtype, {src});
    const DType to = src == kF32 ? kF16 : kI8;
    if (instruction.tile(0).dtype == to) return true;
    return wrong_type(problem, row, "T04", 0, instruction.tile(0).dtype, {to});
}

}  // namespace

const LegalityRule relu_conversion{"relu_conversion", "T01 T04",
                                   "sources agree; f32 becomes f16, f16 and i16 become i8",
                                   &check_relu_conversion};

namespace {

bool check_dequantised_sum(const Instruction& instruction, const InstructionInfo& row, Arch,
                           Problem& problem) {
    if (instruction.tile(2).dtype != kI32)
        return wrong_type(problem, row, "T01", 2, instruction.tile(2).dtype, {kI32});
    if (instruction.tile(0).dtype == kF16) return true;
    return wrong_type(problem, row, "T04", 0, instruction.tile(0).dtype, {kF16});
}

}  // namespace

const LegalityRule dequantised_sum{"dequantised_sum", "T01 T04", "sources are i32, dst is f16",
                                   &check_dequantised_sum};

namespace {

bool check_pair_sum_shapes(const Instruction& instruction, const InstructionInfo& row, Arch,
                           Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (dst.valid_rows == src.valid_rows && dst.valid_cols >= src.valid_cols / 2) return true;
    return wrong_valid(problem, row, "S06", 0, dst, shape_text(src.valid_rows, src.valid_cols / 2));
}

}  // namespace

const LegalityRule pair_sum_shapes{"pair_sum_shapes", "S06",
                                   "dst has the rows and half of the columns of src",
                                   &check_pair_sum_shapes};

}  // namespace ptosim::rules

namespace ptosim::rows {

// The tile library has it on a5, too.
void leaky_form(const WrittenOperation& op) {
    if (op.for_a5() && op.given("scalar"))
        op.require(op.type("scalar").dtype == DType::kF32, "T02", "takes a slope of f32 on a5");
}

void axpy_form(const WrittenOperation& op) {
    require_scalar_of(op, "scalar", "src");
    require_same_shape(op, "src", "dst");
}

void add_relu_form(const WrittenOperation& op) {
    op.require(!op.for_a5(), "P01", "exists on a2a3 only");
}

const AssemblerScratch kPreluScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        const int64_t rows = rows_of(i.tile(0)), cols = ceil_div(cols_of(i.tile(0)), 8);
        return scratch_tile(rows + 1, std::max<int64_t>(32, round_up(cols, 32)), DType::kU8, rows,
                            cols);
    },
    .lacks = [](const ScratchUse& use) -> std::string {
        const int64_t rows = use.dst->valid_rows + int64_t{1};
        const int64_t cols = ceil_div(use.dst->valid_cols, 8);
        if (use.tmp->rows < rows) return needs_at_least(true, rows, "rows");
        return needs_at_least(use.tmp->valid_cols < cols, cols, "valid columns");
    }};

}  // namespace ptosim::rows
