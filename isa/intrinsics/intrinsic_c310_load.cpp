#include <algorithm>
#include <cstring>

#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"

// Names, arguments and the register: hw-native-sys/pto-isa include/pto/npu/a5/TLoad.hpp. Units and meaning:
// cann/asc-devkit docs/zh/api/SIMD-API/C-API/cube_datamove, asc_copy_gm2l1_nd2nz_arch_3510, asc_copy_gm2l1_dn2nz.

namespace ptosim::intrinsics {
namespace {

// copy_gm_to_cbuf_multi_*(dst, src, sid, from line to line of the source, L2, rows, columns, from matrix to
// matrix of the source, small C0): bytes. MTE2_NZ_PARA has the matrices in bits 0 to 15, then distances in L1,
// 16 bits each, in lines: between rows, between lines of a row, between matrices.
constexpr unsigned kCacheControl = 4, kSmall = 8, kPlaces = 9;
struct Lines {
    explicit Lines(const IntrinsicCall& call)
        : by_rows{call.opcode == IntrinsicOpcode::kcopy_gm_to_cbuf_multi_nd2nz},
          element{bytes(call.types[0], 1)},
          step{call.arguments[3]},
          rows{call.arguments[5]},
          columns{call.arguments[6]},
          matrix{call.arguments[7]},
          count{bits_of(call.arguments[kPlaces], 0, 16)},
          to_row{bits_of(call.arguments[kPlaces], 16, 16) * kC0Bytes},
          to_line{bits_of(call.arguments[kPlaces], 32, 16) * kC0Bytes},
          to_matrix{bits_of(call.arguments[kPlaces], 48, 16) * kC0Bytes},
          lines{whole(columns * element, kC0Bytes) / kC0Bytes} {}

    bool by_rows;  // of the source
    uint64_t element, step, rows, columns, matrix, count, to_row, to_line, to_matrix, lines;

    bool empty() const { return count == 0 || rows == 0 || columns == 0; }
    // The rows of all matrices follow one another in each column of lines.
    bool is_one() const { return to_row == kC0Bytes && (count == 1 || to_matrix == rows * kC0Bytes); }
    uint64_t extent() const {
        return (count - 1) * to_matrix + (lines - 1) * to_line + (rows - 1) * to_row + kC0Bytes;
    }
};

bool check_lines(const IntrinsicCall& call, Problem& problem) {
    if (call.arguments[kSmall] != 0 && call.arguments[6] <= 4)
        return refuse_argument(call, kSmall, "S01", "1, of " + std::to_string(call.arguments[6]) + " channels",
                               "lines of four channels are not simulated", problem);
    static constexpr std::array<ArgumentRange, 2> kRanges{{{5, 0, 65535}, {6, 0, 2097151}}};
    if (bits(call.types[0]) < 8 || bits(call.types[0]) > 32)
        return refuse_argument(call, 0, "T03", "an address of " + std::string(name(call.types[0])),
                               "elements have 8, 16 or 32 bits", problem);
    return check_address(call, 0, kC0Bytes, problem) && check_ranges(call, kRanges, problem);
}

// NZ as far as the lines are one; otherwise all that lies between the first and the last line.
Tile lines_in_l1(const IntrinsicCall& call, const Lines& m) {
    const bool one = m.is_one() && (m.lines == 1 || m.to_line >= m.count * m.rows * kC0Bytes);
    const uint64_t rows = one ? m.count * m.rows : m.extent() / kC0Bytes;
    const uint64_t lines = one ? m.lines : 1;
    const uint64_t pitch = one && m.lines > 1 ? m.to_line / kC0Bytes : rows;
    return block_columns(call.arguments[0], m.element, rows, lines, pitch);
}

void add_lines(const IntrinsicCall& call, Instruction& instruction) {
    const Lines m(call);
    if (m.empty()) return;
    const Tile tile = lines_in_l1(call, m);
    const uint64_t count = m.by_rows ? m.rows : m.columns, length = m.by_rows ? m.columns : m.rows;
    GlobalView view = global_rows(call.arguments[1], count, length, m.step / m.element, tile.dtype);
    repeat_view(view, m.count, m.matrix / m.element);
    view.past_l2 = bits_of(call.arguments[kCacheControl], 2, 1) != 0;
    instruction.add(tile);
    instruction.add(view);
}

// Rows of the target, of elements that are next to each other in the source or a step apart.
void lines_in(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    const Lines m(call);
    const uint64_t row_step = m.by_rows ? m.step : m.element, column_step = m.by_rows ? m.element : m.step;
    const uint64_t in_line = kC0Bytes / m.element;
    for (uint64_t i = 0; i < m.count; ++i)
        for (uint64_t row = 0; row < m.rows; ++row) {
            const std::byte* from = e.bytes[1] + i * m.matrix + row * row_step;
            std::byte* const to = e.bytes[0] + i * m.to_matrix + row * m.to_row;
            for (uint64_t line = 0; line < m.lines; ++line) {
                const uint64_t count = std::min(in_line, m.columns - line * in_line);
                std::byte* const at = to + line * m.to_line;
                for (uint64_t j = 0; j < count; ++j, from += column_step)
                    std::memcpy(at + j * m.element, from, m.element);
                std::memset(at + count * m.element, 0, kC0Bytes - count * m.element);
            }
        }
}

constexpr IntrinsicForm kRowsIntoL1{
    .signature = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--" "i--" "Rnz",
    .masking = kUnmasked,
    .check = &check_lines,
    .unit = IntrinsicUnit::kLoad,
    .operands = &add_lines,
    .archs = IntrinsicArchs::kRegisters};
constexpr IntrinsicForm kColumnsIntoL1 = kRowsIntoL1;

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_c310_load.def"
}
