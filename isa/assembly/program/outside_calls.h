// What a port is, too, where a kernel may call functions whose body is not in its text but in the
// C++ that it is compiled with.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ptosim::assembly {

class OutsideCalls {
 public:
    virtual ~OutsideCalls() = default;
    // A word for each argument, as kernels have them (KernelArguments), and one for the result.
    virtual uint64_t call(std::string_view function, std::span<const uint64_t> words) = 0;
};

}  // namespace ptosim::assembly
