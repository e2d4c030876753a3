#include "sim/files/sha256.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>

#include <array>

namespace ptosim {

std::string sha256(std::span<const std::byte> content) {
    std::array<uint8_t, SHA256_DIGEST_SIZE> digest;
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, content.size(), reinterpret_cast<const uint8_t*>(content.data()));
    sha256_digest(&context, digest.size(), digest.data());
    std::string text(BASE16_ENCODE_LENGTH(digest.size()), '\0');
    base16_encode_update(text.data(), digest.size(), digest.data());
    return text;
}

}  // namespace ptosim
