// Reads the name of a core.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include "sim/machine/observe/core_id.h"

namespace ptosim {

// "AIV03". Empty for other words.
inline std::optional<CoreId> parse_core(std::string_view word) {
    CoreId core;
    core.type = word.starts_with("AIC") ? CoreType::kAIC : CoreType::kAIV;
    if (!word.starts_with(name(core.type))) return {};
    word.remove_prefix(name(core.type).size());
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), core.index);
    if (error != std::errc() || end != word.data() + word.size()) return {};
    return core;
}

}  // namespace ptosim
