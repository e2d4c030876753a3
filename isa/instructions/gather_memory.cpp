// Gathers and scatters between a tile and global memory.
//
// An index outside its target is undefined unless the instruction has a policy (G07): reads then
// give 0 and writes are left out, so that no byte outside the operands is touched.
#include <cstring>

#include "isa/instructions/gather_memory_rules.h"
#include "isa/instructions/row.h"
#include "isa/semantics/indices.h"
#include "isa/semantics/tile_regions.h"
#include "isa/semantics/undefined_behaviour.h"
#include "isa/table/access.h"

namespace ptosim::semantics {

namespace {

// Profile rule "gather-clears".
bool gather_clears(const Instruction& instruction) {
    const Attributes& modes = instruction.attributes;
    const bool zero = modes.out_of_bounds == OutOfBounds::kZero;
    const Tile& to = instruction.tile(0);
    Tile dense = to;
    set_dense_pitch(dense);
    if (dense.pitch != to.pitch) return false;
    return to.space == Space::kL1 ? modes.by_element || zero
                                  : to.boxed() && zero && !modes.by_element;
}

// The index to use, or -1 for none.
int64_t resolve(OutOfBounds policy, int64_t index, int64_t count) {
    if (index >= 0 && index < count) return index;
    if (count <= 0) return -1;
    if (policy == OutOfBounds::kClamp) return index < 0 ? 0 : count - 1;
    if (policy == OutOfBounds::kWrap) return (index % count + count) % count;
    return -1;
}

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

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// True if a gather makes all of its tile 0 first: profile rule "gather-clears".
bool clears(const Instruction& instruction, unsigned operand) {
    return operand == 0 && gather_clears(instruction);
}

// Row after row arrives while the scalar unit reads the next index (hw-native-sys/pto-isa
// include/pto/npu/a2a3/MGather.hpp).
constexpr std::array kOverIndices{EarlyWrite{0, 2}};

TouchedTiles touched_by_mgather(const Instruction& instruction, unsigned operand) {
    const Tile& tile = instruction.tile(operand);
    return {{clears(instruction, operand) ? whole_of(tile) : tile}, 1};
}

void check_indices(UndefinedCheck& check, const GlobalView& view) {
    const Attributes& modes = check.execution().instruction.attributes;
    if (modes.out_of_bounds != OutOfBounds::kUndefined) return;
    check.index(2, modes.by_element ? view.elements() : view.matrix_rows(),
                modes.by_element ? "elements" : "rows");
}
void check_mgather(UndefinedCheck& check) { check_indices(check, check.execution().global(1)); }
void check_mscatter(UndefinedCheck& check) { check_indices(check, check.execution().global(0)); }

// The indices of gathers of rows on a2a3.
bool rows_by_scalar_unit(const Instruction& instruction, unsigned operand, Arch arch) {
    return !traits_of(arch).gather_threads && operand == 2 && !instruction.attributes.by_element &&
           instruction.operands[0].tile.space == Space::kUB;
}

// Rows go over the pipe that comes last here, in its order; elements, over the scalar unit
// (hw-native-sys/pto-isa include/pto/npu/a2a3/{MGather,MScatter}.hpp).
std::span<const Pipe> awaited(std::span<const Pipe, 3> pipes, const Instruction& instruction,
                              Arch arch) {
    if (traits_of(arch).gather_threads) return {};
    return pipes.first(instruction.attributes.by_element ? 3 : 2);
}
std::span<const Pipe> awaited_by_gather(const Instruction& instruction, Arch arch) {
    static constexpr std::array kPipes{Pipe::kV, Pipe::kMTE3, Pipe::kMTE2};
    if (instruction.operands[0].tile.space != Space::kUB) return {};
    return awaited(kPipes, instruction, arch);
}
std::span<const Pipe> awaited_by_scatter(const Instruction& instruction, Arch arch) {
    static constexpr std::array kPipes{Pipe::kV, Pipe::kMTE2, Pipe::kMTE3};
    return awaited(kPipes, instruction, arch);
}

constexpr std::array kGatherFlags{
    InternalFlag{Pipe::kMTE2, Pipe::kMTE3, 0}, InternalFlag{Pipe::kMTE2, Pipe::kS, 0},
    InternalFlag{Pipe::kMTE2, Pipe::kV, 0},    InternalFlag{Pipe::kMTE3, Pipe::kS, 0},
    InternalFlag{Pipe::kS, Pipe::kMTE2, 0},    InternalFlag{Pipe::kS, Pipe::kMTE3, 0},
    InternalFlag{Pipe::kV, Pipe::kS, 0},       InternalFlag{Pipe::kS, Pipe::kV, 0}};
constexpr std::array kGatherFlagsA5{InternalFlag{Pipe::kS, Pipe::kMTE2, 0},
                                    InternalFlag{Pipe::kV, Pipe::kS, 0},
                                    InternalFlag{Pipe::kS, Pipe::kV, 0}};
constexpr std::array kScatterFlags{
    InternalFlag{Pipe::kMTE2, Pipe::kS, 0}, InternalFlag{Pipe::kMTE3, Pipe::kMTE2, 0},
    InternalFlag{Pipe::kMTE3, Pipe::kS, 0}, InternalFlag{Pipe::kMTE3, Pipe::kV, 0},
    InternalFlag{Pipe::kS, Pipe::kMTE2, 0}, InternalFlag{Pipe::kS, Pipe::kMTE3, 0},
    InternalFlag{Pipe::kV, Pipe::kS, 0},    InternalFlag{Pipe::kS, Pipe::kV, 0}};

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rows {
#include "isa/instructions/gather_memory.def"
}  // namespace ptosim::rows
