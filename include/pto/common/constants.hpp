// Sizes and masks that kernels name, and pad values (hw-native-sys/pto-isa
// include/pto/common/constants.hpp).
#pragma once

#include "pto/common/memory.hpp"
#include "pto/common/type.hpp"

#define PTO_CEIL(x, y) ((((x) + (y)-1) / (y)) * (y))
#define PTO_DIV_ROUNDUP(x, y) (((x) + (y)-1) / (y))

namespace pto {

constexpr int REPEAT_BYTE = 256;
constexpr uint64_t BLOCK_MAX_PER_REPEAT = 8;
constexpr int REPEAT_MAX = 255;
constexpr int REPEAT_STRIDE_MAX = 255;
constexpr int BLOCK_BYTE_SIZE = 32;
constexpr uint32_t BLOCK_SIZE = 32;
constexpr int CCE_VL = 256;
constexpr int FIXP_BURST_UNIT_LEN = 64;
constexpr uint32_t SHIFT_BLOCK_LEN = 4;
constexpr uint32_t SHIFT_BLOCK_BYTE = 5;
constexpr uint32_t SHIFT_FRACTAL_BYTE = 9;
constexpr uint32_t SHIFT_MX_ADDR = 4;
constexpr uint32_t TMP_UB_SIZE = 8 * 1024;
constexpr uint32_t TMP_UB_OFFSET = 184 * 1024;
constexpr uint64_t MASK_LEN = 64;
constexpr int BLOCK_LEN = 16;
constexpr int CUBE_BLOCK_SIZE = 512;
constexpr int C0_SIZE_BYTE = 32;
constexpr int FRACTAL_NZ_ROW = 16;
constexpr int FRACTAL_ZZ_ROW = 16;
constexpr int ACC_C0_SIZE = 16;
constexpr uint32_t B4_C0_SIZE = 64;
constexpr int MX_COL_LEN = 2;
constexpr int MX_ROW_LEN = 16;
constexpr int MX_BLOCK_SIZE = 32;
constexpr int HIF4_COL_LEN = 4;
constexpr int HIF4_ROW_LEN = 16;
constexpr int HIF4_BLOCK_SIZE = 64;
constexpr int MAD_MODE_BIT = 46;
constexpr int MAD_ROUND_MODE_BIT = 47;

namespace TileConfig {
constexpr int alignedSize = 32;
constexpr int fixedRowSize = 16;
constexpr int fixedColSize = 16;
constexpr int fixedMxRowSize = 16;
constexpr int fixedMxColSize = 2;
constexpr int fractalABSize = 512;
constexpr int fractalCSize = 1024;
constexpr int fractalMxSize = 32;
}  // namespace TileConfig

// ---- pad values of one's own: a bit pattern of up to 32 bits ---------------------------------
template <class Number>
constexpr PadValue PadValueCustom(Number value) {
    uint32_t bits = 0;
    if constexpr (std::is_integral_v<Number>) {
        bits = static_cast<uint32_t>(static_cast<std::make_unsigned_t<Number>>(value));
    } else if constexpr (std::is_same_v<Number, double>) {
        bits = __builtin_bit_cast(uint32_t, static_cast<float>(value));
    } else if constexpr (sizeof(Number) == sizeof(float)) {
        bits = __builtin_bit_cast(uint32_t, value);
    } else {
        bits = value.bits;
    }
    return static_cast<PadValue>(static_cast<uint64_t>(PadValue::CustomBase) | bits);
}
constexpr PadValue PadValueCustom16(uint16_t bits) {
    return static_cast<PadValue>(static_cast<uint64_t>(PadValue::CustomBase) | bits);
}
template <auto Value_>
inline constexpr PadValue PadCustom = PadValueCustom(Value_);

constexpr bool isCustomPadValue(PadValue value) {
    return static_cast<uint64_t>(value) >= static_cast<uint64_t>(PadValue::CustomBase);
}
constexpr uint32_t getCustomPadBits(PadValue value) { return static_cast<uint32_t>(value); }

// ---- masks -----------------------------------------------------------------------------------
// Number of elements of which a mask pattern takes one.
template <MaskPattern Mask_>
constexpr int GetTimesByMask() {
    return Mask_ == MaskPattern::P1111                                  ? 1
           : Mask_ == MaskPattern::P1010 || Mask_ == MaskPattern::P0101 ? 2
                                                                        : 4;
}

template <class TileData>
constexpr TileLayoutCustom GetTileLayoutCustom() {
    constexpr bool kRow = TileData::isRowMajor;
    if constexpr (TileData::SFractal == SLayout::NoneBox) {
        return kRow ? TileLayoutCustom::ND : TileLayoutCustom::DN;
    } else if constexpr (TileData::SFractalSize != TileConfig::fractalABSize) {
        return TileLayoutCustom::NONE;
    } else if constexpr (TileData::SFractal == SLayout::RowMajor) {
        return kRow ? TileLayoutCustom::ZZ : TileLayoutCustom::NZ;
    } else {
        return kRow ? TileLayoutCustom::ZN : TileLayoutCustom::NONE;
    }
}

}  // namespace pto
