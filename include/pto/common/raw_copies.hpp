// Transfers below the level of tiles, described as transfers of tiles of bytes.
//
// A burst is a row: `count` rows of `length` bytes, with gaps between them. Lengths and gaps are
// in blocks of 32 bytes unless the name says `align` (hw-native-sys/pto-isa docs/isa/scalar/ops,
// CCE intrinsics of the same names).
#pragma once

#include "pto/common/intrinsics.hpp"

namespace pto::ptosim_detail {

inline constexpr int64_t kBlock = 32;

inline ptosim_operand byte_rows(uint8_t space, const void* address, int64_t count, int64_t length,
                                int64_t pitch) {
    ptosim_tile tile{};
    tile.space = space;
    tile.dtype = PTOSIM_U8;
    tile.fractal = 512;
    tile.address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address));
    tile.rows = tile.valid_rows = static_cast<int32_t>(count);
    tile.cols = tile.valid_cols = static_cast<int32_t>(length);
    tile.pitch = static_cast<int32_t>(pitch);
    return operand(tile);
}
inline ptosim_operand byte_view(const void* address, int64_t count, int64_t length, int64_t pitch) {
    ptosim_operand view{};
    view.kind = PTOSIM_GLOBAL_OPERAND;
    view.global.address = reinterpret_cast<uintptr_t>(address);
    view.global.dtype = PTOSIM_U8;
    for (int i = 0; i < 5; ++i) view.global.shape[i] = 1;
    for (int i = 0; i < 3; ++i) view.global.stride[i] = count * pitch;
    view.global.shape[3] = static_cast<int32_t>(count);
    view.global.shape[4] = static_cast<int32_t>(length);
    view.global.stride[3] = pitch;
    view.global.stride[4] = 1;
    return view;
}

struct Bursts {
    int64_t count, length, source_gap, destination_gap;  // bytes
};
inline Bursts blocks(int64_t count, int64_t length, int64_t source_gap, int64_t destination_gap) {
    return {count, length * kBlock, source_gap * kBlock, destination_gap * kBlock};
}

inline void load_bytes(uint8_t space, const void* dst, const void* src, Bursts b,
                       ptosim_location where) {
    issue(PTO_DETAIL_OPCODE(TLOAD), where,
          {byte_rows(space, dst, b.count, b.length, b.length + b.destination_gap),
           byte_view(src, b.count, b.length, b.length + b.source_gap)});
}
inline void store_bytes(uint8_t space, const void* dst, const void* src, Bursts b,
                        ptosim_location where) {
    issue(PTO_DETAIL_OPCODE(TSTORE), where,
          {byte_view(dst, b.count, b.length, b.length + b.destination_gap),
           byte_rows(space, src, b.count, b.length, b.length + b.source_gap)});
}
inline void move_bytes(uint8_t to, const void* dst, uint8_t from, const void* src, Bursts b,
                       int sub_block, ptosim_location where) {
    issue(PTO_DETAIL_OPCODE(TMOV), where,
          {byte_rows(to, dst, b.count, b.length, b.length + b.destination_gap),
           byte_rows(from, src, b.count, b.length, b.length + b.source_gap)},
          {attribute(PTOSIM_ATTR_ACC_TO_VEC, sub_block)});
}

}  // namespace pto::ptosim_detail

// The parameters that every transfer by blocks has after its addresses.
#define PTO_DETAIL_BLOCKS                                                                \
    int64_t, int64_t count, int64_t length, int64_t source_gap, int64_t destination_gap, \
        PTO_DETAIL_WHERE

#ifdef PTO_NPU_ARCH_A5  // a2a3 has them as intrinsics: cce/intrinsics.hpp
inline void copy_gm_to_ubuf(void* dst, const void* src, PTO_DETAIL_BLOCKS) {
    using namespace pto::ptosim_detail;
    load_bytes(PTOSIM_UB, dst, src, blocks(count, length, source_gap, destination_gap), where);
}
inline void copy_ubuf_to_gm(void* dst, const void* src, PTO_DETAIL_BLOCKS) {
    using namespace pto::ptosim_detail;
    store_bytes(PTOSIM_UB, dst, src, blocks(count, length, source_gap, destination_gap), where);
}
inline void copy_cbuf_to_gm(void* dst, const void* src, PTO_DETAIL_BLOCKS) {
    using namespace pto::ptosim_detail;
    store_bytes(PTOSIM_L1, dst, src, blocks(count, length, source_gap, destination_gap), where);
}
#endif
inline void copy_ubuf_to_cbuf(void* dst, const void* src, PTO_DETAIL_BLOCKS) {
    using namespace pto::ptosim_detail;
    move_bytes(PTOSIM_L1, dst, PTOSIM_UB, src, blocks(count, length, source_gap, destination_gap),
               0, where);
}
#ifdef PTO_NPU_ARCH_A5
inline void copy_ubuf_to_ubuf(void* dst, const void* src, PTO_DETAIL_BLOCKS) {
    using namespace pto::ptosim_detail;
    move_bytes(PTOSIM_UB, dst, PTOSIM_UB, src, blocks(count, length, source_gap, destination_gap),
               0, where);
}
#endif
#undef PTO_DETAIL_BLOCKS
// Into the UB of an AIV of the cluster.
inline void copy_cbuf_to_ubuf(void* dst, const void* src, int64_t sub_block, int64_t count,
                              int64_t length, int64_t source_gap, int64_t destination_gap,
                              PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    move_bytes(PTOSIM_UB, dst, PTOSIM_L1, src, blocks(count, length, source_gap, destination_gap),
               static_cast<int>(sub_block), where);
}

#ifdef PTO_NPU_ARCH_A5
// Lengths and the gaps in global memory in bytes.
inline void copy_gm_to_ubuf_align_b8(void* dst, const void* src, int64_t, int64_t count,
                                     int64_t length, int64_t, int64_t, int64_t source_gap,
                                     int64_t destination_gap, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    load_bytes(PTOSIM_UB, dst, src,
               {count, length, source_gap,
                (length + kBlock - 1) / kBlock * kBlock - length + destination_gap * kBlock},
               where);
}
inline void copy_ubuf_to_gm_align_b8(void* dst, const void* src, int64_t, int64_t count,
                                     int64_t length, int64_t, int64_t, int64_t source_gap,
                                     int64_t destination_gap, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    store_bytes(
        PTOSIM_UB, dst, src,
        {count, length, (length + kBlock - 1) / kBlock * kBlock - length + source_gap * kBlock,
         destination_gap},
        where);
}
// Distances from row to row, in bytes.
inline void copy_ubuf_to_gm_align_v2(void* dst, const void* src, int64_t, int64_t count,
                                     int64_t length, int64_t, int64_t destination_stride,
                                     int64_t source_stride, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    const bool single = count == 1;
    store_bytes(PTOSIM_UB, dst, src,
                {count, length, single ? 0 : source_stride - length,
                 single ? 0 : destination_stride - length},
                where);
}
#define PTO_DETAIL_LOAD_BURSTS(Name_, Space_)                                                     \
    inline void Name_(void* dst, const void* src, int64_t, int64_t count, int64_t length, int64_t, \
                      int64_t, int64_t, int64_t, int64_t source_stride,                            \
                      int64_t destination_stride, PTO_DETAIL_WHERE) {                              \
        using namespace pto::ptosim_detail;                                                        \
        const bool single = count == 1;                                                            \
        load_bytes(Space_, dst, src,                                                               \
                   {count, length, single ? 0 : source_stride - length,                            \
                    single ? 0 : destination_stride - length},                                     \
                   where);                                                                         \
    }
PTO_DETAIL_LOAD_BURSTS(copy_gm_to_ubuf_align_v2, PTOSIM_UB)
PTO_DETAIL_LOAD_BURSTS(copy_gm_to_cbuf_align_v2, PTOSIM_L1)
#undef PTO_DETAIL_LOAD_BURSTS
#endif

// The scalar unit copies from UB or global memory, 8 bytes at a time and the rest by 4, 2 and 1, into a variable
// of the kernel.
inline void copy_data_align64(uint8_t* dst, const void* src, uint64_t bytes, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    const auto begin = reinterpret_cast<uintptr_t>(src);
    uint64_t done = 0;
    const auto copy_words = [&](uint8_t dtype, uint64_t size) {
        for (; bytes - done >= size; done += size) {
            ptosim_tile word = byte_rows(PTOSIM_UB, reinterpret_cast<const void*>(begin + done), 1, 1, 1).tile;
            word.dtype = dtype;
            const uint64_t bits = begin < PTOSIM_UB_END ? ptosim_load_local(&word, 0, where)
                                                        : ptosim_load_global(begin + done, dtype, where);
            __builtin_memcpy(dst + done, &bits, size);
        }
    };
    copy_words(PTOSIM_U64, 8);
    copy_words(PTOSIM_U32, 4);
    copy_words(PTOSIM_U16, 2);
    copy_words(PTOSIM_U8, 1);
}

#ifdef PTO_NPU_ARCH_A5
// Fills L1: `configuration` holds the rows in bits 14:0, their blocks in 30:16 and the blocks
// between them in 46:32; each block is one value.
template <class T_, class Value>
void create_cbuf_matrix(T_* dst, int64_t configuration, Value value, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    const int64_t rows = configuration & 0x7fff, length = (configuration >> 16) & 0x7fff,
                  gap = (configuration >> 32) & 0x7fff;
    using Element = std::conditional_t<sizeof(T_) == 2, uint16_t, uint32_t>;
    Element bits{};
    if constexpr (std::is_integral_v<Value>) {
        bits = static_cast<Element>(value);
    } else {
        bits = static_cast<Element>(to_bits(value));
    }
    constexpr int64_t kElements = kBlock / sizeof(Element);
    ptosim_operand tile =
        byte_rows(PTOSIM_L1, dst, rows, length * kElements, (length + gap) * kElements);
    tile.tile.dtype = element_type<Element>;
    issue(PTO_DETAIL_OPCODE(TEXPANDS), where, {tile, scalar(bits)});
}

// Fills UB with a value, as many elements as the mask counts.
template <class T_>
void vector_dup(T_* dst, T_ value, int64_t repeats, int64_t, int64_t, int64_t repeat_stride,
                int64_t, PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    constexpr int64_t kElements = 256 / sizeof(T_);
    const bool counted = core_register(PTOSIM_REGISTER_COUNTER) != 0;
    const int64_t rows = counted ? 1 : repeats;
    const int64_t columns = counted ? static_cast<int64_t>(core_register(PTOSIM_REGISTER_MASK_LOW)) : kElements;
    ptosim_operand tile =
        byte_rows(PTOSIM_UB, dst, rows, columns,
                  counted ? columns : repeat_stride * kBlock / static_cast<int64_t>(sizeof(T_)));
    tile.tile.dtype = element_type<T_>;
    issue(PTO_DETAIL_OPCODE(TEXPANDS), where, {tile, scalar(value)});
}

// L0C to rows of global memory, in the fixpipe's conversion.
template <class To, class From>
void copy_matrix_cc_to_gm(To* dst, const From* src, int64_t, int64_t columns, int64_t rows,
                          int64_t destination_stride, int64_t source_stride, int64_t unit_flag,
                          uint64_t, int64_t relu, bool channel_split, bool to_rows,
                          PTO_DETAIL_WHERE) {
    using namespace pto::ptosim_detail;
    if ((core_register(PTOSIM_REGISTER_ND_PARA) & 0xffff) > 1) {
        ptosim_trap("copy_matrix_cc_to_gm: several matrices at once (set_nd_para) are not supported",
                    where);
    }
    if (!to_rows || channel_split) {
        ptosim_trap("copy_matrix_cc_to_gm: only to rows (NZ2ND), without split channels", where);
    }
    ptosim_tile tile{};
    tile.space = PTOSIM_L0C;
    tile.dtype = element_type<From>;
    tile.outer = PTOSIM_OUTER_COL;
    tile.inner = PTOSIM_INNER_ROW;
    tile.fractal = 1024;
    tile.address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(src));
    tile.rows = static_cast<int32_t>(source_stride);
    tile.cols = static_cast<int32_t>((columns + 15) / 16 * 16);
    tile.valid_rows = static_cast<int32_t>(rows);
    tile.valid_cols = static_cast<int32_t>(columns);
    ptosim_operand view = byte_view(dst, rows, columns, destination_stride);
    view.global.dtype = element_type<To>;
    issue(PTO_DETAIL_OPCODE(TSTORE), where, {view, operand(tile)},
          {attribute(PTOSIM_ATTR_RELU, relu), attribute(PTOSIM_ATTR_PHASE, unit_flag)});
}
// The same with packed arguments (isa/intrinsics/intrinsic_fixpipe.cpp has their bits).
template <class To, class From>
void copy_matrix_cc_to_gm(To* dst, const From* src, uint64_t size, uint64_t modes, PTO_DETAIL_WHERE) {
    const uint64_t conversion = (modes >> 34 & 0x1f) | (modes >> 29 & 1) << 5;
    if (conversion != 0 && conversion != 1 && conversion != 16)
        ptosim_trap("copy_matrix_cc_to_gm: only modes without scales (NoQuant, F322F16, F322BF16)", where);
    if ((modes >> 62 & 1) != 0) ptosim_trap("copy_matrix_cc_to_gm: columns (NZ2DN) are not supported", where);
    copy_matrix_cc_to_gm(dst, src, 0, static_cast<int64_t>(size >> 4 & 0xfff), static_cast<int64_t>(size >> 16 & 0xffff),
                         static_cast<int64_t>(size >> 32), static_cast<int64_t>(modes & 0xffff),
                         static_cast<int64_t>(modes >> 32 & 3), conversion, static_cast<int64_t>(modes >> 39 & 7),
                         (modes >> 42 & 1) != 0, (modes >> 43 & 1) != 0, where);
}
#endif
