// TPRINT: prints the contents of a tile as text.
#pragma once

#include "pto/common/intrinsics.hpp"
#include "pto/common/tile.hpp"

namespace pto {

namespace ptosim_detail {

struct PrintWidths {
    int width, precision;
};
constexpr PrintWidths widths(PrintFormat format) {
    return format == PrintFormat::Width8_Precision4   ? PrintWidths{8, 4}
           : format == PrintFormat::Width8_Precision2 ? PrintWidths{8, 2}
                                                      : PrintWidths{10, 6};
}
template <class T_>
void print_element(T_ value, PrintWidths w) {
    if constexpr (std::is_integral_v<T_>) {
        cce::printf("%*lld ", w.width, static_cast<long long>(value));
    } else {
        cce::printf("%*.*f ", w.width, w.precision, static_cast<double>(static_cast<float>(value)));
    }
}
template <class T_>
T_ from_bits(uint64_t bits) {
    T_ value;
    __builtin_memcpy(&value, &bits, sizeof(T_));
    return value;
}

}  // namespace ptosim_detail

// Waits for all pipes of the core; prints the valid region of a tile of UB.
template <PrintFormat Format_ = PrintFormat::Width8_Precision4, typename Data,
          std::enable_if_t<is_tile_data_v<Data>, int> = 0>
void TPRINT(Data& src, PTO_DETAIL_WHERE) {
    static_assert(Data::Loc == TileType::Vec, "PTO: TPRINT without a buffer prints tiles of UB");
    pipe_barrier(PIPE_ALL, where);
    const auto rows = static_cast<int>(src.GetValidRow());
    const auto cols = static_cast<int>(src.GetValidCol());
    const ptosim_tile tile = ptosim_detail::record(src);
    cce::printf("%s %s tile, %d x %d of %d x %d:\n", GetTileTypeName<Data::Loc>(),
                GetLayoutName(Data::BFractal, Data::SFractal), rows, cols, Data::Rows, Data::Cols);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
            const auto offset = static_cast<int64_t>(GetTileOffset<Data>(i, j));
            ptosim_detail::print_element(ptosim_detail::from_bits<typename Data::DType>(
                                             ptosim_load_local(&tile, offset, where)),
                                         ptosim_detail::widths(Format_));
        }
        cce::printf("\n");
    }
}
// Prints a view of global memory.
template <PrintFormat Format_ = PrintFormat::Width8_Precision4, typename Global,
          std::enable_if_t<is_global_data_v<Global>, int> = 0>
void TPRINT(Global& src, PTO_DETAIL_WHERE) {
    pipe_barrier(PIPE_ALL, where);
    using T_ = typename Global::RawDType;
    const ptosim_global& v = src.view;
    for (int64_t row = 0; row < int64_t{v.shape[0]} * v.shape[1] * v.shape[2] * v.shape[3]; ++row) {
        const int64_t d3 = row % v.shape[3], d2 = row / v.shape[3] % v.shape[2];
        const int64_t d1 = row / v.shape[3] / v.shape[2] % v.shape[1];
        const int64_t d0 = row / v.shape[3] / v.shape[2] / v.shape[1];
        const int64_t start =
            d0 * v.stride[0] + d1 * v.stride[1] + d2 * v.stride[2] + d3 * v.stride[3];
        for (int64_t d4 = 0; d4 < v.shape[4]; ++d4) {
            const uint64_t address =
                v.address + static_cast<uint64_t>(start + d4 * v.stride[4]) * sizeof(T_);
            ptosim_detail::print_element(
                ptosim_detail::from_bits<T_>(ptosim_load_global(address, v.dtype, where)),
                ptosim_detail::widths(Format_));
        }
        cce::printf("\n");
    }
}
// A tile of another memory than UB is written to `buffer` first.
template <PrintFormat Format_ = PrintFormat::Width8_Precision4, typename Data, typename Global,
          std::enable_if_t<is_tile_data_v<Data> && is_global_data_v<Global>, int> = 0>
void TPRINT(Data& src, Global& buffer, PTO_DETAIL_WHERE) {
    pipe_barrier(PIPE_ALL, where);
    ptosim_detail::issue(PTO_DETAIL_OPCODE(TSTORE), where,
                         {ptosim_detail::operand(buffer), ptosim_detail::operand(src)});
    TPRINT<Format_>(buffer, where);
}

}  // namespace pto
