// Gathers and scatters within UB.
//
// An index outside its target is undefined unless the instruction has a policy (G07): reads then
// give 0 and writes are left out, so that no byte outside the operands is touched.
#include "isa/instructions/gather_rules.h"
#include "isa/instructions/mask_pattern.h"
#include "isa/instructions/row.h"
#include "isa/semantics/indices.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"

namespace ptosim::semantics {

namespace {

bool has_indices(const Execution& e) {
    return e.instruction.operand_count > 2 && e.instruction.operands[2].present();
}

// The elements of a row are compared with one scalar, or with consecutive integers in a tile (profile rules
// "gather-thresholds", "-a5").
template <typename T>
bool passes(const Execution& e, T lane, int row) {
    const bool equal = e.instruction.attributes.compare == CompareMode::kEq;
    const auto compare = [equal](auto a, auto b) { return equal ? a == b : a > b; };
    const Operand& value = e.instruction.operands[3];
    if (value.is_scalar()) {
        const T threshold = scalar_as<T>(value.scalar);
        if constexpr (is_float_v<T>)
            return compare(to_float(lane), to_float(threshold));
        else
            return compare(lane, threshold);
    }
    bool result = false;
    visit_bits(value.tile.dtype, [&](auto type) {
        using Bits = decltype(type);
        using Signed = std::make_signed_t<Bits>;
        const Bits bits = load<Bits>(e.bytes[3] + row * static_cast<int64_t>(sizeof(Bits)));
        if constexpr (is_float_v<T>) {
            if (is_a5(e.numerics) && sizeof(T) == 4)
                result = compare(
                    static_cast<uint32_t>(convert<DType::kI32, DType::kF32>(to_float(lane))),
                    static_cast<uint32_t>(bits));
            else
                result =
                    compare(to_float(lane),
                            to_float(round_to<T>(static_cast<float>(static_cast<Signed>(bits)))));
        } else if (is_a5(e.numerics)) {
            result = compare(uint64_t{static_cast<std::make_unsigned_t<T>>(lane)}, uint64_t{bits});
        } else {
            result = compare(static_cast<int64_t>(lane),
                             static_cast<int64_t>(static_cast<Signed>(bits)));
        }
    });
    return result;
}

// Distance of the index of a row's first element from that of the previous row (profile rules "gather-compare-index",
// "-a5").
uint32_t index_step(const Execution& e) {
    const Tile& from = e.tile(1);
    if (!is_a5(e.numerics)) return static_cast<uint32_t>(from.pitch);
    const int step = bits(from.dtype) == 8 ? 128 : 64;
    return static_cast<uint32_t>((from.valid_cols + step - 1) / step * step);
}

// An element of cdst counts indices; on a5 their bytes, as the register does that it is copied from (profile rule
// "gather-count-a5").
uint32_t count_unit(const Execution& e) { return is_a5(e.numerics) ? 4 : 1; }

// Row i of dst = the index of each element of row i of src that is equal to or greater than the value; element i of
// cdst = the number of them. Further elements of dst keep their values.
void gather_compared(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    uint32_t first = static_cast<uint32_t>(e.instruction.attributes.index_offset);
    visit_arithmetic(from.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < from.valid_rows; ++row, first += index_step(e)) {
            int count = 0;
            for (int col = 0; col < from.valid_cols; ++col) {
                if (!passes(e, read_lane<T>(from, e.bytes[1], row, col), row)) continue;
                if (count < to.cols)
                    write_lane(to, e.bytes[0], row, count, first + static_cast<uint32_t>(col));
                ++count;
            }
            store(e.bytes[5] + row * int64_t{4}, static_cast<uint32_t>(count) * count_unit(e));
        }
    });
}

}  // namespace

// With indices: dst(i, j) = the element of src at offset indices(i, j) from its address. With a
// value: where elements compare with it. With a mask pattern: the selected columns of all rows of
// src, one after the other; with axis col, the selected rows (hw-native-sys/pto-isa
// docs/isa/TGATHER.md, include/pto/npu/a5/TGather.hpp).
void TGATHER(const Execution& e) {
    if (e.instruction.operands[3].present()) return gather_compared(e);
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const int64_t count = elements_of(from);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        constexpr auto kSize = static_cast<int64_t>(sizeof(T));
        if (has_indices(e)) {
            for (int row = 0; row < to.valid_rows; ++row)
                for (int col = 0; col < to.valid_cols; ++col) {
                    const int64_t index = read_index(e.tile(2), e.bytes[2], row, col);
                    const bool inside = index >= 0 && index < count;
                    write_lane(to, e.bytes[0], row, col,
                               inside ? load<T>(e.bytes[1] + index * kSize) : T{0});
                }
            return;
        }
        const MaskPattern pattern{e.instruction.attributes.mask_pattern};
        if (e.instruction.attributes.along_rows) {
            int next = 0;
            for (int row = 0; row < from.rows && next < to.valid_rows; ++row) {
                if (!pattern.takes(row)) continue;
                for (int col = 0; col < std::min(to.valid_cols, from.valid_cols); ++col)
                    write_lane(to, e.bytes[0], next, col, read_lane<T>(from, e.bytes[1], row, col));
                ++next;
            }
            return;
        }
        int64_t next = 0;
        const int64_t room = elements_of(to);
        const bool by_rows = is_a5(e.numerics) && kSize == 8;  // rule wide-gather-by-rows
        const int whole =
            by_rows ? from.valid_cols / pattern.period * pattern.period : from.valid_cols;
        for (int row = 0; row < from.valid_rows; ++row) {
            if (by_rows) next = int64_t{row} * (to.cols / pattern.period);
            const int64_t taken = std::min<int64_t>(pattern.count(whole), room - next);
            if (taken <= 0) continue;
            std::byte* const lanes = e.bytes[0] + next * kSize;
            if (contiguous_rows(from)) {
                const std::byte* const first = e.bytes[1] + from.index(row, pattern.first) * kSize;
                for (int64_t i = 0; i < taken; ++i)
                    store(lanes + i * kSize, load<T>(first + i * pattern.period * kSize));
            } else {
                for (int64_t i = 0; i < taken; ++i) {
                    const auto col = static_cast<int>(pattern.first + i * pattern.period);
                    store(lanes + i * kSize, read_lane<T>(from, e.bytes[1], row, col));
                }
            }
            next += taken;
        }
    });
}

// Blocks of 32 bytes: block k of row i of dst = the 32 bytes of src at byte offset offset(i, k).
void TGATHERB(const Execution& e) {
    constexpr int64_t kBlock = 32;
    const Tile& to = e.tile(0);
    const int lanes = static_cast<int>(kBlock * 8 / bits(to.dtype));
    const auto limit = static_cast<int64_t>(e.tile(1).byte_size());
    for (int row = 0; row < to.valid_rows; ++row)
        for (int block = 0; block < to.valid_cols / lanes; ++block) {
            const int64_t offset = read_index(e.tile(2), e.bytes[2], row, block);
            if (offset < 0 || offset + kBlock > limit) continue;
            std::memmove(e.bytes[0] + to.index(row, block * lanes) * bits(to.dtype) / 8,
                         e.bytes[1] + offset, kBlock);
        }
}

// With indices: the element of dst at offset indices(i, j) = src(i, j), in row-major order, so
// that the last writer of an element wins. With a mask pattern: the selected columns of each row
// of dst take the columns of src in turn, the others 0; with axis col, rows do.
void TSCATTER(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        constexpr auto kSize = static_cast<int64_t>(sizeof(T));
        if (has_indices(e)) {
            const Tile& indices = e.tile(2);
            const int64_t count = elements_of(to);
            if (e.numerics != Numerics::kIEEE)  // profile rules "tscatter-clears", "-a5"
                std::memset(e.bytes[0], 0, to.byte_size());
            for (int row = 0; row < indices.valid_rows; ++row)
                for (int col = 0; col < indices.valid_cols; ++col) {
                    const int64_t index = read_index(indices, e.bytes[2], row, col);
                    if (index >= 0 && index < count)
                        store(e.bytes[0] + index * kSize, read_lane<T>(from, e.bytes[1], row, col));
                }
            return;
        }
        const MaskPattern pattern{e.instruction.attributes.mask_pattern};
        if (e.instruction.attributes.along_rows) {
            int next = 0;
            for (int row = 0; row < to.valid_rows; ++row) {
                const bool taken = pattern.takes(row) && next < from.valid_rows;
                for (int col = 0; col < to.valid_cols; ++col)
                    write_lane(to, e.bytes[0], row, col,
                               taken && col < from.valid_cols
                                   ? read_lane<T>(from, e.bytes[1], next, col)
                                   : T{0});
                next += taken ? 1 : 0;
            }
            return;
        }
        for (int row = 0; row < to.valid_rows; ++row) {
            int next = 0;
            for (int col = 0; col < to.valid_cols; ++col) {
                T value{0};
                if (pattern.takes(col) && next < from.valid_cols)
                    value = read_lane<T>(from, e.bytes[1], row, next++);
                write_lane(to, e.bytes[0], row, col, value);
            }
        }
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// A gather by indices of 32-bit elements keeps byte offsets in dst, any other in its scratch
// (hw-native-sys/pto-isa docs/isa/TGATHER.md, "Temporary tile").
bool gathers_words(const Instruction& instruction, Arch) {
    return instruction.operands[2].is_tile() && bits(instruction.tile(0).dtype) == 32;
}

// Byte offsets of 32 bits in rows of dst; the rows of the scratch tile do not matter (include/pto/npu/a2a3/TGather.hpp,
// TGather).
uint64_t scratch_of_gather(const Instruction& instruction) {
    const Tile& dst = instruction.tile(0);
    if (!instruction.operands[2].is_tile() || bits(dst.dtype) != 16 || dst.valid_rows == 0) return 0;
    return 4 * static_cast<uint64_t>(int64_t{dst.valid_rows - 1} * dst.cols + dst.valid_cols);
}

// The elements that indices name may lie anywhere (include/pto/npu/a2a3/TGather.hpp).
bool gathers_by_index(const Instruction& instruction) { return instruction.operands[2].is_tile(); }
constexpr std::array kGatherWrites{EarlyWrite{0, 1, EarlyWrite::Unless::kNever, gathers_by_index}};

// A mask pattern along rows stores the chosen elements contiguously; 64-bit elements possibly row by row (profile rule
// wide-gather-by-rows).
bool packs_lanes(const Instruction& instruction, unsigned operand) {
    if (operand != 0 || instruction.attributes.along_rows) return false;
    for (unsigned i = 2; i < instruction.operand_count; ++i)
        if (instruction.operands[i].present()) return false;
    return true;
}

TouchedTiles touched_by_gather(const Instruction& instruction, unsigned operand) {
    Tile tile = instruction.tile(operand);
    if (!packs_lanes(instruction, operand)) return {{tile}, 1};
    const Tile& from = instruction.tile(1);
    const MaskPattern pattern{instruction.attributes.mask_pattern};
    const int taken = pattern.count(from.valid_cols);
    const int by_rows = (from.valid_rows - 1) * (tile.cols / pattern.period) + taken;
    const int most = bits(tile.dtype) == 64 ? std::max(from.valid_rows * taken, by_rows)
                                            : from.valid_rows * taken;
    return {{run_of(tile, std::min(most, tile.rows * tile.pitch))}, 1};
}

void check_gather(UndefinedCheck& check) {
    const Execution& e = check.execution();
    if (e.instruction.operands[2].is_tile()) check.index(2, elements_of(e.tile(1)), "elements");
}
void check_scatter(UndefinedCheck& check) {
    const Execution& e = check.execution();
    if (e.instruction.operands[2].is_tile()) check.index(2, elements_of(e.tile(0)), "elements");
}
void check_byte_offsets(UndefinedCheck& check) {
    const auto room = static_cast<int64_t>(check.execution().tile(1).byte_size());
    check.index(2, room - 31, "bytes");
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/gather.def"
}  // namespace ptosim::rows
