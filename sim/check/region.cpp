#include "sim/check/region.h"

#include <algorithm>

#include "isa/table/access.h"

namespace ptosim::check {
namespace {

// True if the line [begin, begin + width) meets a region.
bool line_meets(uint64_t begin, uint64_t width, const Region& region) {
    if (begin >= region.end() || begin + width <= region.begin) return false;
    if (region.lines == 1) return true;
    if (begin <= region.begin) return true;
    const uint64_t offset = (begin - region.begin) % region.pitch;
    return offset < region.width || offset + width > region.pitch;
}

Region dense(Region region) {
    if (region.lines > 1 && region.pitch <= region.width) {
        region.width = region.end() - region.begin;
        region.lines = 1;
    }
    if (region.lines == 1) region.pitch = 0;
    return region;
}

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) ? 1 : 0); }

struct Dimension {
    uint64_t extent = 1;
    uint64_t stride = 0;  // bytes
};

void view_regions(const GlobalView& view, std::vector<Region>& out) {
    if (view.elements() <= 0) return;
    std::array<Dimension, GlobalView::kRank> dimensions;
    size_t count = 0;
    for (int i = 0; i < GlobalView::kRank; ++i) {
        if (view.shape[i] == 1) continue;
        if (view.stride[i] <= 0 || bits(view.dtype) < 8) {
            out.push_back({view.address, view.span_bytes(), 0, 1});
            return;
        }
        const uint64_t stride = bytes(view.dtype, static_cast<size_t>(view.stride[i]));
        size_t at = count++;  // by stride
        for (; at > 0 && dimensions[at - 1].stride > stride; --at)
            dimensions[at] = dimensions[at - 1];
        dimensions[at] = {static_cast<uint64_t>(view.shape[i]), stride};
    }
    const auto inside = static_cast<size_t>(view.block_channels());
    Region region{view.address, bytes(view.dtype, inside), 0, 1};
    size_t next = 0;
    while (next < count && dimensions[next].stride <= region.width) {
        region.width += dimensions[next].stride * (dimensions[next].extent - 1);
        ++next;
    }
    if (next < count) {
        region.pitch = dimensions[next].stride;
        region.lines = dimensions[next++].extent;
        while (next < count && dimensions[next].stride == region.pitch * region.lines)
            region.lines *= dimensions[next++].extent;
    }
    size_t pieces = 1;
    for (size_t i = next; i < count; ++i) pieces *= dimensions[i].extent;
    if (pieces > kMostRegions) {
        out.push_back({view.address, view.span_bytes(), 0, 1});
        return;
    }
    for (size_t piece = 0; piece < pieces; ++piece) {
        size_t rest = piece;
        Region shifted = region;
        for (size_t i = next; i < count; ++i) {
            shifted.begin += rest % dimensions[i].extent * dimensions[i].stride;
            rest /= dimensions[i].extent;
        }
        out.push_back(dense(shifted));
    }
}

// The valid region of a tile; partly valid boxes count whole.
Region tile_region(const Tile& tile) {
    const auto size = [&tile](int64_t elements) {
        return bytes(tile.dtype, static_cast<size_t>(elements));
    };
    const bool row_major = tile.outer == OuterLayout::kRowMajor;
    const int64_t along = row_major ? tile.valid_cols : tile.valid_rows;
    const int64_t across = row_major ? tile.valid_rows : tile.valid_cols;
    Region region;
    region.begin = tile.address;
    if (!tile.boxed()) {
        region.width = size(along);
        region.pitch = size(tile.pitch);
        region.lines = static_cast<uint64_t>(across);
        return dense(region);
    }
    const int64_t box_across = row_major ? tile.box_rows() : tile.box_cols();
    const int64_t box_along = row_major ? tile.box_cols() : tile.box_rows();
    const bool lines_across_boxes =
        (tile.outer == OuterLayout::kColMajor) == (tile.inner == InnerLayout::kRowMajor);
    const int64_t used =
        lines_across_boxes ? along : (along + box_along - 1) / box_along * box_along;
    region.width = size(used * box_across);
    region.pitch = size(tile.pitch * box_across);
    region.lines = static_cast<uint64_t>((across + box_across - 1) / box_across);
    return dense(region);
}

}  // namespace

bool overlap(const Region& a, const Region& b) {
    if (a.begin >= b.end() || b.begin >= a.end()) return false;
    if (a.lines == 1) return line_meets(a.begin, a.width, b);
    if (b.lines == 1) return line_meets(b.begin, b.width, a);
    if (a.pitch == b.pitch) {
        // Lines i of a and j of b meet if -width_b < distance + (j - i) pitch < width_a.
        const auto pitch = static_cast<int64_t>(a.pitch);
        const int64_t distance = static_cast<int64_t>(b.begin) - static_cast<int64_t>(a.begin);
        const int64_t most = floor_divide(static_cast<int64_t>(a.width) - 1 - distance, pitch);
        const int64_t least = -floor_divide(static_cast<int64_t>(b.width) - 1 + distance, pitch);
        return std::max(least, 1 - static_cast<int64_t>(a.lines)) <=
               std::min(most, static_cast<int64_t>(b.lines) - 1);
    }
    const Region& few = a.lines <= b.lines ? a : b;
    const Region& many = a.lines <= b.lines ? b : a;
    for (uint64_t i = 0; i < few.lines; ++i)
        if (line_meets(few.begin + i * few.pitch, few.width, many)) return true;
    return false;
}

bool covers(const Region& outer, const Region& inner) {
    if (outer.lines == 1) return outer.begin <= inner.begin && inner.end() <= outer.end();
    if (outer.pitch != inner.pitch && inner.lines > 1) return false;
    if (inner.begin < outer.begin) return false;
    const uint64_t line = (inner.begin - outer.begin) / outer.pitch;
    const uint64_t offset = (inner.begin - outer.begin) % outer.pitch;
    return offset + inner.width <= outer.width && line + inner.lines <= outer.lines;
}

std::string range_text(uint64_t begin, uint64_t end) {
    return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

Range common(const Region& a, const Region& b) {
    return {std::max(a.begin, b.begin), std::min(a.end(), b.end())};
}

Region range_of(const Access& access) { return {access.begin, access.end - access.begin, 0, 1}; }

void regions_of(const Access& access, const Instruction& instruction, std::vector<Region>& out) {
    out.clear();
    if (access.end <= access.begin) return;
    if (access.padding) return out.push_back(range_of(access));
    if (access.global) return view_regions(touched_view(instruction, access.operand), out);
    const TouchedTiles touched = touched_tiles(instruction, access.operand);
    for (unsigned i = 0; i < touched.count; ++i) out.push_back(tile_region(touched.tiles[i]));
}

}  // namespace ptosim::check
