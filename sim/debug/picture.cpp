#include "sim/debug/picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "isa/core/diagnostic.h"

namespace ptosim::debug {
namespace {

constexpr uint32_t kMostElements = 2048;  // of a side
constexpr uint32_t kSide = 512;           // pixels, unless there are more elements

using Color = std::array<uint8_t, 3>;

std::string big_endian(uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255);
    return text;
}

uint32_t cyclic_checksum(const std::string& text) {
    uint32_t sum = UINT32_MAX;
    for (const char c : text) {
        sum ^= static_cast<uint8_t>(c);
        for (unsigned bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320u : 0u);
    }
    return ~sum;
}

// Length, kind, content and checksum.
std::string chunk(const std::string& kind, const std::string& content) {
    const std::string body = kind + content;
    return big_endian(static_cast<uint32_t>(content.size())) + body + big_endian(cyclic_checksum(body));
}

// A zlib stream of blocks that are stored as they are.
std::string stored(const std::string& text) {
    constexpr size_t kBlock = 65535;
    std::string stream = "\x78\x01";
    for (size_t at = 0; at < text.size(); at += kBlock) {
        const std::string block = text.substr(at, kBlock);
        const auto size = static_cast<uint16_t>(block.size());
        stream += static_cast<char>(at + kBlock >= text.size());
        for (const uint16_t number : {size, static_cast<uint16_t>(~size)}) {
            stream += static_cast<char>(number & 255);
            stream += static_cast<char>(number >> 8);
        }
        stream += block;
    }
    uint32_t a = 1, b = 0;  // Adler's checksum
    for (const char c : text) {
        a = (a + static_cast<uint8_t>(c)) % 65521;
        b = (b + a) % 65521;
    }
    return stream + big_endian(b << 16 | a);
}

// Rows of pixels, three bytes each.
std::string png(uint32_t width, uint32_t height, const std::string& pixels) {
    std::string rows;
    for (uint32_t y = 0; y < height; ++y) rows += '\0' + pixels.substr(size_t{y} * width * 3, size_t{width} * 3);
    constexpr char kTrueColor[] = {8, 2, 0, 0, 0};  // bits, colors, and three methods
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", big_endian(width) + big_endian(height) + std::string(kTrueColor, 5)) +
           chunk("IDAT", stored(rows)) + chunk("IEND", {});
}

// `part`: -1 to 1.
Color color_of(double part) {
    const auto less = static_cast<uint8_t>(std::lround(255 * (1 - std::min(1.0, std::abs(part)))));
    return part < 0 ? Color{less, less, 255} : Color{255, less, less};
}

}  // namespace

std::string picture_of(const Target& target, const Matrix& matrix) {
    if (matrix.rows > kMostElements || matrix.columns > kMostElements)
        fail_input("I69", "a picture has at most " + std::to_string(kMostElements) + " elements in each direction",
                   "choose some, for example x[0:64, 0:64]");
    double least = 0, most = 0;
    bool any = false;
    const auto each = [&](auto&& visit) {
        for (uint32_t r = 0; r < matrix.rows; ++r)
            for (uint32_t c = 0; c < matrix.columns; ++c) visit(r, c, matrix.values.value_at(matrix.row + r, matrix.column + c));
    };
    each([&](uint32_t, uint32_t, double value) {
        if (!std::isfinite(value)) return;
        least = any ? std::min(least, value) : value;
        most = any ? std::max(most, value) : value;
        any = true;
    });
    const uint32_t side = std::max(1u, kSide / std::max(matrix.rows, matrix.columns));
    const uint32_t width = side * matrix.columns, height = side * matrix.rows;
    std::string pixels(size_t{width} * height * 3, '\0');
    const double middle = (least + most) / 2, half = most > least ? (most - least) / 2 : 1;
    each([&](uint32_t r, uint32_t c, double value) {
        const Color color = std::isnan(value) ? Color{} : color_of(std::clamp((value - middle) / half, -1.0, 1.0));
        const bool framed = differs_from_golden(target, matrix, matrix.row + r, matrix.column + c);
        for (uint32_t y = 0; y < side; ++y)
            for (uint32_t x = 0; x < side; ++x) {
                const bool edge = y == 0 || x == 0 || y + 1 == side || x + 1 == side;
                const Color& here = framed && edge ? Color{0, 160, 0} : color;
                const size_t at = (size_t{r * side + y} * width + c * side + x) * 3;
                std::copy(here.begin(), here.end(), pixels.begin() + static_cast<ptrdiff_t>(at));
            }
    });
    return png(width, height, pixels);
}

}  // namespace ptosim::debug
