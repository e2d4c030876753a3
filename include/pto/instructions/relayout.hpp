// TTRANS of ConvTiles: from one order of an image or filter to another, within UB.
//
// Every conversion is a set of small matrices of C0 channels by H * W pixels, or of pixels by C0,
// that are copied or transposed; which ones, the two layouts say. Where rows are whole blocks of 32
// bytes that is done by TTRANS and TMOV, elsewhere by the scalar unit.
#pragma once

#include "pto/instructions/operation.hpp"

namespace pto::detail {

// A set of matrices: elements of dst and src for (image, block of channels, depth, pixel,
// channel).
struct Relayout {
    int64_t images, channel_blocks, depth, pixels, c0;
    int64_t channels;        // those that exist; the rest of the last block is zero
    int64_t dst[5], src[5];  // strides in elements
    bool fill = false;       // dst has elements that no source element goes to
};

struct RelayoutOperands {
    uintptr_t dst, src;
    uint8_t dtype;
    int64_t bytes;     // of an element
    int64_t elements;  // of dst
};

inline ptosim_tile matrix_at(uintptr_t address, uint8_t dtype, int64_t rows, int64_t cols,
                             int64_t pitch) {
    ptosim_tile tile{};
    tile.space = PTOSIM_UB;
    tile.dtype = dtype;
    tile.fractal = TileConfig::fractalABSize;
    tile.address = static_cast<uint32_t>(address);
    tile.rows = tile.valid_rows = static_cast<int32_t>(rows);
    tile.cols = tile.valid_cols = static_cast<int32_t>(cols);
    tile.pitch = static_cast<int32_t>(pitch);
    return tile;
}

inline void relayout_by_vector(const Relayout& r, const RelayoutOperands& o,
                               ptosim_location where) {
    if (r.fill) {
        issue(PTO_DETAIL_OPCODE(TEXPANDS), where,
              {operand(matrix_at(o.dst, o.dtype, 1, o.elements, o.elements)),
               scalar_operand(0, o.dtype)});
        if (kA2A3) pipe_barrier(PIPE_V, where);
    }
    for (int64_t n = 0; n < r.images; ++n) {
        for (int64_t c = 0; c < r.channel_blocks; ++c) {
            for (int64_t d = 0; d < r.depth; ++d) {
                const uintptr_t to =
                    o.dst +
                    static_cast<uintptr_t>((n * r.dst[0] + c * r.dst[1] + d * r.dst[2]) * o.bytes);
                const uintptr_t from =
                    o.src +
                    static_cast<uintptr_t>((n * r.src[0] + c * r.src[1] + d * r.src[2]) * o.bytes);
                const int64_t left = r.channels - c * r.c0;
                const int64_t channels = left < r.c0 ? left : r.c0;
                if (r.src[4] == 1 && r.dst[4] == 1) {
                    issue(PTO_DETAIL_OPCODE(TMOV), where,
                          {operand(matrix_at(to, o.dtype, r.pixels, r.c0, r.dst[3])),
                           operand(matrix_at(from, o.dtype, r.pixels, r.c0, r.src[3]))});
                } else if (r.dst[4] == 1) {
                    issue(PTO_DETAIL_OPCODE(TTRANS), where,
                          {operand(matrix_at(to, o.dtype, r.pixels, channels, r.dst[3])),
                           operand(matrix_at(from, o.dtype, channels, r.pixels, r.src[4]))});
                } else {
                    issue(PTO_DETAIL_OPCODE(TTRANS), where,
                          {operand(matrix_at(to, o.dtype, channels, r.pixels, r.dst[4])),
                           operand(matrix_at(from, o.dtype, r.pixels, channels, r.src[3]))});
                }
            }
        }
    }
}

inline void relayout_by_scalar(const Relayout& r, const RelayoutOperands& o,
                               ptosim_location where) {
    set_flag(PIPE_V, PIPE_S, EVENT_ID0, where);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0, where);
    const ptosim_tile to = matrix_at(o.dst, o.dtype, 1, o.elements, o.elements);
    const ptosim_tile from = matrix_at(o.src, o.dtype, 1, o.elements, o.elements);
    if (r.fill) {
        for (int64_t i = 0; i < o.elements; ++i) ptosim_store_local(&to, i, 0, where);
    }
    for (int64_t n = 0; n < r.images; ++n) {
        for (int64_t channel = 0; channel < r.channels; ++channel) {
            const int64_t c = channel / r.c0, c0 = channel % r.c0;
            for (int64_t d = 0; d < r.depth; ++d) {
                for (int64_t p = 0; p < r.pixels; ++p) {
                    const int64_t at[5] = {n, c, d, p, c0};
                    int64_t into = 0, out_of = 0;
                    for (int i = 0; i < 5; ++i) {
                        into += at[i] * r.dst[i];
                        out_of += at[i] * r.src[i];
                    }
                    ptosim_store_local(&to, into, ptosim_load_local(&from, out_of, where), where);
                }
            }
        }
    }
    set_flag(PIPE_S, PIPE_V, EVENT_ID0, where);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0, where);
}

inline void relayout(const Relayout& r, const RelayoutOperands& o, ptosim_location where) {
    const bool whole_blocks = r.c0 * o.bytes % 32 == 0 && r.pixels * o.bytes % 32 == 0;
    if (whole_blocks) {
        relayout_by_vector(r, o, where);
    } else {
        relayout_by_scalar(r, o, where);
    }
}

// The strides of an image in (image, block of channels, depth, pixel, channel of the block).
struct ImageStrides {
    int64_t values[5];
};
constexpr ImageStrides plain(int64_t channels, int64_t depth, int64_t pixels, int64_t c0) {
    return {{channels * depth * pixels, c0 * depth * pixels, pixels, 1, depth * pixels}};
}
constexpr ImageStrides blocked(int64_t blocks, int64_t pixels, int64_t c0) {
    return {{blocks * pixels * c0, pixels * c0, 0, c0, 1}};
}

template <class Dst, class Src, class Tmp>
RecordEvent relayout(Dst& dst, Src& src, Tmp&, ptosim_location where) {
    constexpr Layout kFrom = Src::layout;
    constexpr Layout kTo = Dst::layout;
    // Groups of images are more images, except for filters.
    constexpr int kGroup = kFrom == Layout::GNCHW || kFrom == Layout::GNC1HWC0 ? 1 : 0;
    const auto& s = src.shape;
    const auto& d = dst.shape;
    const int64_t groups = kGroup == 1 ? s[0] : 1;
    const int64_t n = s[kGroup];
    Relayout r{};
    ImageStrides from{}, to{};
    if constexpr ((kFrom == Layout::NCHW && kTo == Layout::NC1HWC0) ||
                  (kFrom == Layout::GNCHW && kTo == Layout::GNC1HWC0)) {
        const int64_t channels = s[kGroup + 1], pixels = s[kGroup + 2] * s[kGroup + 3];
        const int64_t blocks = d[kGroup + 1], c0 = d[kGroup + 4];
        r = {groups * n, blocks, 1, pixels, c0, channels, {}, {}, channels < blocks * c0};
        from = plain(channels, 1, pixels, c0);
        to = blocked(blocks, pixels, c0);
    } else if constexpr ((kFrom == Layout::NC1HWC0 && kTo == Layout::NCHW) ||
                         (kFrom == Layout::GNC1HWC0 && kTo == Layout::GNCHW)) {
        const int64_t blocks = s[kGroup + 1], pixels = s[kGroup + 2] * s[kGroup + 3];
        const int64_t channels = d[kGroup + 1], c0 = s[kGroup + 4];
        r = {groups * n, blocks, 1, pixels, c0, channels, {}, {}, false};
        from = blocked(blocks, pixels, c0);
        to = plain(channels, 1, pixels, c0);
    } else if constexpr ((kFrom == Layout::NC1HWC0 || kFrom == Layout::GNC1HWC0) &&
                         kTo == Layout::FRACTAL_Z) {
        const int64_t pixels = s[kGroup + 1] * s[kGroup + 2] * s[kGroup + 3];
        const int64_t c0 = s[kGroup + 4], padded = d[1] * d[2];
        // [group][C1 H W][N1_ N0][C0]: a group is a depth here.
        r = {n, 1, groups, pixels, c0, c0, {}, {}, padded > n};
        from = {{pixels * c0, 0, n * pixels * c0, c0, 1}};
        to = {{c0, 0, pixels * padded * c0, padded * c0, 1}};
    } else {
        static_assert(kFrom == Layout::NCDHW && kTo == Layout::FRACTAL_Z_3D,
                      "PTO: TTRANS between these layouts of ConvTiles is not supported");
        const int64_t channels = s[1], depth = s[2], pixels = s[3] * s[4];
        const int64_t c0 = d[3], padded = d[1] * d[2], blocks = (channels + c0 - 1) / c0;
        r = {n, blocks, depth, pixels, c0, channels, {}, {}, padded > n || channels < blocks * c0};
        from = plain(channels, depth, pixels, c0);
        to = {{c0, pixels * padded * c0, blocks * pixels * padded * c0, padded * c0, 1}};
    }
    for (int i = 0; i < 5; ++i) {
        r.src[i] = from.values[i];
        r.dst[i] = to.values[i];
    }
    int64_t elements = 1;
    for (int i = 0; i < Dst::totalDimCount; ++i) elements *= d[i];
    relayout(r,
             {dst.address, src.address, element_type<typename Dst::DType>,
              static_cast<int64_t>(sizeof(typename Dst::DType)), elements},
             where);
    return {where};
}

}  // namespace pto::detail
