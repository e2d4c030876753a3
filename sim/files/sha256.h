// Hashes that identify contents.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ptosim {

// SHA-256 in hexadecimal.
std::string sha256(std::span<const std::byte> content);

}  // namespace ptosim
