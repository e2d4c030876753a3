// Parts that hashes of instructions share.
#pragma once

#include <cstdint>

namespace ptosim {

// The strictest alignment that a rule requires of a view. Of its address, checks and costs depend on the remainder only.
inline constexpr uint64_t kViewAlignment = 512;

inline uint64_t mix_hash(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

}  // namespace ptosim
