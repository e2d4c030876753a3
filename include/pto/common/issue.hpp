// From the API's objects to the kernel ABI: operands.
#pragma once

#include "pto/common/type.hpp"

#include "cce/element_types.hpp"

namespace pto::ptosim_detail {

template <>
struct ElementType<int4b_t> {
    static constexpr uint8_t value = PTOSIM_I4;
};

// ---- operands --------------------------------------------------------------------------------
// Base of every Tile, whatever its type: a constant description, an address, a valid region.
struct TileBase {
    uintptr_t address = 0;  // in bytes, in the tile's memory
    bool placed = false;    // by TASSIGN or its like
    const ptosim_tile* description;
    unsigned RowMaskInternal;  // the valid region, as the API names it
    unsigned ColMaskInternal;

    TileBase() = default;
    TileBase(const TileBase&) = default;
    // A tile without an address leaves the other one's as it is:
    // `tile = TileLeft<...>(rows)` gives a tile another valid region.
    TileBase& operator=(const TileBase& other) {
        if (other.placed) assign_address(other.address);
        description = other.description;
        RowMaskInternal = other.RowMaskInternal;
        ColMaskInternal = other.ColMaskInternal;
        return *this;
    }
    void assign_address(uintptr_t at) {
        address = at;
        placed = true;
    }
};

inline ptosim_tile record(const TileBase& tile) {
    ptosim_tile result = *tile.description;
    result.address = tile.placed ? static_cast<uint32_t>(tile.address) : PTOSIM_NO_ADDRESS;
    result.valid_rows = static_cast<int32_t>(tile.RowMaskInternal);
    result.valid_cols = static_cast<int32_t>(tile.ColMaskInternal);
    return result;
}

// Base of every GlobalTensor.
struct GlobalBase {
    ptosim_global view;
};

inline ptosim_operand none() { return {}; }
inline ptosim_operand operand(const ptosim_tile& tile) {
    ptosim_operand result{};
    result.kind = PTOSIM_TILE_OPERAND;
    result.tile = tile;
    return result;
}
inline ptosim_operand operand(const TileBase& tile) { return operand(record(tile)); }
inline ptosim_operand operand(const GlobalBase& tensor) {
    ptosim_operand result{};
    result.kind = PTOSIM_GLOBAL_OPERAND;
    result.global = tensor.view;
    return result;
}
inline ptosim_operand scalar_operand(uint64_t bits, uint8_t dtype) {
    ptosim_operand result{};
    result.kind = PTOSIM_SCALAR_OPERAND;
    result.scalar = {bits, dtype};
    return result;
}
template <class T_>
ptosim_operand scalar(T_ value) {
    return scalar_operand(to_bits(value), element_type<T_>);
}

}  // namespace pto::ptosim_detail
