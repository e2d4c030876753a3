// Functions that a kernel declares without a body and calls: they are C++ that it is compiled with.
// A port that has them is one of these, too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ptosim::assembly {

class ExternalFunctions {
 public:
    virtual ~ExternalFunctions() = default;
    // A word for each argument, as kernels have them (KernelArguments), and one for the result.
    virtual uint64_t call(std::string_view function, std::span<const uint64_t> words) = 0;
};

}  // namespace ptosim::assembly
