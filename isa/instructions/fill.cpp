// Fills: one value everywhere, or a count.
#include "isa/instructions/row.h"
#include "isa/semantics/elementwise.h"

namespace ptosim::semantics {

// Fills the valid region (UB) or the whole tile's valid region (L1) with the scalar's bits.
void TEXPANDS(const Execution& e) {
    const Tile& to = e.tile(0);
    visit_arithmetic(to.dtype, [&](auto type) {
        using T = decltype(type);
        const T value = scalar_as<T>(e.scalar(1));
        alignas(64) T out[kChunk];
        std::fill(out, out + kChunk, value);
        for_chunks(to.valid_rows, to.valid_cols, dense(to), [&](int row, int col, int count) {
            write_lanes(to, e.bytes[0], row, col, count, out);
        });
    });
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

// ---- what its rows name ----------------------------------------------------------------------

namespace {

// hw-native-sys/pto-isa docs/isa/TCI.md: "tmp".
uint64_t scratch_of_count(const Instruction& instruction) {
    return bits(instruction.tile(0).dtype) == 16 ? 1792 : 768;
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/fill.def"
}  // namespace ptosim::rows
