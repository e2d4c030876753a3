// NumPy .npy files (format versions 1.0 to 3.0, C order, little endian).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isa/numeric/dtype.h"

namespace ptosim {

struct Array {
    std::vector<int64_t> shape;
    // The element type as the file names it. Types that NumPy does not have (bf16, fp8, ...) are
    // stored as unsigned integers of their width: `kU16`, `kU8`.
    DType dtype = DType::kF32;
    std::vector<std::byte> data;

    int64_t elements() const;
};

// "128x256"
std::string shape_text(const std::vector<int64_t>& shape);

// Throws DiagnosticError (input): no such file, not a .npy file, truncated, an element type or
// order that is not supported.
Array read_npy(const std::string& path);
// Replaces the file in one step. Types that NumPy does not have are written as unsigned integers.
void write_npy(const std::string& path, const Array& array);
// Whether an array read from a file can stand for elements of `type`.
bool npy_holds(DType file, DType type);

}  // namespace ptosim
