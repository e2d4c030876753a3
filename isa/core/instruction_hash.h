// Parts that hashes of instructions share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ptosim {

// The strictest alignment that a rule requires of a view. Of its address, checks and costs depend on the remainder only.
inline constexpr uint64_t kViewAlignment = 512;

inline uint64_t mix_hash(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

// memcmp of a constant size, inline: most instructions that are compared are equal to the end.
template <class T>
bool same_bytes(const T& a, const T& b) {
    static_assert(sizeof(T) % 4 == 0);
    const auto word = []<class Word>(const T& of, size_t at, Word value) {
        std::memcpy(&value, reinterpret_cast<const std::byte*>(&of) + at, sizeof value);
        return value;
    };
    uint64_t differs = 0;
    for (size_t i = 0; i + 8 <= sizeof(T); i += 8)
        differs |= word(a, i, uint64_t{}) ^ word(b, i, uint64_t{});
    if constexpr (sizeof(T) % 8 != 0)
        differs |= word(a, sizeof(T) - 4, uint32_t{}) ^ word(b, sizeof(T) - 4, uint32_t{});
    return differs == 0;
}

}  // namespace ptosim
