// Indexed accesses within UB and to global memory.
//
// An index outside its target is undefined unless the instruction has a policy (G07): reads then
// give 0 and writes are left out, so that no byte outside the operands is touched.
#include "isa/access.h"
#include "isa/mask_pattern.h"
#include "isa/semantics/arithmetic.h"

namespace ptosim::semantics {

namespace {

int64_t read_index(const Tile& tile, const std::byte* base, int row, int col) {
    int64_t index = 0;
    visit_integer(tile.dtype, [&](auto type) {
        index = static_cast<int64_t>(read_lane<decltype(type)>(tile, base, row, col));
    });
    return index;
}

int64_t elements_of(const Tile& tile) {
    return static_cast<int64_t>(tile.byte_size() * 8 / bits(tile.dtype));
}

// The index to use, or -1 for none.
int64_t resolve(OutOfBounds policy, int64_t index, int64_t count) {
    if (index >= 0 && index < count) return index;
    if (count <= 0) return -1;
    if (policy == OutOfBounds::kClamp) return index < 0 ? 0 : count - 1;
    if (policy == OutOfBounds::kWrap) return (index % count + count) % count;
    return -1;
}

bool has_indices(const Execution& e) {
    return e.instruction.operand_count > 2 && e.instruction.operands[2].present();
}

}  // namespace

namespace {

// What the elements of a row are compared with: one scalar, or integers in a tile, one after the
// other (profile rule "gather-thresholds").
template <typename T>
T threshold(const Execution& e, int row) {
    const Operand& value = e.instruction.operands[3];
    if (value.is_scalar()) return scalar_as<T>(value.scalar);
    T result{};
    visit_bits(value.tile.dtype, [&](auto type) {
        using Bits = decltype(type);
        const Bits bits = load<Bits>(e.bytes[3] + row * static_cast<int64_t>(sizeof(Bits)));
        if constexpr (sizeof(Bits) == sizeof(T) && sizeof(T) <= 4) {
            if constexpr (is_float_v<T>) {
                if (!is_a5(e.numerics))
                    result = round_to<T>(
                        static_cast<float>(static_cast<std::make_signed_t<Bits>>(bits)));
                else
                    result = std::bit_cast<T>(bits);
            } else {
                result = static_cast<T>(bits);
            }
        }
    });
    return result;
}

template <typename T>
bool passes(const Execution& e, T lane, T value) {
    const bool equal = e.instruction.attributes.compare == CompareMode::kEq;
    if (is_a5(e.numerics) && e.instruction.operands[3].is_tile()) {
        uint64_t a = 0, b = 0;
        std::memcpy(&a, &lane, sizeof(T));
        std::memcpy(&b, &value, sizeof(T));
        return equal ? a == b : a > b;
    }
    if constexpr (is_float_v<T>)
        return equal ? to_float(lane) == to_float(value) : to_float(lane) > to_float(value);
    else
        return equal ? lane == value : lane > value;
}

// Row i of dst = offset + column of each element of row i of src that is equal to or greater than
// the value; element i of cdst = how many there are. Further elements of dst keep what they held.
void gather_compared(const Execution& e) {
    const Tile& to = e.tile(0);
    const Tile& from = e.tile(1);
    const Attributes& modes = e.instruction.attributes;
    visit_arithmetic(from.dtype, [&](auto type) {
        using T = decltype(type);
        for (int row = 0; row < from.valid_rows; ++row) {
            int count = 0;
            const T value = threshold<T>(e, row);
            for (int col = 0; col < from.valid_cols; ++col) {
                if (!passes(e, read_lane<T>(from, e.bytes[1], row, col), value)) continue;
                if (count < to.cols)
                    write_lane(
                        to, e.bytes[0], row, count,
                        static_cast<uint32_t>(modes.index_offset) + static_cast<uint32_t>(col));
                ++count;
            }
            store(e.bytes[5] + row * int64_t{4}, static_cast<uint32_t>(count));
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
            for (int col = 0; col < whole; ++col)
                if (pattern.takes(col) && next < room)
                    store(e.bytes[0] + next++ * kSize, read_lane<T>(from, e.bytes[1], row, col));
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

namespace {

// Indices of MGATHER and MSCATTER count as unsigned (profile rule "memory-indices-unsigned").
int64_t memory_index(const Execution& e, int row, int col) {
    const Operand& indices = e.instruction.operands[2];
    if (indices.is_tile())
        return static_cast<uint32_t>(read_index(indices.tile, e.bytes[2], row, col));
    const int64_t at = indices.global.matrix_offset(row, col);
    return load<uint32_t>(e.bytes[2] + at * static_cast<int64_t>(sizeof(uint32_t)));
}

// The index of row `row`, from a row or a column of indices.
int64_t row_index(const Execution& e, int row) {
    const Operand& indices = e.instruction.operands[2];
    const int64_t lines =
        indices.is_tile() ? indices.tile.valid_rows : indices.global.matrix_rows();
    return lines == 1 ? memory_index(e, 0, row) : memory_index(e, row, 0);
}

// Calls f(row, col, offset or -1) for every lane of a tile: the element of the view that belongs
// to it. By row: lane (i, j) is element j of the view's row index(i). By element: element number
// index(i, j) of the view's bytes, and if they are fractals, of its matrix.
template <typename F>
void indexed(const Execution& e, const Tile& tile, const GlobalView& view, F&& f) {
    const Attributes& modes = e.instruction.attributes;
    const bool fractals = view.layout == GlobalLayout::kNZ;
    const int64_t rows = view.matrix_rows();
    const int64_t cols = view.matrix_cols();
    const auto limit = static_cast<int64_t>(view.span_bytes() * 8 / bits(view.dtype));
    for (int row = 0; row < tile.valid_rows; ++row) {
        const int64_t line =
            modes.by_element ? 0 : resolve(modes.out_of_bounds, row_index(e, row), rows);
        for (int col = 0; col < tile.valid_cols; ++col) {
            int64_t offset = -1;
            if (modes.by_element) {
                offset = resolve(modes.out_of_bounds, memory_index(e, row, col), view.elements());
                if (fractals && offset >= 0)
                    offset = view.matrix_offset(offset / cols, offset % cols);
            } else if (line >= 0) {
                offset = fractals ? view.matrix_offset(line, col)
                                  : line * view.stride[3] + col * view.stride[4];
            }
            f(row, col, offset < limit ? offset : -1);
        }
    }
}

}  // namespace

// dst = the rows or elements of a view that the indices name.
void MGATHER(const Execution& e) {
    const Tile& to = e.tile(0);
    if (gather_clears(e.instruction)) std::memset(e.bytes[0], 0, to.byte_size());
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        indexed(e, to, e.global(1), [&](int row, int col, int64_t offset) {
            write_lane(
                to, e.bytes[0], row, col,
                offset < 0 ? T{0} : load<T>(e.bytes[1] + offset * static_cast<int64_t>(sizeof(T))));
        });
    });
}

namespace {

template <typename T, typename F>
void scatter_to_memory(const Execution& e, F&& f) {
    indexed(e, e.tile(1), e.global(0), [&](int row, int col, int64_t offset) {
        if (offset < 0) return;
        std::byte* const target = e.bytes[0] + offset * static_cast<int64_t>(sizeof(T));
        store(target, f(target, read_lane<T>(e.tile(1), e.bytes[1], row, col)));
    });
}

}  // namespace

// The rows or elements of a view that the indices name = src, or combined with it; in row-major
// order, so that the last of equal indices wins.
void MSCATTER(const Execution& e) {
    const AtomicMode mode = e.instruction.attributes.atomic;
    if (mode == AtomicMode::kNone) {  // bits are stored as they are
        visit_bits(e.tile(1).dtype, [&](auto type) {
            using T = decltype(type);
            scatter_to_memory<T>(e, [](const std::byte*, T value) { return value; });
        });
        return;
    }
    visit_arithmetic(e.global(0).dtype, [&](auto type) {
        using T = decltype(type);
        scatter_to_memory<T>(e, [&](const std::byte* target, T value) {
            return combine(mode, load<T>(target), value);
        });
    });
}

}  // namespace ptosim::semantics
