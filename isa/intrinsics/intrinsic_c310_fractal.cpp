#include <cstring>

#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"

// Names and arguments: hw-native-sys/pto-isa include/pto/npu/a5/TExtract.hpp, include/pto/common/
// arch_cce_intrinsic.hpp. Units and meaning: cann/asc-devkit docs/zh/api/SIMD-API/C-API/cube_datamove,
// asc_copy_l12l0a_arch_3510, asc_copy_l12l0b_arch_3510, asc_copy_l12l0a_mx.

namespace ptosim::intrinsics {
namespace {

// load_cbuf_to_c?(dst, src, first row, first column, rows, columns, column pitch of src, of dst, transposed), in
// fractals. Rows of scales are what columns are here: load_cbuf_to_c?_mx(dst, src, first row, first column, rows,
// columns, row pitch of src, of dst), in fractals of 32 bytes.
struct Steps {
    uint64_t unit;           // bytes of a fractal
    uint64_t first;          // bytes of the source before the first one
    uint64_t runs, length;   // of fractals next to each other
    uint64_t from_pitch, to_pitch;
    bool transposed = false;
    uint64_t element_bits = 8;
};

Steps steps_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    return {.unit = kFractalBytes,
            .first = (a[3] * a[6] + a[2]) * kFractalBytes,
            .runs = a[5],
            .length = a[4],
            .from_pitch = a[6] * kFractalBytes,
            .to_pitch = a[7] * kFractalBytes,
            .transposed = a[8] != 0,
            .element_bits = bits(call.types[0])};
}
Steps scales_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    return {.unit = kC0Bytes,
            .first = (a[2] * a[6] + a[3]) * kC0Bytes,
            .runs = a[4],
            .length = a[5],
            .from_pitch = a[6] * kC0Bytes,
            .to_pitch = a[7] * kC0Bytes};
}

constexpr std::array<ArgumentRange, 6> kStepRanges{
    {{2, 0, 65535}, {3, 0, 65535}, {4, 0, 255}, {5, 0, 255}, {6, 0, 65535}, {7, 0, 65535}}};
bool check_steps(const IntrinsicCall& call, Problem& problem) {
    const Steps s = steps_of(call);
    // Elements of a line are whole fractals' rows after a transposition.
    const uint64_t rows = s.element_bits == 4 ? 4 : s.element_bits == 8 ? 2 : 1;
    if (s.transposed && s.length % rows != 0)
        return refuse_argument(call, 4, "S01", std::to_string(s.length) + ", of a transposition",
                               "it must be a multiple of " + std::to_string(rows), problem);
    if (s.transposed && s.element_bits == 32 && s.runs % 2 != 0)
        return refuse_argument(call, 5, "S01", std::to_string(s.runs) + ", of a transposition",
                               "it must be a multiple of 2", problem);
    return check_address(call, 0, kFractalBytes, problem) && check_address(call, 1, kC0Bytes, problem) &&
           check_ranges(call, kStepRanges, problem);
}
bool check_scales(const IntrinsicCall& call, Problem& problem) {
    return check_address(call, 0, kC0Bytes, problem) && check_address(call, 1, kC0Bytes, problem) &&
           check_ranges(call, kStepRanges, problem);
}

Tile fractal_runs(Space space, uint64_t address, uint64_t runs, uint64_t length, uint64_t pitch) {
    if (runs > 1 && pitch < length) {
        length += (runs - 1) * pitch;
        runs = 1;
    }
    return byte_rows(space, address, runs, length, pitch);
}

template <Space To, Steps (*Of)(const IntrinsicCall&)>
void add_steps(const IntrinsicCall& call, Instruction& instruction) {
    const Steps s = Of(call);
    const uint64_t runs = s.length == 0 ? 0 : s.runs, length = s.length * s.unit;
    if (s.transposed && runs != 0) {
        const uint64_t line = 8 * kC0Bytes / s.element_bits;  // elements
        instruction.add(fractal_runs(To, call.arguments[0], whole(16 * s.length, line) / line,
                                     s.runs * line * kC0Bytes, s.to_pitch));
    } else {
        instruction.add(fractal_runs(To, call.arguments[0], runs, length, s.to_pitch));
    }
    instruction.add(fractal_runs(Space::kL1, call.arguments[1] + s.first, runs, length, s.from_pitch));
}

// Element (row, column) of a matrix in NZ: its place in elements.
uint64_t in_fractals(uint64_t row, uint64_t column, uint64_t line, uint64_t pitch_bytes, uint64_t element_bits) {
    return column / line * (pitch_bytes * 8 / element_bits) + row * line + column % line;
}

void transpose_steps(const Steps& s, std::byte* to, const std::byte* from) {
    const uint64_t line = 8 * kC0Bytes / s.element_bits;
    for (uint64_t row = 0; row < 16 * s.length; ++row)
        for (uint64_t column = 0; column < line * s.runs; ++column) {
            const uint64_t source = in_fractals(row, column, line, s.from_pitch, s.element_bits);
            const uint64_t target = in_fractals(column, row, line, s.to_pitch, s.element_bits);
            if (s.element_bits >= 8) {
                const uint64_t size = s.element_bits / 8;
                std::memcpy(to + target * size, from + source * size, size);
                continue;
            }
            const auto nibble = std::to_integer<unsigned>(from[source / 2]) >> (source % 2 * 4) & 0xF;
            const unsigned shift = static_cast<unsigned>(target % 2 * 4);
            std::byte& there = to[target / 2];
            there = (there & std::byte(0xF0U >> shift)) | std::byte(nibble << shift);
        }
}

void move_steps(const Steps& s, const Execution& e) {
    if (s.transposed) return transpose_steps(s, e.bytes[0], e.bytes[1]);
    for (uint64_t i = 0; i < s.runs; ++i)
        std::memcpy(e.bytes[0] + i * s.to_pitch, e.bytes[1] + i * s.from_pitch, s.length * s.unit);
}
void steps_in(const IntrinsicCall& call, const Execution& e) { move_steps(steps_of(call), e); }
void scales_in(const IntrinsicCall& call, const Execution& e) { move_steps(scales_of(call), e); }

constexpr IntrinsicForm step_form(std::string_view signature, bool (*check)(const IntrinsicCall&, Problem&),
                                  void (*operands)(const IntrinsicCall&, Instruction&)) {
    return {.signature = signature,
            .masking = kUnmasked,
            .check = check,
            .unit = IntrinsicUnit::kMove,
            .operands = operands,
            .archs = IntrinsicArchs::kRegisters};
}
constexpr std::string_view kStepWords = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--" "i--";
constexpr IntrinsicForm kStepsIntoL0A = step_form(kStepWords, &check_steps, &add_steps<Space::kL0A, steps_of>);
constexpr IntrinsicForm kStepsIntoL0B = step_form(kStepWords, &check_steps, &add_steps<Space::kL0B, steps_of>);
constexpr std::string_view kScaleWords = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--";
constexpr IntrinsicForm kScalesIntoA = step_form(kScaleWords, &check_scales, &add_steps<Space::kScaleA, scales_of>);
constexpr IntrinsicForm kScalesIntoB = step_form(kScaleWords, &check_scales, &add_steps<Space::kScaleB, scales_of>);

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_c310_fractal.def"
}
