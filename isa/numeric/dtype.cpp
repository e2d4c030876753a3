#include "isa/numeric/dtype.h"

#include <array>
#include <utility>

namespace ptosim {
namespace {

using Spelling = std::pair<std::string_view, DType>;

// In the order of the enumeration.
constexpr std::array<std::string_view, static_cast<size_t>(DType::kCount)> kTypeNames = {
    "f32",  "f16", "bf16", "tf32", "hf32", "e4m3", "e5m2", "e8m0", "hif8", "e2m1",
    "e1m2", "i4",  "i8",   "u8",   "i16",  "u16",  "i32",  "u32",  "i64",  "u64"};

// Other spellings: MLIR's types and hw-native-sys/PTOAS's own ("!pto." is stripped before).
constexpr auto kOtherSpellings = std::to_array<Spelling>({
    {"f8E4M3FN", DType::kE4M3}, {"f8E4M3", DType::kE4M3},    {"f8E5M2", DType::kE5M2},
    {"f8E8M0", DType::kE8M0},   {"f8E8M0FNU", DType::kE8M0}, {"f4E2M1", DType::kE2M1},
    {"f4E2M1FN", DType::kE2M1}, {"f4E2M1x2", DType::kE2M1},  {"f4E1M2", DType::kE1M2},
    {"f4E1M2x2", DType::kE1M2}, {"si4", DType::kI4},         {"si8", DType::kI8},
    {"ui8", DType::kU8},        {"si16", DType::kI16},       {"ui16", DType::kU16},
    {"si32", DType::kI32},      {"ui32", DType::kU32},       {"si64", DType::kI64},
    {"ui64", DType::kU64},
});

}  // namespace

std::string_view name(DType type) {
    const auto index = static_cast<size_t>(type);
    return index < kTypeNames.size() ? kTypeNames[index] : "?";
}

std::optional<DType> parse_dtype(std::string_view word) {
    constexpr std::string_view kDialect = "!pto.";
    if (word.starts_with(kDialect)) word.remove_prefix(kDialect.size());
    for (size_t i = 0; i < kTypeNames.size(); ++i) {
        if (kTypeNames[i] == word) return static_cast<DType>(i);
    }
    for (const auto& [spelling, type] : kOtherSpellings) {
        if (spelling == word) return type;
    }
    return std::nullopt;
}

}  // namespace ptosim
