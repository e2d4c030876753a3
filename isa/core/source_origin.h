// Source of a line of generated text: MLIR's location after an operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptosim {

struct SourceOrigin {
    std::string file;
    uint32_t line = 0;
    uint16_t column = 0;
};

// Origin of a line of `text` that ends in loc("net.py":12:3), in another location that holds such a one (fused[...],
// callsite(... at ...), "name"(...)), or in loc(#loc4), which a line of the text defines.
std::optional<SourceOrigin> origin_of(std::string_view text, std::string_view line);

}  // namespace ptosim
