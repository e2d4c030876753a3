// Columns of numbers for the page: deflated, in base64 (traces/viewer/src/unpack.ts).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptosim {

// Numbers of seven bits a byte, lowest first.
class Column {
 public:
    void plain(uint64_t value) {
        while (value >= 128) {
            bytes_ += static_cast<char>(value | 128);
            value >>= 7;
        }
        bytes_ += static_cast<char>(value);
    }
    // Encodes the distance from the previous value: n back becomes 2 n - 1, n on becomes 2 n.
    void step(uint64_t value) {
        const uint64_t by = value - last_;
        last_ = value;
        plain(by << 1 ^ (by >> 63 != 0 ? ~uint64_t{0} : 0));
    }
    std::string_view bytes() const { return bytes_; }

 private:
    std::string bytes_;
    uint64_t last_ = 0;
};

// A zlib stream of `bytes`, in base64.
std::string packed(std::string_view bytes);

}  // namespace ptosim
