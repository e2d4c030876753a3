#include "traces/write/packed_columns.h"

#include <new>

#include <zlib.h>

namespace ptosim {

namespace {

constexpr int kLevel = 4;  // columns of loops are repetitive: a better one takes longer for little

std::string deflated(std::string_view bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string result(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
                  kLevel) != Z_OK)
        throw std::bad_alloc();  // the only way in which it fails
    result.resize(size);
    return result;
}

}  // namespace

std::string packed(std::string_view bytes) {
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::string from = deflated(bytes);
    std::string text;
    text.reserve((from.size() + 2) / 3 * 4);
    for (size_t i = 0; i < from.size(); i += 3) {
        const size_t count = from.size() - i < 3 ? from.size() - i : 3;
        uint32_t three = 0;
        for (size_t k = 0; k < 3; ++k)
            three = three << 8 | (k < count ? static_cast<uint8_t>(from[i + k]) : 0u);
        for (size_t k = 0; k < 4; ++k)
            text += k <= count ? kDigits[three >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

}  // namespace ptosim
