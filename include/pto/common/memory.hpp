// Maps pointer types to memories.
#pragma once

#include "pto/common/type.hpp"

namespace pto {

template <TileType Location_, typename Element>
struct MemoryQualifier {
    using type = Element*;
};
#ifndef PTO_NPU_ARCH_A2A3
template <typename Element>
struct MemoryQualifier<TileType::Bias, Element> {
    using type = uint64_t;
};
#endif
template <typename Element>
struct MemoryQualifier<TileType::Ctrl, Element> {
    using type = uint64_t;
};

constexpr const char* GetLayoutName(BLayout outer, SLayout inner) noexcept {
    const bool row = outer == BLayout::RowMajor;
    switch (inner) {
        case SLayout::NoneBox:
            return row ? "ND" : "DN";
        case SLayout::RowMajor:
            return row ? "Zz" : "Nz";
        default:
            return row ? "Zn" : "Nn";
    }
}

template <TileType Location_>
constexpr const char* GetTileTypeName() noexcept {
    constexpr const char* kNames[] = {"Vec",  "Mat",     "Left",      "Right",      "Acc",
                                      "Bias", "Scaling", "ScaleLeft", "ScaleRight", "Ctrl"};
    return kNames[static_cast<int>(Location_)];
}

}  // namespace pto
