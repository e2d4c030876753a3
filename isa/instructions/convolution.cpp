// Convolutions: the windows of a feature map as rows of a matrix.
#include "isa/instructions/row.h"
#include "isa/semantics/arithmetic.h"
#include "isa/semantics/lanes.h"
#include "isa/semantics/tile_regions.h"

namespace ptosim::semantics {

namespace {

// The matrix of all windows; elements are where they are in the feature map, or the padding value.
class Windows {
 public:
    Windows(const Image& image, const Tile& map)
        : image_{image},
          map_{map},
          c0_{map.cols},
          blocks_{std::max<int64_t>(1, (image.channels + c0_ - 1) / c0_)},
          area_{int64_t{image.height} * image.width},
          images_{map.rows / (blocks_ * area_)},
          windows_{int64_t{image.out_height()} * image.out_width()},
          places_{int64_t{image.filter_height} * image.filter_width} {}

    template <typename T>
    T element(const std::byte* base, int64_t m, int64_t k) const {
        const int64_t n = m / windows_;
        const int64_t window = m % windows_;
        const int64_t block = k / (c0_ * places_);
        const int64_t filter_position = k / c0_ % places_;
        const int64_t y = window / image_.out_width() * image_.stride_height - image_.pad_top +
                          filter_position / image_.filter_width * image_.dilation_height;
        const int64_t x = window % image_.out_width() * image_.stride_width - image_.pad_left +
                          filter_position % image_.filter_width * image_.dilation_width;
        const bool inside = n < images_ && block < blocks_ && y >= 0 && y < image_.height &&
                            x >= 0 && x < image_.width;
        if (!inside) return static_cast<T>(image_.pad_value);
        const int64_t line = (n * blocks_ + block) * area_ + y * image_.width + x;
        return read_lane<T>(map_, base, static_cast<int>(line), static_cast<int>(k % c0_));
    }

 private:
    const Image& image_;
    const Tile& map_;
    int64_t c0_, blocks_, area_, images_, windows_, places_;
};

}  // namespace

// Operands (dst, src, posM, posK). Row posM + i of the matrix is a window: images one after the other, in each the
// windows by rows. Column posK + j is a position in the window: block of c0 channels, then row and column of the
// filter, then channel. Positions outside of the feature map, or beyond its channels and images, have the padding
// value. Repetitions start further down or to the right in the matrix and are placed below or next to one another.
// (hw-native-sys/pto-isa docs/isa/TIMG2COL.md, include/pto/cpu/TImg2col.hpp; repetition, position and transposition:
// CANN's AscendC API, SetLoadDataRepeat and LoadData Load3Dv2.)
void TIMG2COL(const Execution& e) {
    const Image& image = e.instruction.attributes.convolution().image;
    const Tile& given = e.tile(0);
    const Tile to = image.target(given);
    const Windows windows(image, e.tile(1));
    const int64_t pos_m = integer_of(e.scalar(2));
    const int64_t pos_k = integer_of(e.scalar(3));
    const bool along_k = image.repeat_mode != 0;
    const int64_t step = int64_t{image.repeat_stride} * (along_k ? e.tile(1).cols : 16);
    visit_bits(to.dtype, [&](auto type) {
        using T = decltype(type);
        for (int time = 0; time < image.repeat_time; ++time) {
            const int64_t m = pos_m + (along_k ? 0 : time * step);
            const int64_t k = pos_k + (along_k ? time * step : 0);
            const int first_row = along_k ? 0 : time * given.valid_rows;
            const int first_col = along_k ? time * given.valid_cols : 0;
            for (int row = 0; row < given.valid_rows; ++row)
                for (int col = 0; col < given.valid_cols; ++col) {
                    const T value = windows.element<T>(e.bytes[1], m + row, k + col);
                    int at[2] = {image.dst_position * 16 + first_row + row, first_col + col};
                    if (image.transpose) std::swap(at[0], at[1]);
                    write_lane(to, e.bytes[0], at[0], at[1], value);
                }
        }
    });
}

// ---- functions that its rows name ------------------------------------------------------------

namespace {

// Repeated and turned windows may fill all of the destination.
bool fills_whole(const Instruction& instruction, unsigned operand) {
    const Image& image = instruction.attributes.convolution().image;
    return operand == 0 && (image.repeat_time > 1 || image.transpose || image.dst_position != 0 ||
                            image.dst_stride != 0);
}

TouchedTiles touched_windows(const Instruction& instruction, unsigned operand) {
    const Tile& tile = instruction.tile(operand);
    return {{fills_whole(instruction, operand) ? whole_of(tile) : tile}, 1};
}

}  // namespace

}  // namespace ptosim::semantics

namespace ptosim::rules {

namespace {

// hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TImg2col.hpp.
bool check_image_tiles(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                       Problem& problem) {
    const Tile& dst = instruction.tile(0);
    const Tile& src = instruction.tile(1);
    if (dst.dtype != src.dtype)
        return fail(problem, "T01", 0,
                    operand_text(row, 0) + " is " + std::string(name(dst.dtype)) + ", but " +
                        operand_text(row, 1) + " is " + std::string(name(src.dtype)));
    if (layout_name(src) != "ND" || src.cols != c0_of(src.dtype) || src.pitch != src.cols)
        return fail(problem, "L02", 1,
                    operand_text(row, 1) + " is " + to_text(src) +
                        "; a feature map is ND with rows of " + std::to_string(c0_of(src.dtype)) +
                        " channels (32 bytes)");
    const std::string_view layout = layout_name(dst);
    const bool by_row = traits_of(arch).left_boxes_by_row,
               by_column = traits_of(arch).left_boxes_by_column;
    if (((by_row && layout == "ZZ") || (by_column && layout == "NZ")) && dst.fractal == 512)
        return true;
    const std::string_view wanted = by_column ? "NZ" : "ZZ";
    return fail(problem, "L02", 0,
                operand_text(row, 0) + " has layout " + std::string(layout_name(dst)) + "; " +
                    std::string(row.name) + " on " + std::string(name(arch)) + " makes " +
                    std::string(wanted));
}

constexpr LegalityRule image_tiles{
    "image_tiles", "T01 L02",
    "types are one; src is ND with rows of 32 bytes, dst is ZZ on a2a3 and NZ on a5",
    &check_image_tiles};

// CANN's AscendC API: SetLoadDataRepeat; LoadData, Load3Dv2: enTranspose is for 16-bit types on A2
// and A3; only the 950 has registers for the place in L0A.
bool image_target(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                  Problem& problem) {
    const Image& image = instruction.attributes.convolution().image;
    const Tile& dst = instruction.tile(0);
    if (!traits_of(arch).image_target_registers &&
        (image.dst_position != 0 || image.dst_stride != 0))
        return fail(problem, "P02", 0,
                    "dstStride and dstPosition are of a5; on " + std::string(name(arch)) +
                        " the target follows from " + operand_text(row, 0));
    if (image.transpose && !traits_of(arch).image_turns_all && bits(dst.dtype) != 16)
        return fail(problem, "P02", 0,
                    std::string(name(arch)) + " transposes 16-bit elements only; " +
                        operand_text(row, 0) + " is " + std::string(name(dst.dtype)));
    if (image.repeat_mode > 1)
        return fail(problem, "G13", 0, "the repetition must go along rows (0) or columns (1)");
    const Tile target = image.target(dst);
    Tile written = target;
    written.valid_rows = static_cast<int32_t>(image.target_rows(dst));
    written.valid_cols = static_cast<int32_t>(image.target_cols(dst));
    const bool fits = target.outer == OuterLayout::kColMajor ? written.valid_rows <= target.pitch
                                                             : written.valid_cols <= target.pitch;
    written.rows = written.valid_rows;  // what counts is the number of bytes
    written.cols = written.valid_cols;
    if (image.repeat_time == 0 || (fits && written.touched_bytes() <= dst.byte_size())) return true;
    return fail(problem, "G13", 0,
                shape_text(image.target_rows(dst), image.target_cols(dst)) +
                    " elements are written; " + operand_text(row, 0) + " is " +
                    shape_text(dst.rows, dst.cols),
                "make the tile larger, or the repetition, position or stride smaller");
}

bool check_image_windows(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                         Problem& problem) {
    const Image& image = instruction.attributes.convolution().image;
    const Tile& src = instruction.tile(1);
    if (image.height == 0 || image.width == 0)
        return fail(problem, "G13", 1, "the feature map has no extent",
                    image.registers != 0 ? "issue SETFMATRIX for this register set first"
                                         : "give its height and width");
    if (image.filter_height == 0 || image.filter_width == 0 || image.stride_height == 0 ||
        image.stride_width == 0 || image.dilation_height == 0 || image.dilation_width == 0)
        return fail(problem, "G13", 1,
                    "the window has a filter, stride or dilation of 0; they are at least 1");
    if (image.out_height() < 1 || image.out_width() < 1)
        return fail(problem, "G13", 1,
                    "no window of " + shape_text(image.filter_height, image.filter_width) +
                        " fits into the padded feature map of " +
                        shape_text(image.height, image.width));
    const int64_t blocks = std::max(1, (image.channels + src.cols - 1) / src.cols);
    const int64_t lines = blocks * image.height * image.width;
    if (src.rows < lines)
        return fail(problem, "G13", 1,
                    operand_text(row, 1) + " has " + std::to_string(src.rows) +
                        " rows; the feature map of " + std::to_string(blocks) + " x " +
                        shape_text(image.height, image.width) + " needs " + std::to_string(lines));
    for (unsigned i = 2; i < 4; ++i)
        if (static_cast<int64_t>(instruction.operands[i].scalar.bits) > UINT16_MAX)
            return fail(problem, "G13", static_cast<int>(i),
                        operand_text(row, i) + " is out of the range 0..65535");
    const int64_t windows = src.rows / lines * int64_t{image.out_height()} * image.out_width();
    const int64_t depth = blocks * src.cols * int64_t{image.filter_height} * image.filter_width;
    const auto position = [&](unsigned i) {
        return static_cast<int64_t>(instruction.operands[i].scalar.bits);
    };
    if (position(2) >= windows || position(3) >= depth)
        return fail(problem, "G13", position(2) >= windows ? 2 : 3,
                    "the matrix has " + std::to_string(windows) + " rows and " +
                        std::to_string(depth) + " columns; (" + std::to_string(position(2)) + ", " +
                        std::to_string(position(3)) + ") lies outside");
    return image_target(instruction, row, arch, problem);
}

constexpr LegalityRule image_windows{
    "image_windows", "G13 P02",
    "the feature map is in src, at least one window fits, and what is written fits into dst",
    &check_image_windows};

}  // namespace

}  // namespace ptosim::rules

namespace ptosim::rows {
#include "isa/instructions/convolution.def"
}  // namespace ptosim::rows
