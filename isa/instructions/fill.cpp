// Fills: one value everywhere, or a count.
#include "isa/instructions/assembler_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/walks.h"

namespace ptosim::semantics {

// Fills the valid region (UB) or the whole tile's valid region (L1) with the scalar's bits.
void TEXPANDS(const Execution& e) {
    const Tile& to = e.tile(0);
    const size_t width = bytes(to.dtype, 1);
    const uint64_t value = scalar_bits(e.scalar(1), to.dtype);
    alignas(64) std::byte lanes[kChunk * kMostBytes];
    repeat_lane(reinterpret_cast<const std::byte*>(&value), width, kChunk, lanes);
    for_chunks(to.valid_rows, to.valid_cols, dense(to),
               [&](int row, int col, int count) { write_line(to, e.bytes[0], row, col, count, width, lanes); });
}

// dst(0, j) = start + j, or start - j if descending: integers wrap, floats are rounded once.
void TCI(const Execution& e) {
    const Tile& to = e.tile(0);
    visit_arithmetic(to.dtype, [&](auto type) {
        using T = decltype(type);
        const T start = scalar_as<T>(e.scalar(1));
        const bool down = e.instruction.attributes.descending;
        for (int col = 0; col < to.valid_cols; ++col) {
            if constexpr (is_float_v<T>) {
                const auto step = static_cast<float>(down ? -col : col);
                write_lane(to, e.bytes[0], 0, col, round_to<T>(add(to_float(start), step)));
            } else {
                const T step = static_cast<T>(col);
                write_lane(to, e.bytes[0], 0, col,
                           down ? sub_lane(start, step) : add_lane(start, step));
            }
        }
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// hw-native-sys/pto-isa docs/isa/TCI.md: "tmp".
uint64_t scratch_of_count(const Instruction& instruction) {
    return bits(instruction.tile(0).dtype) == 16 ? 1792 : 768;
}

// Every vector of dst is made from the ramp that scratch holds (include/pto/npu/a2a3/TCI.hpp).
constexpr std::array kOverScratch{EarlyWrite{0, 2}};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rules {

namespace {

bool check_one_row(const Instruction& instruction, const InstructionInfo& row, Arch,
                   Problem& problem) {
    if (instruction.tile(0).rows == 1) return true;
    return fail(problem, "S13", 0,
                operand_text(row, 0) + " has " + std::to_string(instruction.tile(0).rows) +
                    " rows; " + std::string(row.name) + " fills one row");
}

constexpr LegalityRule one_row{"one_row", "S13", "the destination has one row", &check_one_row};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {

namespace {

constexpr int64_t ramp_words(DType dtype) { return bits(dtype) == 16 ? 448 : 192; }

constexpr AssemblerScratch kRampScratch{
    .made = [](const Instruction& i) -> std::optional<Tile> {
        if (!is_integer(i.tile(0).dtype)) return std::nullopt;
        return full_scratch_tile(1, ramp_words(i.tile(0).dtype), DType::kF32);
    },
    .lacks =
        [](const ScratchUse& use) { return needs_bytes(use, 4 * ramp_words(use.dst->dtype)); }};

void fill_form(const WrittenOperation& op) {
    require_scalar_of(op, "scalar", "dst");
    const Tile* dst = op.tile("dst");
    if (!op.for_a5() && dst != nullptr && dst->space == Space::kUB) require_row_major(op, "dst");
}

void ramp_form(const WrittenOperation& op) { require_scalar_of(op, "start", "dst"); }

}  // namespace

#include "isa/instructions/fill.def"
}  // namespace ptosim::rows
