#include "isa/core/pipe.h"

#include <array>
#include <utility>

namespace ptosim {

namespace {

constexpr std::array<std::pair<std::string_view, Pipe>, 8> kPipes{{
    {"S", Pipe::kS},
    {"MTE2", Pipe::kMTE2},
    {"MTE1", Pipe::kMTE1},
    {"M", Pipe::kM},
    {"V", Pipe::kV},
    {"FIX", Pipe::kFIX},
    {"MTE3", Pipe::kMTE3},
    {"ALL", Pipe::kAll},
}};

}  // namespace

std::string_view name(CoreType type) { return type == CoreType::kAIC ? "AIC" : "AIV"; }

std::string_view name(Pipe pipe) {
    for (const auto& [word, value] : kPipes)
        if (value == pipe) return word;
    return "?";
}

std::optional<Pipe> parse_pipe(std::string_view word) {
    if (word.starts_with("PIPE_")) word.remove_prefix(5);
    for (const auto& [text, value] : kPipes)
        if (text == word) return value;
    return std::nullopt;
}

}  // namespace ptosim
