#include <algorithm>
#include <cstring>

#include "isa/core/core_registers.h"
#include "isa/intrinsics/intrinsic_operands.h"
#include "isa/intrinsics/intrinsic_row.h"
#include "isa/intrinsics/register_use.h"

// Arguments: hw-native-sys/pto-isa include/pto/npu/a2a3/TImg2col.hpp; their places in two words:
// cann/asc-devkit impl/basic_api/dav_3510/kernel_operator_mm_bitmode_impl.h, Load3DBitModeConfig0 and 1.
// Meaning: docs/zh/api/SIMD-API, LoadData_3D, SetLoadDataRepeat, SetFmatrix.

namespace ptosim::intrinsics {
namespace {

constexpr unsigned kConfig0 = 2, kConfig1 = 3, kMap = 4, kMapB = 5, kRepetition = 6, kPaddingValue = 7;

bool is_for_b(const IntrinsicCall& call) {
    return call.opcode == IntrinsicOpcode::kimg2colv2_cbuf_to_cb;
}

// img2colv2_cbuf_to_ca(dst, src, config0, config1) with the registers that it reads.
struct Windows {
    explicit Windows(const IntrinsicCall& call);

    uint64_t rows, columns, first_row, first_column;  // of the part of the matrix
    int64_t stride_width, stride_height, filter_width, filter_height, dilation_width, dilation_height;
    int64_t width, height, pad_left, pad_right, pad_top, pad_bottom;
    uint64_t channels, element, line;  // bytes of an element, elements of a line
    uint64_t times, step;
    bool transposed, along_columns;

    int64_t out_width() const {
        return (width + pad_left + pad_right - dilation_width * (filter_width - 1) - 1) / stride_width + 1;
    }
    int64_t out_height() const {
        return (height + pad_top + pad_bottom - dilation_height * (filter_height - 1) - 1) / stride_height + 1;
    }
};

Windows::Windows(const IntrinsicCall& call) {
    const auto field = [&](unsigned argument, unsigned low, unsigned count) {
        return static_cast<int64_t>(bits_of(call.arguments[argument], low, count));
    };
    columns = bits_of(call.arguments[kConfig0], 0, 16);
    rows = bits_of(call.arguments[kConfig0], 16, 16);
    first_column = bits_of(call.arguments[kConfig0], 32, 16);
    first_row = bits_of(call.arguments[kConfig0], 48, 16);
    stride_width = field(kConfig1, 0, 6);
    stride_height = field(kConfig1, 6, 6);
    filter_width = field(kConfig1, 12, 8) + 256 * field(kConfig1, 44, 1);
    filter_height = field(kConfig1, 20, 8) + 256 * field(kConfig1, 45, 1);
    dilation_width = field(kConfig1, 28, 8);
    dilation_height = field(kConfig1, 36, 8);
    // L0B takes a matrix whose columns follow one another in any case: the flag has no effect.
    transposed = !is_for_b(call) && field(kConfig1, 46, 1) != 0;
    channels = bits_of(call.arguments[kConfig1], 48, 16);
    const unsigned map = field(kConfig1, 47, 1) != 0 ? kMapB : kMap;
    width = field(map, 0, 16);
    height = field(map, 16, 16);
    pad_left = field(map, 32, 8);
    pad_right = field(map, 40, 8);
    pad_top = field(map, 48, 8);
    pad_bottom = field(map, 56, 8);
    element = bytes(call.types[0], 1);
    line = kC0Bytes / element;
    along_columns = field(kRepetition, 24, 1) != 0;
    times = call.arguments[kRepetition] == 0 ? 1 : bits_of(call.arguments[kRepetition], 16, 8);
    step = bits_of(call.arguments[kRepetition], 0, 16) * (along_columns ? line : 16);
}

// Columns of the matrix that are next to each other in the feature map: channels at one position of the
// filter.
struct Run {
    uint64_t count = 1;
    int64_t y = 0, x = 0;               // of the position in the window
    int64_t begin = -1, together = 0;  // bytes before the map's first pixel, and of a pixel; -1: padding
};

Run run_at(const Windows& w, uint64_t column) {
    const auto positions = static_cast<uint64_t>(w.filter_width * w.filter_height);
    const uint64_t lines = w.channels / w.line;
    const uint64_t dense = lines * w.line * positions;
    // After the columns of whole lines come the channels that do not fill one.
    const uint64_t together = column < dense ? w.line : w.channels % w.line;
    const uint64_t at = column < dense ? column : column - dense;
    if (together == 0 || (column >= dense && at >= together * positions)) return {};
    const uint64_t block = column < dense ? at / (w.line * positions) : lines;
    const auto position = static_cast<int64_t>(at / together % positions);
    Run run;
    run.count = together - at % together;
    run.y = position / w.filter_width * w.dilation_height - w.pad_top;
    run.x = position % w.filter_width * w.dilation_width - w.pad_left;
    run.begin = static_cast<int64_t>(block * kC0Bytes) * w.width * w.height +
                static_cast<int64_t>(at % together * w.element);
    run.together = static_cast<int64_t>(together * w.element);
    return run;
}

// Calls f(row, column, count, from) for all elements: where they go, before transposition, and the
// bytes in the feature map where they are; -1: padding.
template <typename F>
void for_runs(const Windows& w, F&& f) {
    for (uint64_t time = 0; time < w.times; ++time) {
        const uint64_t down = w.along_columns ? 0 : time, right = w.along_columns ? time : 0;
        const auto first = static_cast<int64_t>(w.first_row + down * w.step);
        for (uint64_t j = 0; j < w.columns;) {
            const Run run = run_at(w, w.first_column + right * w.step + j);
            const uint64_t count = std::min(run.count, w.columns - j);
            int64_t y = first / w.out_width(), x = first % w.out_width();
            for (uint64_t i = 0; i < w.rows; ++i) {
                const int64_t map_y = y * w.stride_height + run.y, map_x = x * w.stride_width + run.x;
                const bool inside = run.begin >= 0 && map_y >= 0 && map_y < w.height && map_x >= 0 && map_x < w.width;
                f(down * w.rows + i, right * w.columns + j, count,
                  inside ? run.begin + (map_y * w.width + map_x) * run.together : int64_t{-1});
                if (++x < w.out_width()) continue;
                x = 0;
                ++y;
            }
            j += count;
        }
    }
}

// On C310 L0A has columns of fractals: the distance between them is in L3D_RPT, in fractals.
bool is_by_columns(const IntrinsicCall& call) { return info(call.opcode).form.archs == IntrinsicArchs::kRegisters; }

bool check_image(const IntrinsicCall& call, Problem& problem) {
    if (bits(call.types[0]) < 8 || bits(call.types[0]) > 32)
        return refuse_argument(call, 0, "T03", "an address of " + std::string(name(call.types[0])),
                               "elements have 8, 16 or 32 bits", problem);
    if (!check_address(call, 0, kFractalBytes, problem) || !check_address(call, 1, kC0Bytes, problem))
        return false;
    const Windows w(call);
    if (w.stride_width == 0 || w.stride_height == 0 || w.filter_width == 0 || w.filter_height == 0 ||
        w.dilation_width == 0 || w.dilation_height == 0)
        return refuse_argument(call, kConfig1, "S01", "a window with a stride, a filter or a dilation of 0",
                               "they are at least 1", problem);
    if (w.width == 0 || w.height == 0 || w.out_width() < 1 || w.out_height() < 1)
        return refuse_argument(call, kConfig1, "S01", "a window that is larger than the feature map",
                               "the map is " + std::to_string(w.height) + " x " + std::to_string(w.width) +
                                   ": set_fmatrix",
                               problem);
    if (is_by_columns(call) && bits_of(call.arguments[kRepetition], 48, 16) != 0)
        return refuse_argument(call, kRepetition, "S01", "a first row in L0A",
                               "no public document gives its meaning: bits 48 to 63 of set_l3d_rpt", problem);
    if (w.transposed && w.element == 1)
        return refuse_argument(call, kConfig1, "T03", "a transposition of 8-bit elements",
                               "elements of 16 and 32 bits are transposed", problem);
    return true;
}

// The part of the matrix with all its repetitions as it lies in L0: ZZ in L0A, NZ in that of C310, ZN in L0B.
Tile image_tile(const IntrinsicCall& call, const Windows& w) {
    const uint64_t down = w.along_columns ? 1 : w.times, right = w.along_columns ? w.times : 1;
    uint64_t rows = w.rows * down, columns = w.columns * right;
    if (w.transposed) std::swap(rows, columns);
    Tile tile = make_tile(is_for_b(call) ? Space::kL0B : Space::kL0A, call.types[0],
                          static_cast<int32_t>(whole(std::max<uint64_t>(rows, 1), 16)),
                          static_cast<int32_t>(columns), OuterLayout::kRowMajor,
                          is_for_b(call) ? InnerLayout::kColMajor : InnerLayout::kRowMajor);
    // Transposed squares of 32 bits are two fractals side by side.
    const uint64_t multiple = is_for_b(call) || w.transposed ? std::max<uint64_t>(16, w.line) : w.line;
    tile.pitch = static_cast<int32_t>(whole(columns, multiple));
    tile.cols = tile.pitch;
    if (is_by_columns(call)) {
        const uint64_t stride = bits_of(call.arguments[kRepetition], 32, 16) * 16;
        tile = make_tile(Space::kL0A, call.types[0], static_cast<int32_t>(std::max(stride, whole(rows, 16))), tile.cols,
                         OuterLayout::kColMajor, InnerLayout::kRowMajor);
        if (stride != 0) tile.pitch = static_cast<int32_t>(stride);
    }
    tile.address = static_cast<uint32_t>(call.arguments[0]);
    tile.valid_rows = static_cast<int32_t>(rows);
    tile.valid_cols = static_cast<int32_t>(columns);
    return tile;
}

// The bytes of the feature map from the first to the last that the windows take.
IntrinsicRows map_bytes(const Windows& w) {
    int64_t begin = INT64_MAX, end = 0;
    for_runs(w, [&](uint64_t, uint64_t, uint64_t count, int64_t from) {
        if (from < 0) return;
        begin = std::min(begin, from);
        end = std::max(end, from + static_cast<int64_t>(count * w.element));
    });
    if (end == 0) return {};
    return {static_cast<uint64_t>(begin), static_cast<uint64_t>(end - begin), 0, 1};
}

void add_image(const IntrinsicCall& call, Instruction& instruction) {
    Problem problem;
    if (!check_image(call, problem)) return;
    const Windows w(call);
    instruction.add(image_tile(call, w));
    const IntrinsicRows map = map_bytes(w);
    instruction.add(byte_rows(Space::kL1, call.arguments[1] + map.begin, map.count, map.length, map.length));
}

template <typename T>
void write_image(const IntrinsicCall& call, const Execution& e) {
    const Windows w(call);
    const Tile& to = e.tile(0);
    const auto padding = static_cast<T>(call.arguments[kPaddingValue]);
    const std::byte* const map = e.bytes[1] - (e.tile(1).address - call.arguments[1]);
    const bool along = !w.transposed && !is_for_b(call);
    for_runs(w, [&](uint64_t row, uint64_t column, uint64_t count, int64_t from) {
        if (along && from >= 0 && column % w.line + count <= w.line) {
            std::memcpy(e.bytes[0] + to.index(static_cast<int>(row), static_cast<int>(column)) * int64_t{sizeof(T)},
                        map + from, count * sizeof(T));
            return;
        }
        for (uint64_t i = 0; i < count; ++i) {
            T value = padding;
            if (from >= 0) std::memcpy(&value, map + from + i * sizeof(T), sizeof(T));
            int at[2] = {static_cast<int>(row), static_cast<int>(column + i)};
            if (w.transposed) std::swap(at[0], at[1]);
            std::memcpy(e.bytes[0] + to.index(at[0], at[1]) * int64_t{sizeof(T)}, &value, sizeof(T));
        }
    });
}

void image(const IntrinsicCall& call, const Execution& e) {
    switch (bits(call.types[0])) {
        case 8:
            return write_image<uint8_t>(call, e);
        case 16:
            return write_image<uint16_t>(call, e);
        default:
            return write_image<uint32_t>(call, e);
    }
}

// ---- forms --------------------------------------------------------------------------------------

constexpr IntrinsicForm kImageIntoL0A{.signature = "w0x" "r1x" "i--" "i--" "Rfm" "Rfb" "Rrp" "Rpd",
                                      .masking = kUnmasked,
                                      .check = &check_image,
                                      .unit = IntrinsicUnit::kMove,
                                      .operands = &add_image,
                                      .archs = IntrinsicArchs::kMemory};
constexpr IntrinsicForm kImageIntoL0B = kImageIntoL0A;
constexpr IntrinsicForm kImageIntoColumns{.signature = kImageIntoL0A.signature,
                                          .masking = kUnmasked,
                                          .check = &check_image,
                                          .unit = IntrinsicUnit::kMove,
                                          .operands = &add_image,
                                          .archs = IntrinsicArchs::kRegisters};

}  // namespace

// Bit 47 of the second word of the configuration selects the register of the map, whose upper half is the padding.
bool image_uses(const IntrinsicCall& call, unsigned number) {
    const bool by_b = bits_of(call.arguments[kConfig1], 47, 1) != 0;
    if (number == core_register::FMATRIX) return !by_b;
    if (number == core_register::FMATRIX_B) return by_b;
    return number != core_register::PADDING || bits_of(call.arguments[by_b ? kMapB : kMap], 32, 32) != 0;
}

}  // namespace ptosim::intrinsics

namespace ptosim::intrinsic_rows {
#include "isa/intrinsics/intrinsic_image.def"
}
