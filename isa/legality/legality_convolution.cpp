// Rules of convolutions.
#include <algorithm>

#include "isa/core/arch.h"
#include "isa/legality/legality.h"
#include "isa/numeric/round_up.h"

namespace ptosim::rules {

namespace {

using enum GlobalLayout;

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
                "it goes from " + listed);
}

std::string dims_text(const ConvShape& shape) {
    std::string text{name(shape.layout)};
    for (size_t i = 0; i < shape.dims.size() && shape.dims[i] != 0; ++i)
        text += (i == 0 ? " " : "x") + std::to_string(shape.dims[i]);
    return text;
}

// Checks that a tile holds as many contiguous elements as its shape requires.
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
    const auto same = [&](char whole, char outer, int block) {
        return ceil_div(extent(to, whole, outer, block), block) ==
               ceil_div(extent(from, whole, outer, block), block);
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
    const ConvShape& shape = instruction.attributes.convolution().dst;
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
    const ConvShape& to = instruction.attributes.convolution().dst;
    const ConvShape& from = instruction.attributes.convolution().src;
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

}  // namespace ptosim::rules
