// Functions of libraries of kernels, by their purpose.
#pragma once

#include <cstdint>
#include <string_view>

namespace ptosim {

// kQueue: passes a tensor on in a queue; kOrder: a flag or barrier; kCopy: a transfer.
enum class CallPurpose : uint8_t { kOther, kQueue, kOrder, kCopy };
CallPurpose purpose_of(std::string_view function);

}  // namespace ptosim
