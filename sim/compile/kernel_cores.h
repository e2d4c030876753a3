// Core types in a kernel's declaration: __vector__, __cube__, __mix__(cubes, vectors), __attribute__((aic)) or ((aiv)),
// and KERNEL_TASK_TYPE_DEFAULT in its body.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/compile/token_text.h"

namespace ptosim {

// The preprocessor replaces the qualifiers and the macro by these words.
inline constexpr std::string_view kVectorMark = "__ptosim_vector__";
inline constexpr std::string_view kCubeMark = "__ptosim_cube__";
inline constexpr std::string_view kMixMark = "__ptosim_mix__";
inline constexpr std::string_view kTaskTypeMark = "__ptosim_task_type__";

struct KernelCores {
    bool named = false;  // false: the declaration has no core types
    bool aic = true, aiv = true;
    uint32_t vectors = 0;  // AIVs of a cluster that run it; 0: all
};

// `first` to `head`: the tokens of the declaration up to its parameters. `head` to `last`: its body.
KernelCores kernel_cores(const TokenText& text, size_t first, size_t head, size_t last);

// The token after such a word and its arguments; `i` if there is none.
size_t after_core_mark(const TokenText& text, size_t i);

}  // namespace ptosim
