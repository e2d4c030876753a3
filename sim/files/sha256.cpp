#include "sim/files/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace ptosim {

std::string sha256(std::span<const std::byte> content) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);  // its file is not needed
    EVP_Digest(content.data(), content.size(), digest, &length, EVP_sha256(), nullptr);
    std::string text;
    constexpr char kHex[] = "0123456789abcdef";
    for (unsigned i = 0; i < length; ++i) {
        text += kHex[digest[i] >> 4];
        text += kHex[digest[i] & 0xf];
    }
    return text;
}

}  // namespace ptosim
