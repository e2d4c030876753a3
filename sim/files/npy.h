// NumPy .npy files (format versions 1.0 to 3.0, C order, little endian).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isa/numeric/dtype.h"

namespace ptosim {

struct Array {
    std::vector<int64_t> shape;
    // The element type stored in the file. Types that NumPy lacks (bf16, fp8, ...) are stored as unsigned integers of
    // their width: `kU16`, `kU8`.
    DType dtype = DType::kF32;
    std::vector<std::byte> data;

    int64_t elements() const;
};

// "128x256"
std::string shape_text(const std::vector<int64_t>& shape);

// Throws DiagnosticError (input) if the file is missing, not a .npy file or truncated, or has an unsupported element
// type or order.
Array read_npy(const std::string& path);
// Replaces the file atomically. Types that NumPy lacks are written as unsigned integers.
void write_npy(const std::string& path, const Array& array);
// True if elements read from a file of this type can be used as elements of `type`.
bool npy_holds(DType file, DType type);

}  // namespace ptosim
