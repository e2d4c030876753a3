// From device code to the kernel ABI: locations, bits of numbers, the one call that issues.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>
#include <type_traits>

#include "cce/arch.hpp"
#include "ptosim/kernel_abi.h"

namespace pto::ptosim_detail {

// The location in the user's file: a default argument has that of the outermost call.
constexpr ptosim_location here(const char* file = __builtin_FILE(),
                               uint32_t line = __builtin_LINE()) {
    return {file, line};
}

// ---- element types: cce/element_types.hpp -------------------------------------------------------
template <class T_>
struct ElementType;

template <class T_>
inline constexpr uint8_t element_type = ElementType<std::remove_cv_t<T_>>::value;

template <class T_>
uint64_t to_bits(T_ value) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T_));
    return bits;
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

PTOSIM_PLACED inline void issue(Opcode opcode, ptosim_location where,
                                const ptosim_operand* operands, size_t operand_count,
                                const ptosim_attribute* attributes, size_t attribute_count) {
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
PTOSIM_PLACED inline void issue(Opcode opcode, ptosim_location where,
                                std::initializer_list<ptosim_operand> operands,
                                std::initializer_list<ptosim_attribute> attributes = {}) {
    issue(opcode, where, operands.begin(), operands.size(), attributes.begin(), attributes.size());
}

}  // namespace pto::ptosim_detail

#define PTO_DETAIL_WHERE ptosim_location where = ::pto::ptosim_detail::here()
