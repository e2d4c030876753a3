// Transfers between global memory and tiles; addresses of tiles.
#pragma once

#include "pto/common/buffer_limits.hpp"
#include "pto/common/intrinsics.hpp"
#include "pto/instructions/operation.hpp"

namespace pto {

// ---- addresses -------------------------------------------------------------------------------
// A tile takes a number or a pointer of its memory, a GlobalTensor a pointer.
template <typename T_, typename Address>
void TASSIGN(T_& object, Address address) {
    if constexpr (std::is_base_of_v<ptosim_detail::GlobalBase, T_>) {
        static_assert(std::is_pointer_v<Address>, "PTO: a GlobalTensor is assigned a pointer");
        object.SetAddr(address);
    } else if constexpr (std::is_pointer_v<Address>) {
        object.assign_address(reinterpret_cast<uintptr_t>(address));
    } else {
        static_assert(std::is_integral_v<Address> || std::is_enum_v<Address>,
                      "PTO: a tile is assigned an address");
        object.assign_address(static_cast<uintptr_t>(address));
    }
}

namespace ptosim_detail {

// Bytes that C++ counts; elements of 4 bits have a byte each in it.
template <class T_>
constexpr size_t storage_bytes() {
    if constexpr (is_conv_tile_v<T_>) {
        return T_::bufferSize * sizeof(typename T_::DType);
    } else {
        return static_cast<size_t>(T_::Numel) * sizeof(typename T_::DType);
    }
}

}  // namespace ptosim_detail

// An address that is checked when compiled.
template <size_t Address_, typename T_>
std::enable_if_t<is_tile_data_v<T_> || is_conv_tile_v<T_>> TASSIGN(T_& tile) {
    constexpr size_t kCapacity = ptosim_detail::capacity<T_::Loc>;
    static_assert(Address_ % 32 == 0, "PTO: TASSIGN of an address that is not a multiple of 32");
    static_assert(ptosim_detail::storage_bytes<T_>() <= kCapacity,
                  "PTO: TASSIGN of a tile that is larger than its memory");
    static_assert(Address_ + ptosim_detail::storage_bytes<T_>() <= kCapacity,
                  "PTO: TASSIGN of a tile beyond the end of its memory");
    tile.assign_address(Address_);
}

// dst is another name for the bytes of src.
template <typename Dst, typename Src>
RecordEvent TRESHAPE(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    static_assert(Dst::Loc == Src::Loc, "PTO: TRESHAPE stays in one memory");
    static_assert(ptosim_detail::storage_bytes<Dst>() == ptosim_detail::storage_bytes<Src>(),
                  "PTO: TRESHAPE keeps the number of bytes");
    static_assert(Dst::isBoxedLayout == Src::isBoxedLayout,
                  "PTO: TRESHAPE is between two boxed or two unboxed tiles");
    PTO_DETAIL_WAIT;
    dst.assign_address(src.address);
    ptosim_scalar_work(1);
    return {where};
}

// dst names the part of src from (row, col) on.
template <typename Dst, typename Src>
RecordEvent TSUBVIEW(Dst& dst, Src& src, uint16_t rowIdx, uint16_t colIdx, PTO_DETAIL_EVENTS) {
    static_assert(Dst::Loc == Src::Loc, "PTO: TSUBVIEW stays in one memory");
    PTO_DETAIL_WAIT;
    const size_t offset = static_cast<size_t>(rowIdx) * Src::RowStride + colIdx * Src::ColStride;
    dst.assign_address(src.address + offset * sizeof(typename Src::DType));
    ptosim_scalar_work(2);
    return {where};
}

#ifdef PTO_NPU_ARCH_A5
// The scales that belong to an address of L0A or L0B.
template <typename T_>
uint64_t GetScaleAddr(T_* address) {
    return reinterpret_cast<uintptr_t>(address) >> SHIFT_MX_ADDR;
}
template <typename Dst, typename Src>
RecordEvent TGET_SCALE_ADDR(Dst& dst, Src& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_WAIT;
    dst.assign_address(src.address >> SHIFT_MX_ADDR);
    ptosim_scalar_work(1);
    return {where};
}
#endif

// ---- loads -----------------------------------------------------------------------------------
namespace ptosim_detail {

// A transfer has lines as long as the tile's valid region, and as many of them as the view. On a2a3
// the distance of lines in global memory is written as the gap after the view's own lines, so that
// it changes with their length (hw-native-sys/pto-isa include/pto/npu/a2a3/TStore.hpp).
// Number of elements by which its lines are longer than the view's.
inline int32_t clip_unboxed(ptosim_operand& view, ptosim_tile& tile) {
    const bool along_columns = view.global.layout == PTOSIM_DN;
    const int inner = along_columns ? 3 : 4, outer = along_columns ? 4 : 3;
    const int32_t line = along_columns ? tile.valid_rows : tile.valid_cols;
    int32_t& lines = along_columns ? tile.valid_cols : tile.valid_rows;
    int32_t* shape = view.global.shape;
    const bool matrix = shape[0] == 1 && shape[1] == 1 && shape[2] == 1;
    const int32_t longer = line - shape[inner];
    // A vector may lie the other way round in memory.
    if (line == 0 || (longer != 0 && matrix && shape[inner] == lines && shape[outer] == line))
        return 0;
    shape[inner] = line;
    if (kA2A3) view.global.stride[outer] += longer;
    if (!matrix) {
        // a5 counts the lines of the view alone (a5/TLoad.hpp, TLoadCubeND2ND and its like).
        if (!kA2A3) lines = shape[0] * shape[1] * shape[2] * shape[outer];
        return longer;
    }
    if (shape[outer] > lines)
        shape[outer] = lines;
    else
        lines = shape[outer];
    return longer;
}
inline void clip_matrix(ptosim_operand& view, ptosim_tile& tile) {
    int32_t* shape = view.global.shape;
    if (shape[0] != 1 || shape[1] != 1 || shape[2] != 1) return;
    if (shape[3] > tile.valid_rows) shape[3] = tile.valid_rows;
    if (shape[4] > tile.valid_cols) shape[4] = tile.valid_cols;
    tile.valid_rows = shape[3];
    tile.valid_cols = shape[4];
}
inline int32_t clip(ptosim_operand& view, ptosim_tile& tile, bool load) {
    const int layout = view.global.layout;
    if (layout != PTOSIM_ND && layout != PTOSIM_DN) return 0;
    if (tile.space == PTOSIM_UB && tile.inner == PTOSIM_INNER_NONE) return clip_unboxed(view, tile);
    if (load && tile.space == PTOSIM_L1 && tile.inner == PTOSIM_INNER_NONE)
        return clip_unboxed(view, tile);
    if (load && tile.space == PTOSIM_L1 && tile.inner != PTOSIM_INNER_NONE) clip_matrix(view, tile);
    return 0;
}

// A transfer of nothing is none.
inline bool is_empty(const ptosim_operand& view, const ptosim_tile& tile) {
    int64_t elements = int64_t{tile.valid_rows} * tile.valid_cols;
    for (int32_t extent : view.global.shape) elements *= extent;
    return elements == 0;
}

template <class Data, class Global>
RecordEvent load(Opcode opcode, Data& dst, Global& src, ptosim_location where) {
    if constexpr (!kA2A3 && passes_over<Data>()) return {where};
    ptosim_operand view = operand(src);
    if constexpr (is_conv_tile_v<Data>) {
        const ptosim_operand operands[] = {operand(dst.rows_of_blocks()), view};
        const ConvAttributes<Data> shape(dst, PTOSIM_ATTR_CONV_DST_LAYOUT);
        issue(opcode, where, operands, 2, shape.list, 7);
        return {where};
    } else {
        ptosim_operand tile = operand(dst);
        clip(view, tile.tile, true);
        if (is_empty(view, tile.tile)) return {where};
        return record_issue(opcode, where, {tile, view});
    }
}

}  // namespace ptosim_detail

template <typename Data, typename Global>
RecordEvent TLOAD(Data& dst, Global& src, PTO_DETAIL_EVENTS) {
    ptosim_detail::require_tiles<Data>();
    ptosim_detail::require_global<Global>();
    PTO_DETAIL_WAIT;
    return ptosim_detail::load(PTO_DETAIL_OPCODE(TLOAD), dst, src, where);
}
template <typename Data, typename Global>
RecordEvent TPREFETCH(Data& dst, Global& src, PTO_DETAIL_WHERE) {
    ptosim_detail::require_tiles<Data>();
    ptosim_detail::require_global<Global>();
    return ptosim_detail::load(PTO_DETAIL_OPCODE(TPREFETCH), dst, src, where);
}

// ---- stores ----------------------------------------------------------------------------------
namespace ptosim_detail {

// Rows of boxes of an NZ view go as a whole, and as many as the tile has.
inline void fit_boxes(ptosim_operand& view, ptosim_tile& tile) {
    if (view.global.layout != PTOSIM_NZ || tile.space != PTOSIM_UB) return;
    int32_t* shape = view.global.shape;
    const int32_t beyond = shape[2] * shape[3] - tile.valid_rows;
    const bool one_run = shape[2] == 1 || (!kA2A3 && view.global.stride[3] == shape[4] &&
                                           view.global.stride[2] == int64_t{shape[3]} * shape[4]);
    if (one_run && beyond > 0) {
        shape[2] = 1;
        shape[3] = tile.valid_rows;
        if (kA2A3) view.global.stride[1] -= int64_t{beyond} * shape[4];
    }
    const int32_t cols = shape[0] * shape[1] * shape[4];
    if (cols > tile.valid_cols && cols <= tile.cols && cols - tile.valid_cols < shape[4])
        tile.valid_cols = cols;
}

// Positions of an image follow one another: as many go as the tile has rows.
inline void fit_image(ptosim_operand& view, const ptosim_tile& tile) {
    ptosim_global& image = view.global;
    const bool contiguous = image.stride[2] == image.stride[3] * image.shape[3];
    if (image.layout != static_cast<uint8_t>(Layout::NC1HWC0) || image.shape[0] != 1) return;
    if (!contiguous || image.shape[2] * image.shape[3] <= tile.valid_rows) return;
    image.shape[2] = 1;
    image.shape[3] = tile.valid_rows;
}

// Returns the mode that the instruction names, after which none applies; without a name, the register's mode.
inline uint8_t atomic_mode(const ptosim_operand& dst, AtomicType named, ptosim_location where) {
    const AtomicRegister set = atomic_register();
    if (named != AtomicType::AtomicNone) {
        if (set.operation != 0) set_atomic_operation(0);
        return static_cast<uint8_t>(named);
    }
    if (set.operation != 0 && set.dtype >= 0 && set.dtype != dst.global.dtype) {
        ptosim_trap("TSTORE: set_atomic_... named another type than that of the tensor", where);
    }
    return set.operation;
}

inline RecordEvent store(ptosim_operand dst, ptosim_operand src, const ptosim_operand& scales,
                         const ptosim_operand& scale, AtomicType atomic, ReluPreMode relu,
                         STPhase phase, ptosim_location where) {
    const int32_t longer = clip(dst, src.tile, false);
    fit_boxes(dst, src.tile);
    fit_image(dst, src.tile);
    if (is_empty(dst, src.tile)) return {where};
    return record_issue(PTO_DETAIL_OPCODE(TSTORE), where, {dst, src, scales, scale},
                        {attribute(PTOSIM_ATTR_ATOMIC, atomic_mode(dst, atomic, where)),
                         attribute(PTOSIM_ATTR_RELU, relu), attribute(PTOSIM_ATTR_PHASE, phase),
                         attribute(PTOSIM_ATTR_BEYOND_VIEW, longer > 0 ? longer : 0)});
}
}  // namespace ptosim_detail

#define PTO_DETAIL_STORE(Scales_, Scale_, Atomic_, Relu_, Phase_)                                  \
    ptosim_detail::require_tiles<Data>();                                                          \
    ptosim_detail::require_global<Global>();                                                       \
    PTO_DETAIL_WAIT;                                                                               \
    return ptosim_detail::store(ptosim_detail::operand(dst), ptosim_detail::operand(src), Scales_, \
                                Scale_, Atomic_, Relu_, Phase_, where)

template <typename Data, typename Global>
RecordEvent TSTORE(Global& dst, Data& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::none(), ptosim_detail::none(), AtomicType::AtomicNone,
                     ReluPreMode::NoRelu, STPhase::Unspecified);
}
template <STPhase Phase_, typename Data, typename Global>
RecordEvent TSTORE(Global& dst, Data& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::none(), ptosim_detail::none(), AtomicType::AtomicNone,
                     ReluPreMode::NoRelu, Phase_);
}
template <typename Data, typename Global, AtomicType Atomic_>
RecordEvent TSTORE(Global& dst, Data& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::none(), ptosim_detail::none(), Atomic_, ReluPreMode::NoRelu,
                     STPhase::Unspecified);
}
template <STPhase Phase_, typename Data, typename Global, AtomicType Atomic_>
RecordEvent TSTORE(Global& dst, Data& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::none(), ptosim_detail::none(), Atomic_, ReluPreMode::NoRelu,
                     Phase_);
}
template <typename Data, typename Global, AtomicType Atomic_, ReluPreMode Relu_>
RecordEvent TSTORE(Global& dst, Data& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::none(), ptosim_detail::none(), Atomic_, Relu_,
                     STPhase::Unspecified);
}
template <STPhase Phase_, typename Data, typename Global, AtomicType Atomic_, ReluPreMode Relu_>
RecordEvent TSTORE(Global& dst, Data& src, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::none(), ptosim_detail::none(), Atomic_, Relu_, Phase_);
}
template <typename Data, typename Global, AtomicType Atomic_ = AtomicType::AtomicNone,
          ReluPreMode Relu_ = ReluPreMode::NoRelu>
RecordEvent TSTORE(Global& dst, Data& src, uint64_t preQuantScalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::none(), ptosim_detail::scalar(preQuantScalar), Atomic_, Relu_,
                     STPhase::Unspecified);
}
template <STPhase Phase_, typename Data, typename Global,
          AtomicType Atomic_ = AtomicType::AtomicNone, ReluPreMode Relu_ = ReluPreMode::NoRelu>
RecordEvent TSTORE(Global& dst, Data& src, uint64_t preQuantScalar, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::none(), ptosim_detail::scalar(preQuantScalar), Atomic_, Relu_,
                     Phase_);
}
template <typename Data, typename Global, typename Scales,
          AtomicType Atomic_ = AtomicType::AtomicNone, ReluPreMode Relu_ = ReluPreMode::NoRelu>
RecordEvent TSTORE_FP(Global& dst, Data& src, Scales& fp, PTO_DETAIL_EVENTS) {
    PTO_DETAIL_STORE(ptosim_detail::operand(fp), ptosim_detail::none(), Atomic_, Relu_,
                     STPhase::Unspecified);
}
#undef PTO_DETAIL_STORE

}  // namespace pto
