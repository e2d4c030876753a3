// From the API's objects to the kernel Abi_: operands, attributes, and the one call that issues.
#pragma once

#include <initializer_list>

#include "pto/common/type.hpp"
#include "ptosim/kernel_abi.h"

namespace pto::ptosim_detail {

// The location in the user's file: a default argument has that of the outermost call.
constexpr ptosim_location here(const char* file = __builtin_FILE(),
                               uint32_t line = __builtin_LINE()) {
    return {file, line};
}

// ---- element types ---------------------------------------------------------------------------
template <class T_>
struct ElementType;
#define PTO_DETAIL_ELEMENT(Cpp_, Abi_)                  \
    template <>                                         \
    struct ElementType<Cpp_> {                          \
        static constexpr uint8_t value = PTOSIM_##Abi_; \
    };
PTO_DETAIL_ELEMENT(float, F32)
PTO_DETAIL_ELEMENT(half, F16)
PTO_DETAIL_ELEMENT(bfloat16_t, BF16)
PTO_DETAIL_ELEMENT(float8_e4m3_t, E4M3)
PTO_DETAIL_ELEMENT(float8_e5m2_t, E5M2)
PTO_DETAIL_ELEMENT(float8_e8m0_t, E8M0)
PTO_DETAIL_ELEMENT(hifloat8_t, HIF8)
PTO_DETAIL_ELEMENT(float4_e2m1x2_t, E2M1)
PTO_DETAIL_ELEMENT(float4_e1m2x2_t, E1M2)
PTO_DETAIL_ELEMENT(int4b_t, I4)
PTO_DETAIL_ELEMENT(bool, U8)
PTO_DETAIL_ELEMENT(char, I8)
PTO_DETAIL_ELEMENT(signed char, I8)
PTO_DETAIL_ELEMENT(unsigned char, U8)
PTO_DETAIL_ELEMENT(short, I16)
PTO_DETAIL_ELEMENT(unsigned short, U16)
PTO_DETAIL_ELEMENT(int, I32)
PTO_DETAIL_ELEMENT(unsigned, U32)
PTO_DETAIL_ELEMENT(long, I64)
PTO_DETAIL_ELEMENT(unsigned long, U64)
PTO_DETAIL_ELEMENT(long long, I64)
PTO_DETAIL_ELEMENT(unsigned long long, U64)
#undef PTO_DETAIL_ELEMENT

template <class T_>
inline constexpr uint8_t element_type = ElementType<std::remove_cv_t<T_>>::value;

// ---- operands --------------------------------------------------------------------------------
// What every Tile is, whatever its type: a constant description, an address, a valid region.
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

// What every GlobalTensor is.
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
template <class T_>
uint64_t to_bits(T_ value) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T_));
    return bits;
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

// ---- issue -----------------------------------------------------------------------------------
struct Opcode {
    const char* name;
    uint32_t code;
};
#define PTO_DETAIL_OPCODE(Name_)                                                  \
    ::pto::ptosim_detail::Opcode {                                                \
#Name_, std::integral_constant < uint32_t, ptosim_opcode(#Name_)> ::value \
    }

template <class Value>
constexpr ptosim_attribute attribute(ptosim_attribute_key key, Value value) {
    return {static_cast<uint32_t>(key), static_cast<int32_t>(value)};
}

inline void issue(Opcode opcode, ptosim_location where, const ptosim_operand* operands,
                  size_t operand_count, const ptosim_attribute* attributes,
                  size_t attribute_count) {
    ptosim_instruction instruction{};
    instruction.opcode = opcode.code;
    instruction.name = opcode.name;
    instruction.operand_count = static_cast<uint16_t>(operand_count);
    instruction.operands = operands;
    instruction.attribute_count = static_cast<uint16_t>(attribute_count);
    instruction.attributes = attributes;
    instruction.where = where;
    ptosim_issue(&instruction);
}
inline void issue(Opcode opcode, ptosim_location where,
                  std::initializer_list<ptosim_operand> operands,
                  std::initializer_list<ptosim_attribute> attributes = {}) {
    issue(opcode, where, operands.begin(), operands.size(), attributes.begin(), attributes.size());
}

}  // namespace pto::ptosim_detail
