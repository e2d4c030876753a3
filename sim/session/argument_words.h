// Converts arguments of programs into the words of a kernel's parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

// An argument of a launch: an address of device memory (0: a null pointer), or a number.
struct ArgumentValue {
    bool is_address = false;
    uint64_t address = 0;
    Number number{};

    static ArgumentValue pointer(uint64_t address) { return {true, address, {}}; }
    static ArgumentValue scalar(Number number) { return {false, 0, number}; }
};
// One word for each parameter. Throws DiagnosticError (I61) unless number, kinds and values of the arguments fit the
// kernel's parameters.
std::vector<uint64_t> argument_words(const Kernel& kernel,
                                     std::span<const ArgumentValue> arguments);

}  // namespace ptosim
