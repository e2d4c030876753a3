// Numbers of programs as the bits of a kernel's scalar parameters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/kernel.h"

namespace ptosim {

struct Number {
    enum class Kind : uint8_t { kSigned, kUnsigned, kReal };
    Kind kind = Kind::kUnsigned;
    uint64_t integer = 0;  // two's complement if signed
    double value = 0;

    static Number signed_integer(int64_t v) {
        return {Kind::kSigned, static_cast<uint64_t>(v), static_cast<double>(v)};
    }
    static Number unsigned_integer(uint64_t v) {
        return {Kind::kUnsigned, v, static_cast<double>(v)};
    }
    static Number real(double v) { return {Kind::kReal, 0, v}; }
};

// The number in the parameter's type. Throws DiagnosticError (I61) if it does not fit it. `index`
// is the parameter's, from 0.
uint64_t scalar_word(const Parameter& parameter, size_t index, const Number& number);

// Throw DiagnosticError (I61): a number for a pointer, something else for a scalar.
[[noreturn]] void require_array(const Parameter& parameter, size_t index);
[[noreturn]] void require_number(const Parameter& parameter, size_t index);
// Throws DiagnosticError (I61) unless the kernel has so many parameters.
void require_count(const Kernel& kernel, size_t arguments);

}  // namespace ptosim
