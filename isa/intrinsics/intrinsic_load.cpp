#include <algorithm>
#include <cstring>

#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"

// Names, arguments and units: hw-native-sys/pto-isa include/pto/common/arch_cce_intrinsic.hpp,
// npu/a2a3/TExpandS.hpp; cann/asc-devkit docs/zh/api/SIMD-API/C-API/cube_datamove, asc_copy_gm2l1_nd2nz,
// asc_fill_l1.

namespace ptosim::intrinsics {
namespace {

// ---- matrices from ND to NZ -------------------------------------------------------------------

uint64_t matrix_element(IntrinsicOpcode opcode) {
    switch (opcode) {
        case IntrinsicOpcode::kcopy_gm_to_cbuf_multi_nd2nz_b16:
            return 2;
        case IntrinsicOpcode::kcopy_gm_to_cbuf_multi_nd2nz_b32s:
            return 4;
        default:
            return 1;
    }
}

// copy_gm_to_cbuf_multi_nd2nz_*(dst, src, sid, matrices, rows, columns, between matrices, between rows, between lines
// of a row in L1, between rows in L1, between matrices in L1): the first two distances and the last one are in
// elements, the others in L1 lines.
struct Matrices {
    explicit Matrices(const IntrinsicCall& call)
        : element{matrix_element(call.opcode)},
          count{call.arguments[3]},
          rows{call.arguments[4]},
          columns{call.arguments[5]},
          lines{whole(columns * element, kC0Bytes) / kC0Bytes},
          matrix{call.arguments[6] * element},
          row{call.arguments[7] * element},
          to_line{call.arguments[8] * kC0Bytes},
          to_row{call.arguments[9] * kC0Bytes},
          to_matrix{call.arguments[10] * element} {}

    uint64_t element, count, rows, columns, lines;
    uint64_t matrix, row;  // bytes in global memory
    uint64_t to_line, to_row, to_matrix;  // bytes in L1

    bool empty() const { return count == 0 || rows == 0 || columns == 0; }
    // The rows of all matrices follow one another in each column of lines.
    bool is_one() const {
        return to_row == kC0Bytes && (count == 1 || to_matrix == rows * kC0Bytes);
    }
    uint64_t extent() const {
        return (count - 1) * to_matrix + (lines - 1) * to_line + (rows - 1) * to_row + kC0Bytes;
    }
};

bool check_matrices(const IntrinsicCall& call, Problem& problem) {
    static constexpr std::array<ArgumentRange, 8> kRanges{{{3, 0, 4095},
                                                           {4, 0, 16384},
                                                           {5, 0, 65535},
                                                           {6, 0, 65535},
                                                           {7, 1, 65535},
                                                           {8, 1, 16384},
                                                           {9, 1, 16384},
                                                           {10, 0, 65535}}};
    return check_address(call, 0, kC0Bytes, problem) && check_ranges(call, kRanges, problem);
}

// NZ as far as the lines are one; otherwise all that lies between the first and the last line.
Tile matrices_in_l1(const IntrinsicCall& call, const Matrices& m) {
    const uint64_t rows = m.is_one() ? m.count * m.rows : m.extent() / kC0Bytes;
    const uint64_t lines = m.is_one() ? m.lines : 1;
    const uint64_t pitch = m.is_one() && m.lines > 1 ? m.to_line / kC0Bytes : rows;
    return block_columns(call.arguments[0], m.element, rows, lines, pitch);
}

void add_matrices(const IntrinsicCall& call, Instruction& instruction) {
    const Matrices m(call);
    if (m.empty()) return;
    const Tile tile = matrices_in_l1(call, m);
    GlobalView view = global_rows(call.arguments[1], m.rows, m.columns, m.row / m.element, tile.dtype);
    repeat_view(view, m.count, m.matrix / m.element);
    instruction.add(tile);
    instruction.add(view);
}

void matrices_in(const IntrinsicCall& call, const Execution& e) {
    if (e.instruction.operand_count == 0) return;
    const Matrices m(call);
    for (uint64_t i = 0; i < m.count; ++i)
        for (uint64_t row = 0; row < m.rows; ++row) {
            const std::byte* const from = e.bytes[1] + i * m.matrix + row * m.row;
            std::byte* const to = e.bytes[0] + i * m.to_matrix + row * m.to_row;
            const uint64_t length = m.columns * m.element;
            for (uint64_t line = 0; line < m.lines; ++line) {
                const uint64_t done = line * kC0Bytes;
                const uint64_t count = std::min(kC0Bytes, length - done);
                std::memcpy(to + line * m.to_line, from + done, count);
                std::memset(to + line * m.to_line + count, 0, kC0Bytes - count);
            }
        }
}

// ---- fills --------------------------------------------------------------------------------------

constexpr bool is_fill_of_l0(IntrinsicOpcode opcode) {
    return opcode == IntrinsicOpcode::kcreate_ca_matrix || opcode == IntrinsicOpcode::kcreate_cb_matrix ||
           opcode == IntrinsicOpcode::kcreate_ca_matrix_bf16 || opcode == IntrinsicOpcode::kcreate_cb_matrix_bf16;
}

// create_*_matrix(dst, configuration, value): runs in bits 14 to 0, their blocks in 30 to 16, blocks
// between them in 46 to 32; in L0 blocks are fractals.
struct Fill {
    explicit Fill(const IntrinsicCall& call)
        : block{is_fill_of_l0(call.opcode) ? kFractalBytes : kC0Bytes},
          count{bits_of(call.arguments[1], 0, 15)},
          length{bits_of(call.arguments[1], 16, 15) * block},
          pitch{length + bits_of(call.arguments[1], 32, 15) * block},
          element{std::clamp<uint64_t>(bytes(call.types[0], 1), 2, 4)} {}
    uint64_t block, count, length, pitch, element;
};

bool check_fill(const IntrinsicCall& call, Problem& problem) {
    return check_address(call, 0, Fill(call).block, problem);
}

template <Space To>
void add_fill_of_l0(const IntrinsicCall& call, Instruction& instruction) {
    const Fill fill(call);
    instruction.add(byte_rows(To, call.arguments[0], fill.count, fill.length, fill.pitch));
    instruction.add(byte_rows(Space::kL1, 0, 0, 0, 0));  // MTE1 fills it, as it would from L1
}

void add_fill(const IntrinsicCall& call, Instruction& instruction) {
    const Fill fill(call);
    instruction.add(byte_rows(Space::kL1, call.arguments[0], fill.count, fill.length, fill.pitch));
}

void filled(const IntrinsicCall& call, const Execution& e) {
    const Fill fill(call);
    for (uint64_t i = 0; i < fill.count; ++i)
        for (uint64_t at = 0; at < fill.length; at += fill.element)
            std::memcpy(e.bytes[0] + i * fill.pitch + at, &call.arguments[2], fill.element);
}

// ---- forms --------------------------------------------------------------------------------------

constexpr IntrinsicForm kMatricesIntoL1{
    .signature = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--" "i--" "i--" "i--",
    .masking = kUnmasked,
    .check = &check_matrices,
    .unit = IntrinsicUnit::kLoad,
    .operands = &add_matrices};
constexpr IntrinsicForm kFillOfL1{.signature = "w0x" "i--" "i--",
                                  .masking = kUnmasked,
                                  .check = &check_fill,
                                  .unit = IntrinsicUnit::kFill,
                                  .operands = &add_fill};
template <Space To>
constexpr IntrinsicForm kFillOfL0{.signature = "w0x" "i--" "i--",
                                  .masking = kUnmasked,
                                  .check = &check_fill,
                                  .unit = IntrinsicUnit::kMove,
                                  .operands = &add_fill_of_l0<To>};

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_load.def"
}
