// Element types that the cube multiplies at one rate: the parameters aic.cube.*.<name> apply to all types of a group.
#pragma once

#include <initializer_list>
#include <string_view>

#include "isa/table/instruction_table.h"

namespace ptosim {

struct CubeTypes {
    std::string_view name;
    std::initializer_list<DType> types;  // the parameter table stores the first one
};
inline constexpr CubeTypes kCubeTypes[] = {
    {"f32", {DType::kF32}},
    {"hf32", {DType::kHF32, DType::kTF32}},
    {"f16", {DType::kF16, DType::kBF16}},
    {"i8", {DType::kI8, DType::kU8, DType::kE4M3, DType::kE5M2, DType::kHIF8}},
    {"f4", {DType::kE2M1, DType::kE1M2, DType::kI4}},
};

}  // namespace ptosim
