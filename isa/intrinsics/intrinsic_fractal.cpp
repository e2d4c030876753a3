#include <algorithm>
#include <cstring>

#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"

// Names, arguments and units: cann/asc-devkit docs/zh/api/SIMD-API/C-API/cube_datamove, asc_copy_l12l0a,
// asc_copy_l12l0a_trans, asc_copy_l12l0b_trans; impl/basic_api/dav_c220/kernel_operator_mm_impl.h.

namespace ptosim::intrinsics {
namespace {

// load_cbuf_to_ca(dst, src, first, count, stride, gap, sid, transposed, downwards), in fractals;
// load_cbuf_to_ca_transpose(dst, src, first, count, stride, gap, downwards, gap between fractals): the
// first two of L1 in square matrices, the gaps in fractals; load_cbuf_to_cb_transpose_s4 has the same.
struct Fractals {
    uint64_t first = 0, count = 0, stride = 0;  // of `unit` bytes
    bool downwards = false, transposed = false;
    uint64_t unit = kFractalBytes, element = 2;
    uint64_t pitch = 0;          // bytes from one to the next in L0
    uint64_t fractal_pitch = 0;  // bytes from one fractal of a square matrix to its next

    uint64_t parts() const { return unit / kFractalBytes; }
    uint64_t lowest() const { return (downwards ? first - (count - 1) * stride : first) * unit; }
    uint64_t begin(uint64_t i) const { return (downwards ? first - i * stride : first + i * stride) * unit; }
};

Fractals fractals_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Fractals f{.first = a[2], .count = a[3], .stride = a[4]};
    f.transposed = a[7] != 0;
    f.downwards = a[8] != 0;
    f.pitch = (1 + a[5]) * kFractalBytes;
    return f;
}

// load_gm_to_*(dst, src, first, count, stride, gap, sid, downwards).
Fractals global_fractals_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Fractals f{.first = a[2], .count = a[3], .stride = a[4]};
    f.downwards = a[7] != 0;
    f.pitch = (1 + a[5]) * kFractalBytes;
    return f;
}

Fractals squares_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Fractals f{.first = a[2], .count = a[3], .stride = a[4]};
    f.downwards = a[6] != 0;
    f.element = bytes(call.types[0], 1);
    f.unit = f.element == 2 ? kFractalBytes : 2 * kFractalBytes;
    f.pitch = (1 + a[5]) * kFractalBytes;
    f.fractal_pitch = f.parts() == 1 ? 0 : (1 + a[7]) * kFractalBytes;
    return f;
}

// Square matrices of 64 x 64 elements of 4 bits: four fractals, one below the other.
Fractals nibble_squares_of(const IntrinsicCall& call) {
    const auto& a = call.arguments;
    Fractals f{.first = a[2], .count = a[3], .stride = a[4]};
    f.downwards = a[6] != 0;
    f.unit = 4 * kFractalBytes;
    f.pitch = (1 + a[5]) * kFractalBytes;
    f.fractal_pitch = (1 + a[7]) * kFractalBytes;
    return f;
}

bool check_downwards(const IntrinsicCall& call, const Fractals& f, Problem& problem) {
    if (!f.downwards || f.count == 0 || f.first >= (f.count - 1) * f.stride) return true;
    return refuse_argument(call, 2, "S01", std::to_string(f.first),
                           std::to_string(f.count) + " of stride " + std::to_string(f.stride) +
                               " go below the source's address",
                           problem);
}

bool check_places(const IntrinsicCall& call, uint64_t source_multiple, Problem& problem) {
    static constexpr std::array<ArgumentRange, 4> kRanges{
        {{2, 0, 65535}, {3, 0, 255}, {4, 0, 65535}, {5, 0, 65535}}};
    return check_address(call, 0, kFractalBytes, problem) && check_address(call, 1, source_multiple, problem) &&
           check_ranges(call, kRanges, problem);
}

bool check_fractals(const IntrinsicCall& call, Problem& problem) {
    const Fractals f = fractals_of(call);
    if (f.transposed && bits(call.types[0]) != 16)
        return refuse_argument(call, 7, "T03", "a transposition of " + std::string(name(call.types[0])),
                               "fractals of 16-bit elements are transposed", problem);
    return check_places(call, kC0Bytes, problem) && check_downwards(call, f, problem);
}

bool check_squares(const IntrinsicCall& call, Problem& problem) {
    if (bits(call.types[0]) < 8 || bits(call.types[0]) > 32)
        return refuse_argument(call, 0, "T03", "an address of " + std::string(name(call.types[0])),
                               "elements have 8, 16 or 32 bits", problem);
    return check_places(call, kC0Bytes, problem) && check_downwards(call, squares_of(call), problem);
}

bool check_nibble_squares(const IntrinsicCall& call, Problem& problem) {
    return check_places(call, kC0Bytes, problem) && check_downwards(call, nibble_squares_of(call), problem);
}

bool check_global_fractals(const IntrinsicCall& call, Problem& problem) {
    return check_places(call, 1, problem) && check_downwards(call, global_fractals_of(call), problem);
}

// ---- operands -----------------------------------------------------------------------------------

// Rows of bytes, if all fractals of L0 are one distance from each other; else all between them.
Tile fractals_in_l0(Space space, uint64_t address, const Fractals& f) {
    const uint64_t within = f.fractal_pitch;
    if (f.parts() == 1 || f.count == 0)
        return byte_rows(space, address, f.count, kFractalBytes, f.pitch);
    if (f.count == 1) return byte_rows(space, address, f.parts(), kFractalBytes, within);
    if (within == kFractalBytes && f.pitch >= f.unit)
        return byte_rows(space, address, f.count, f.unit, f.pitch);
    const uint64_t all = f.parts() * f.count;
    if (f.pitch == f.parts() * within) return byte_rows(space, address, all, kFractalBytes, within);
    if (within == f.count * f.pitch) return byte_rows(space, address, all, kFractalBytes, f.pitch);
    const uint64_t extent = (f.count - 1) * f.pitch + (f.parts() - 1) * within + kFractalBytes;
    return byte_rows(space, address, 1, extent, extent);
}

Tile fractals_in_l1(uint64_t address, const Fractals& f) {
    if (f.count == 0) return byte_rows(Space::kL1, address, 0, f.unit, f.unit);
    const uint64_t count = f.stride == 0 ? 1 : f.count;
    return byte_rows(Space::kL1, address + f.lowest(), count, f.unit, f.stride * f.unit);
}

template <Space To, Fractals (*Of)(const IntrinsicCall&)>
void add_fractals(const IntrinsicCall& call, Instruction& instruction) {
    const Fractals f = Of(call);
    instruction.add(fractals_in_l0(To, call.arguments[0], f));
    instruction.add(fractals_in_l1(call.arguments[1], f));
}

template <Space To>
void add_global_fractals(const IntrinsicCall& call, Instruction& instruction) {
    const Fractals f = global_fractals_of(call);
    if (f.count == 0) return;
    instruction.add(fractals_in_l0(To, call.arguments[0], f));
    instruction.add(global_rows(call.arguments[1] + f.lowest(), f.stride == 0 ? 1 : f.count, f.unit,
                                f.stride * f.unit, DType::kU8));
}

// ---- data ---------------------------------------------------------------------------------------

// Calls f(to, from) for each of them, in order.
template <typename F>
void for_each(const Fractals& fractals, const Execution& e, F&& f) {
    if (fractals.count == 0) return;
    const std::byte* const source = e.bytes[1] - fractals.lowest();
    for (uint64_t i = 0; i < fractals.count; ++i)
        f(e.bytes[0] + i * fractals.pitch, source + fractals.begin(i));
}

void fractals(const IntrinsicCall& call, const Execution& e) {
    const Fractals f = fractals_of(call);
    for_each(f, e, [&](std::byte* to, const std::byte* from) {
        if (!f.transposed) {
            std::memcpy(to, from, kFractalBytes);
            return;
        }
        for (unsigned i = 0; i < 16; ++i)
            for (unsigned j = 0; j < 16; ++j) std::memcpy(to + 2 * (16 * i + j), from + 2 * (16 * j + i), 2);
    });
}

// Bytes from the begin of a square matrix to element (row, column), if its second fractal is `apart`
// bytes after the first: below it (8 bits), or to its right (32 bits).
uint64_t in_square(const Fractals& f, unsigned row, unsigned column, uint64_t apart) {
    const auto line = static_cast<unsigned>(kC0Bytes / f.element);
    const bool second = f.element == 1 ? row >= 16 : column >= line;
    return (second ? apart : 0) + (row % 16) * kC0Bytes + (column % line) * f.element;
}

void global_fractals(const IntrinsicCall& call, const Execution& e) {
    for_each(global_fractals_of(call), e,
             [](std::byte* to, const std::byte* from) { std::memcpy(to, from, kFractalBytes); });
}

void squares(const IntrinsicCall& call, const Execution& e) {
    const Fractals f = squares_of(call);
    const unsigned side = f.element == 1 ? 32 : 16;
    for_each(f, e, [&](std::byte* to, const std::byte* from) {
        for (unsigned i = 0; i < side; ++i)
            for (unsigned j = 0; j < side; ++j)
                std::memcpy(to + in_square(f, i, j, f.fractal_pitch),
                            from + in_square(f, j, i, kFractalBytes), f.element);
    });
}

// The lower half of a byte is the first element.
uint8_t nibble(const std::byte* row, unsigned column) {
    return std::to_integer<uint8_t>(row[column / 2]) >> (column % 2 * 4) & 15;
}

void nibble_squares(const IntrinsicCall& call, const Execution& e) {
    const Fractals f = nibble_squares_of(call);
    for_each(f, e, [&](std::byte* to, const std::byte* from) {
        for (unsigned row = 0; row < 64; ++row) {
            std::byte* const line = to + row / 16 * f.fractal_pitch + row % 16 * kC0Bytes;
            for (unsigned column = 0; column < 64; column += 2)
                line[column / 2] = std::byte(nibble(from + column * kC0Bytes, row) |
                                             nibble(from + (column + 1) * kC0Bytes, row) << 4);
        }
    });
}

// ---- forms --------------------------------------------------------------------------------------

constexpr IntrinsicForm fractal_form(std::string_view signature, bool (*check)(const IntrinsicCall&, Problem&),
                                     void (*operands)(const IntrinsicCall&, Instruction&)) {
    return {.signature = signature,
            .masking = kUnmasked,
            .check = check,
            .unit = IntrinsicUnit::kMove,
            .operands = operands,
            .archs = IntrinsicArchs::kMemory};
}
constexpr std::string_view kFractalWords = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--" "i--";
constexpr IntrinsicForm kIntoL0A =
    fractal_form(kFractalWords, &check_fractals, &add_fractals<Space::kL0A, fractals_of>);
constexpr IntrinsicForm kIntoL0B =
    fractal_form(kFractalWords, &check_fractals, &add_fractals<Space::kL0B, fractals_of>);
template <Space To>
constexpr IntrinsicForm kFromGlobal{.signature = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--",
                                    .masking = kUnmasked,
                                    .check = &check_global_fractals,
                                    .unit = IntrinsicUnit::kLoad,
                                    .operands = &add_global_fractals<To>};
constexpr std::string_view kSquareWords = "w0x" "r1x" "i--" "i--" "i--" "i--" "i--" "i--";
constexpr IntrinsicForm kSquaresIntoL0A =
    fractal_form(kSquareWords, &check_squares, &add_fractals<Space::kL0A, squares_of>);
constexpr IntrinsicForm squares_into_l0b() {
    IntrinsicForm form = fractal_form(kSquareWords, &check_squares, &add_fractals<Space::kL0B, squares_of>);
    form.archs = IntrinsicArchs::kAll;
    return form;
}
constexpr IntrinsicForm kSquaresIntoL0B = squares_into_l0b();
constexpr IntrinsicForm kNibbleSquaresIntoL0B =
    fractal_form(kSquareWords, &check_nibble_squares, &add_fractals<Space::kL0B, nibble_squares_of>);

}  // namespace
}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_fractal.def"
}
