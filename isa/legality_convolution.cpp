// Rules of convolutions.
#include <algorithm>

#include "isa/arch.h"
#include "isa/legality.h"

namespace ptosim::rules {

namespace {

using enum GlobalLayout;

int c0_of(DType type) { return static_cast<int>(32 * 8 / bits(type)); }

struct Change {
    GlobalLayout from, to;
    ArchCondition on = nullptr;
};
using A = ArchTraits;

// hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TLoad.hpp, CheckConvTileData.
constexpr Change kLoads[] = {
    {kNC1HWC0, kNC1HWC0},
    {kFractalZ, kFractalZ},
    {kFractalZ3D, kFractalZ3D, &A::loads_conv_3d},
    {kNDC1HWC0, kNDC1HWC0, &A::loads_conv_3d},
    {kNHWC, kNC1HWC0, &A::loads_conv_by_layout},
    {kNCHW, kNC1HWC0, &A::loads_conv_by_layout},
    {kNCHW, kFractalZ, &A::loads_conv_by_layout},
    {kNCDHW, kFractalZ3D, &A::loads_conv_by_layout},
    {kNCDHW, kNDC1HWC0, &A::loads_conv_by_layout},
};

// include/pto/npu/{a2a3,a5}/TTrans.hpp, TTransImplConvTile.
constexpr Change kTurns[] = {
    {kNCHW, kNC1HWC0},
    {kGNCHW, kGNC1HWC0},
    {kNC1HWC0, kFractalZ},
    {kGNC1HWC0, kFractalZ},
    {kNC1HWC0, kNCHW, &A::turns_conv_back},
    {kGNC1HWC0, kGNCHW, &A::turns_conv_back},
    {kNCDHW, kFractalZ3D, &A::turns_conv_back},
};

bool has_change(std::span<const Change> changes, GlobalLayout from, GlobalLayout to, Arch arch,
                const InstructionInfo& row, Problem& problem) {
    std::string listed;
    for (const Change& change : changes) {
        if (!holds(change.on, arch)) continue;
        if (change.from == from && change.to == to) return true;
        listed += (listed.empty() ? "" : ", ") + std::string(name(change.from)) + " to " +
                  std::string(name(change.to));
    }
    return fail(problem, "L03", 0,
                std::string(row.name) + " on " + std::string(name(arch)) + " does not go from " +
                    std::string(name(from)) + " to " + std::string(name(to)),
                "it knows " + listed);
}

std::string dims_text(const ConvShape& shape) {
    std::string text{name(shape.layout)};
    for (size_t i = 0; i < shape.dims.size() && shape.dims[i] != 0; ++i)
        text += (i == 0 ? " " : "x") + std::to_string(shape.dims[i]);
    return text;
}

// A tile holds as many elements as its shape says, one after the other.
bool holds(const Tile& tile, const ConvShape& shape, unsigned operand, const InstructionInfo& row,
           Problem& problem) {
    Tile dense = tile;
    set_dense_pitch(dense);
    const bool contiguous = !tile.boxed() && tile.outer == OuterLayout::kRowMajor &&
                            tile.pitch == dense.pitch && bits(tile.dtype) >= 8;
    const int64_t room = int64_t{tile.rows} * tile.cols;
    if (contiguous && shape.elements() > 0 && shape.elements() <= room) return true;
    return fail(problem, "L03", static_cast<int>(operand),
                operand_text(row, operand) + " is " + to_text(tile) + ", which cannot hold " +
                    dims_text(shape),
                "a convolution tile is ND with rows of 32 bytes");
}

int64_t extent(std::span<const ConvAxis> axes, char whole, char outer, int64_t inner) {
    for (const ConvAxis& axis : axes) {
        if (axis.axis == whole) return axis.extent;
        if (axis.axis == outer) return axis.extent * inner;
    }
    return 1;
}

// Positions are the same; channels and filters fill their last block at most.
bool same_extents(std::span<const ConvAxis> to, std::span<const ConvAxis> from, ConvBlocks blocks) {
    if (to.empty() || from.empty()) return false;
    for (const char axis : {'g', 'd', 'h', 'w'})
        if (extent(to, axis, 0, 1) != extent(from, axis, 0, 1)) return false;
    const auto up = [](int64_t value, int64_t unit) { return (value + unit - 1) / unit; };
    const auto same = [&](char whole, char outer, int block) {
        return up(extent(to, whole, outer, block), block) ==
               up(extent(from, whole, outer, block), block);
    };
    return same('c', 'C', blocks.channels) && same('n', 'N', blocks.filters);
}

bool wrong_extents(const ConvShape& to, const ConvShape& from, Problem& problem) {
    return fail(problem, "S04", 0,
                dims_text(to) + " and " + dims_text(from) +
                    " are not of the same extents, or not made of blocks of c0 channels and n0 "
                    "filters");
}

}  // namespace

bool convolution_load(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                      Problem& problem) {
    const Tile& tile = instruction.tile(0);
    const GlobalView& view = instruction.operands[1].global;
    const ConvShape& shape = instruction.attributes.conv_dst;
    if (!shape.given())
        return fail(problem, "L03", 0,
                    "a view of layout " + std::string(name(view.layout)) +
                        " is loaded into a convolution tile; " + operand_text(row, 0) +
                        " has no shape of one",
                    "give the attribute dstConv");
    if (tile.space != Space::kL1)
        return fail(problem, "L01", 0,
                    operand_text(row, 0) + " is in " + std::string(name(tile.space)) +
                        "; convolution tiles are loaded into L1");
    for (int32_t value : view.shape)
        if (value <= 0)
            return fail(problem, "S03", 1,
                        operand_text(row, 1) + " has an extent of " + std::to_string(value));
    if (!has_change(kLoads, view.layout, shape.layout, arch, row, problem) ||
        !holds(tile, shape, 0, row, problem))
        return false;
    const int c0 = c0_of(tile.dtype);
    const ConvShape source = conv_shape(view);
    if (view.layout == shape.layout) {
        ConvShape same = source, whole{view.layout, {}};
        if (view.layout == kNDC1HWC0) same.dims[5] = c0;
        // A filter of five extents may begin with 1.
        std::copy(view.shape.begin(), view.shape.end(), whole.dims.begin());
        if (same == shape || whole == shape) return true;
        return wrong_extents(shape, source, problem);
    }
    const ConvBlocks blocks{c0};
    if (same_extents(conv_axes(shape, source, blocks, false), conv_axes(view, c0), blocks))
        return true;
    return wrong_extents(shape, source, problem);
}

bool convolution_turn(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                      Problem& problem) {
    const ConvShape& to = instruction.attributes.conv_dst;
    const ConvShape& from = instruction.attributes.conv_src;
    if (!has_change(kTurns, from.layout, to.layout, arch, row, problem) ||
        !holds(instruction.tile(0), to, 0, row, problem) ||
        !holds(instruction.tile(1), as_stored(from, to), 1, row, problem))
        return false;
    const ConvBlocks blocks = conv_blocks(to, from, c0_of(instruction.tile(0).dtype));
    if (blocks.channels > 0 && blocks.filters > 0 &&
        same_extents(conv_axes(to, from, blocks, true), conv_axes(from, to, blocks, true), blocks))
        return true;
    return wrong_extents(to, from, problem);
}

bool quant_table(const Instruction& instruction, const InstructionInfo& row, Arch,
                 Problem& problem) {
    const DType type = instruction.tile(0).dtype;
    if (type == DType::kU64 || type == DType::kI64) return true;
    return fail(problem, "T12", 0,
                operand_text(row, 0) + " is " + std::string(name(type)) +
                    "; quantisation parameters are u64");
}

bool image_set(const Instruction& instruction, const InstructionInfo& row, Arch, Problem& problem) {
    const unsigned set = instruction.attributes.image.registers;
    if (set == 1 || set == 2) return true;
    return fail(problem, "G13", -1,
                std::string(row.name) + " names register set " + std::to_string(set) +
                    "; there are 1 (A) and 2 (B)");
}

// hw-native-sys/pto-isa include/pto/npu/{a2a3,a5}/TImg2col.hpp.
bool image_tiles(const Instruction& instruction, const InstructionInfo& row, Arch arch,
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

namespace {

// CANN's AscendC API: SetLoadDataRepeat; LoadData, Load3Dv2: enTranspose is for 16-bit types on A2
// and A3; only the 950 has registers for the place in L0A.
bool image_target(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                  Problem& problem) {
    const Image& image = instruction.attributes.image;
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
        return fail(problem, "G13", 0, "the repetition goes along rows (0) or columns (1)");
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

}  // namespace

bool image_windows(const Instruction& instruction, const InstructionInfo& row, Arch arch,
                   Problem& problem) {
    const Image& image = instruction.attributes.image;
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

}  // namespace ptosim::rules
