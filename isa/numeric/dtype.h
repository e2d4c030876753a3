// The element types of tiles and tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptosim {

enum class DType : uint8_t {
    kF32,
    kF16,
    kBF16,
    kTF32,  // 1-8-10 in the upper bits of 32
    kHF32,  // 1-8-11 in the upper bits of 32
    kE4M3,
    kE5M2,
    kE8M0,
    kHIF8,
    kE2M1,  // fp4, two to a byte, low nibble is the even element
    kE1M2,  // fp4, two to a byte, low nibble is the even element
    kI4,    // two to a byte
    kI8,
    kU8,
    kI16,
    kU16,
    kI32,
    kU32,
    kI64,
    kU64,
    kCount,
};

// Bits of one element: 4, 8, 16, 32 or 64.
constexpr unsigned bits(DType type) {
    switch (type) {
        case DType::kE2M1:
        case DType::kE1M2:
        case DType::kI4:
            return 4;
        case DType::kE4M3:
        case DType::kE5M2:
        case DType::kE8M0:
        case DType::kHIF8:
        case DType::kI8:
        case DType::kU8:
            return 8;
        case DType::kF16:
        case DType::kBF16:
        case DType::kI16:
        case DType::kU16:
            return 16;
        case DType::kI64:
        case DType::kU64:
            return 64;
        default:
            return 32;
    }
}

// Bytes of `count` elements; 4-bit types round up.
constexpr size_t bytes(DType type, size_t count) { return (count * bits(type) + 7) / 8; }

constexpr bool is_integer(DType type) { return type >= DType::kI4 && type < DType::kCount; }
constexpr bool is_signed(DType type) {
    return type < DType::kI4 || type == DType::kI4 || type == DType::kI8 || type == DType::kI16 ||
           type == DType::kI32 || type == DType::kI64;
}

// The short names used by the command line, messages and traces: "f32", "bf16", "e4m3", "i8".
std::string_view name(DType type);

// Accepts the short names and the spellings of `.pto` files ("f8E4M3FN", "!pto.hif8", "ui8",
// "si16", "i32"); nothing for an unknown word.
std::optional<DType> parse_dtype(std::string_view word);

}  // namespace ptosim
