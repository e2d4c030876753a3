#include "isa/semantics/view_lines.h"

#include <algorithm>
#include <cstring>

#include "isa/numeric/wide.h"

namespace ptosim::semantics {

namespace {

// One side of a copy of lines, each made of runs. Distances are in bytes.
struct Side {
    std::byte* first;
    int64_t line;
    int64_t run;
};

struct Lines {
    Side to, from;
    int64_t lines;
    int64_t runs;   // of each line
    int64_t bytes;  // of each run
};

void copy_runs(const Lines& l) {
    for (int64_t i = 0; i < l.lines; ++i)
        for (int64_t r = 0; r < l.runs; ++r)
            std::memmove(l.to.first + i * l.to.line + r * l.to.run, l.from.first + i * l.from.line + r * l.from.run,
                         static_cast<size_t>(l.bytes));
}

// Copies runs of kBytes: kCount lines at a time and all their runs, so that both sides are accessed in whole cache
// lines. Prefetches the next lines, because in global memory each is in another page, which the host's prefetcher does
// not follow.
template <int64_t kBytes, int64_t kCount>
void copy_together(const Lines& l, int64_t first, int64_t ahead) {
    constexpr int64_t kPerCacheLine = std::max<int64_t>(1, 64 / kBytes);
    std::byte* to = l.to.first + first * l.to.line;
    const std::byte* from = l.from.first + first * l.from.line;
    for (int64_t r = 0; r < l.runs; ++r, to += l.to.run, from += l.from.run) {
        std::byte bytes[kCount][kBytes];
        for (int64_t k = 0; k < kCount; ++k) std::memcpy(bytes[k], from + k * l.from.line, kBytes);
        if (r % kPerCacheLine == 0)
            for (int64_t k = 0; k < kCount; ++k) __builtin_prefetch(from + ahead + k * l.from.line);
        for (int64_t k = 0; k < kCount; ++k) std::memcpy(to + k * l.to.line, bytes[k], kBytes);
    }
}

template <int64_t kBytes>
void copy_short_runs(const Lines& lines) {
    widest([l = lines] {
        constexpr int64_t kTogether = kBytes <= 32 ? 16 : 4;
        int64_t i = 0;
        for (; i + kTogether <= l.lines; i += kTogether)
            copy_together<kBytes, kTogether>(l, i, std::min(kTogether, l.lines - kTogether - i) * l.from.line);
        for (; i < l.lines; ++i) copy_together<kBytes, 1>(l, i, 0);
    });
}

void copy(const Lines& l) {
    switch (l.runs > 1 ? l.bytes : 0) {
        case 16:
            return copy_short_runs<16>(l);
        case 32:
            return copy_short_runs<32>(l);
        case 64:
            return copy_short_runs<64>(l);
        default:
            return copy_runs(l);
    }
}

// Lines of a tile from a row on.
Side side_of(const Tile& tile, std::byte* bytes, int row) {
    const int64_t size = ptosim::bits(tile.dtype) / 8;
    const int64_t line = tile.boxed() ? tile.box_cols() : tile.pitch;
    return {bytes + row * line * size, line * size, int64_t{tile.box_cols()} * tile.pitch * size};
}

}  // namespace

bool copy_view_lines(const GlobalView& view, std::byte* view_bytes, const Tile& tile, std::byte* tile_bytes, int rows,
                     int cols, Way way) {
    const bool nz = tile.outer == OuterLayout::kColMajor && tile.inner == InnerLayout::kRowMajor;
    const bool nd = tile.outer == OuterLayout::kRowMajor && !tile.boxed();
    const int64_t size = ptosim::bits(tile.dtype) / 8;
    if (!(nz || nd) || view.layout != GlobalLayout::kND || (view.stride[4] != 1 && cols > 1) || size == 0) return false;
    const int box = nz ? std::min(tile.box_cols(), cols) : cols;
    const int whole = box == 0 ? 0 : cols / box, rest = box == 0 ? 0 : cols % box;
    // Rows are counted along dimension 3, then 2, 1 and 0.
    std::array<int64_t, 3> at{};
    for (int row = 0; row < rows;) {
        const int count = view.shape[3] > 0 ? std::min(view.shape[3], rows - row) : rows - row;
        const int64_t first = at[0] * view.stride[0] + at[1] * view.stride[1] + at[2] * view.stride[2];
        const Side outside{view_bytes + first * size, view.stride[3] * size, box * size};
        const Side inside = side_of(tile, tile_bytes, row);
        Lines lines{way == Way::kToTile ? inside : outside, way == Way::kToTile ? outside : inside, count, whole,
                    box * size};
        copy(lines);
        if (rest > 0) {
            lines.to.first += whole * lines.to.run;
            lines.from.first += whole * lines.from.run;
            lines.runs = 1;
            lines.bytes = rest * size;
            copy(lines);
        }
        row += count;
        for (size_t i = 3; i-- > 0;) {
            if (++at[i] < view.shape[i] || i == 0) break;
            at[i] = 0;
        }
    }
    return true;
}

}  // namespace ptosim::semantics
