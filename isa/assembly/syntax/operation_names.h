// Names of the operations of the pto dialect, whether supported here or not, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptosim::assembly {

enum class OperationLevel : uint8_t {
    kUnknown,   // no version of the dialect has it
    kTile,      // a tile-level operation
    kInner,     // the compiler's form between tiles and code
    kRegister,  // works on vector registers, SIMT threads or raw descriptors, below the tile level
};

// `name` is without "pto.".
OperationLevel operation_level(std::string_view name);
// The tile-level operation whose name is closest, or empty.
std::string closest_operation(std::string_view name);

}  // namespace ptosim::assembly
