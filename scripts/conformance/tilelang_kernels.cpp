// Kernels of ours on the device library of tile-ai/tilelang-ascend, in the words in which its PTO
// backend writes them: what scripts/conformance/tilelang.py compiles against a checkout.
#include "tl_templates/pto/common.h"

#include <pto/pto-inst.hpp>

#include <runtime/rt_ffts.h>
#include "acl/acl.h"

using namespace pto;
namespace tla = tl::ascend_pto;

#define LOAD(T_, ROWS_, COLS_, FROM_, AT_)                                                      \
    tla::copy_gm_to_ub_dynamic<T_, T_, 1, 1, 1, ROWS_, COLS_, 1, 1, 1, COLS_, 1, ROWS_, COLS_>( \
        FROM_, Shape<1, 1, 1, ROWS_, COLS_>(), Stride<1, 1, 1, COLS_, 1>(), AT_, 0, ROWS_, COLS_)
#define STORE(T_, ROWS_, COLS_, TO_, AT_)                                                       \
    tla::copy_ub_to_gm_dynamic<T_, T_, 1, 1, 1, ROWS_, COLS_, 1, 1, 1, COLS_, 1, ROWS_, COLS_>( \
        TO_, Shape<1, 1, 1, ROWS_, COLS_>(), Stride<1, 1, 1, COLS_, 1>(), AT_, 0, ROWS_, COLS_)
#define ORDER(FROM_, TO_, ID_)                             \
    tla::set_flag_pipeline<PIPE_##FROM_, PIPE_##TO_>(ID_); \
    tla::wait_flag_pipeline<PIPE_##FROM_, PIPE_##TO_>(ID_)

// Tiles and their addresses in turn.
template <class Tile_, class... Rest_>
AICORE void place(Tile_& tile, int address, Rest_&&... rest) {
    TASSIGN(tile, address);
    if constexpr (sizeof...(Rest_) != 0) place(rest...);
}

// out = mask(x > y) & 0x0f, a bit for each element; a tile of int8 that the library takes for
// uint8.
__global__ AICORE void masks(__gm__ float* x, __gm__ float* y, __gm__ uint8_t* out) {
#if defined(__DAV_VEC__)
    tla::TileUbDataND<float, 8, 64, 8, 64> a, b;
    tla::TileUbDataND<int8_t, 8, 32, 8, 8> bits;
    tla::TileUbDataND<uint8_t, 8, 32, 8, 32> both, low;
    place(a, 0, b, 4096, bits, 8192, both, 8192, low, 12288);
    LOAD(float, 8, 64, x, 0);
    LOAD(float, 8, 64, y, 4096);
    ORDER(MTE2, V, 1);
    TEXPANDS(low, uint8_t(0x0f));
    TEXPANDS(both, uint8_t(0));
    pipe_barrier(PIPE_V);
    tla::compare(bits, a, b, CmpMode::GT);
    pipe_barrier(PIPE_V);
    tla::tand<8, 32, 8, 32>(both, both, low);
    ORDER(V, MTE3, 1);
    STORE(uint8_t, 8, 32, out, 8192);
#endif
}

// out = silu(x) of 3 x 100 elements, padded with zeros; its second row's absolute values; sum +=
// row 0.
__global__ AICORE void sigmoids(__gm__ half* x, __gm__ half* out, __gm__ float* sum) {
#if defined(__DAV_VEC__)
    tla::TileUbDataND<half, 4, 128, 4, 128> a, b, c;
    place(a, 0, b, 4096, c, 8192);
    tla::copy_gm_to_ub_dynamic<half, half, 1, 1, 1, 4, 128, 1, 1, 1, 128, 1, 4, 128,
                               PadValue::Zero>(x, Shape<1, 1, 1, 4, 128>(),
                                               Stride<1, 1, 1, 128, 1>(), 0, 0, 3, 100);
    ORDER(MTE2, V, 1);
    tla::TSILU<half, 4, 128>(b, a, c);
    pipe_barrier(PIPE_V);
    tla::unary_tile<tla::UnaryOp::TABS, half, 128>(4096, 4096, 128, 128, 2);
    tla::cvt_tile<half, float, 128>(4096, 16384, 0, 0, 2, 4, RoundMode::CAST_NONE);
    ORDER(V, MTE3, 1);
    STORE(half, 4, 128, out, 4096);
    tla::atomic_add_ub_to_gm_dynamic<float, float, 1, 1, 1, 1, 128, 1, 1, 1, 128, 1, 1, 128>(
        sum, Shape<1, 1, 1, 1, 128>(), Stride<1, 1, 1, 128, 1>(), 16384, 0, 1, 128);
#endif
}

// out = (x - shift) * scale + x by rows, in pieces of one row; then the maximum with one half.
__global__ AICORE void rows(__gm__ float* x, __gm__ float* shift, __gm__ float* scale,
                            __gm__ float* out) {
#if defined(__DAV_VEC__)
    tla::TileUbDataND<float, 16, 64, 16, 64> a, b;
    tla::TileUbDataND<float, 1, 16, 1, 16> down, times;
    tla::TileUbDataND<uint8_t, 1, 8192, 1, 8192> room;
    place(a, 0, b, 4096, down, 8192, times, 8448, room, 16384);
    LOAD(float, 16, 64, x, 0);
    LOAD(float, 1, 16, shift, 8192);
    LOAD(float, 1, 16, scale, 8448);
    ORDER(MTE2, V, 3);
    tla::TROWEXPANDSUB_row_vec<float, 16, 64, 16>(b, a, down, 8192, 0, room);
    pipe_barrier(PIPE_V);
    tla::TROWEXPANDMUL_row_vec<float, 16, 64, 16>(b, b, times, 8448, 0, room);
    pipe_barrier(PIPE_V);
    for (int i = 0; i < 16; ++i)
        tla::binary_tile<tla::BinaryOp::TADD, float, 64>(4096, 4096, 0, i * 64, i * 64, i * 64, 4);
    pipe_barrier(PIPE_V);
    tla::binarys_tile<tla::BinaryOps::TMAXS, float, 1024, 1024>(4096, 4096, 0, 0, 4, 0.5f);
    pipe_barrier(PIPE_V);
    tla::mov_tile<float, 64>(4096, 0, 64, 0, 4);
    ORDER(V, MTE3, 3);
    STORE(float, 16, 64, out, 4096);
#endif
}

// Pairs of value and index in falling order.
template <class T_, int N_, int COUNT_, int TOP_>
AICORE void sort_rows(__gm__ T_* x, __gm__ T_* out) {
#if defined(__DAV_VEC__)
    constexpr int kOut = TOP_ < 0 ? 2 * N_ : 2 * TOP_;
    LOAD(T_, 1, N_, x, 0);
    ORDER(MTE2, V, 1);
    tla::Sort<T_, N_, COUNT_, TOP_>(8192, 0, 16384);
    ORDER(V, MTE3, 1);
    STORE(T_, 1, kOut, out, 8192);
#endif
}
__global__ AICORE void sort_all(__gm__ float* x, __gm__ float* out) {
    sort_rows<float, 256, 200, -1>(x, out);
}
__global__ AICORE void sort_top(__gm__ half* x, __gm__ half* out) {
    sort_rows<half, 512, 512, 16>(x, out);
}

// c = a b or a b^T, K in slices of 128 and a tail.
template <int K_, int TAIL_, bool TRANSPOSED_>
AICORE void product(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
#if defined(__DAV_CUBE__)
    constexpr int kRows = TRANSPOSED_ ? 64 : K_, kCols = TRANSPOSED_ ? K_ : 64;
    constexpr int kSecond = 128 * K_ * 2;
    tla::TileMatL1<half, 128, K_, 128, K_> left;
    tla::TileMatL1<half, kRows, kCols, kRows, kCols> right;
    TileAcc<float, 128, 64> sums;
    place(left, 0, right, kSecond, sums, 0);
    tla::copy_gm_to_l1_dynamic<half, half, 1, 1, 1, 128, K_, 1, 1, 1, K_, 1, 128, K_>(
        a, Shape<1, 1, 1, 128, K_>(), Stride<1, 1, 1, K_, 1>(), 0, 0);
    tla::copy_gm_to_l1_dynamic<half, half, 1, 1, 1, kRows, kCols, 1, 1, 1, kCols, 1, kRows, kCols>(
        b, Shape<1, 1, 1, kRows, kCols>(), Stride<1, 1, 1, kCols, 1>(), kSecond, 0);
    tla::gemm_v0<half, float, 128, 64, K_, 128, 64, K_, TAIL_, false, TRANSPOSED_>(left, right,
                                                                                   sums, true);
    tla::copy_l0c_to_gm_dynamic<float, float, 1, 1, 1, 128, 64, 1, 1, 1, 64, 1, 128, 64>(
        c, Shape<1, 1, 1, 128, 64>(), Stride<1, 1, 1, 64, 1>(), 0, 0);
    pipe_barrier(PIPE_ALL);
#endif
}
__global__ AICORE void gemm_plain(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
    product<256, 128, false>(a, b, c);
}
__global__ AICORE void gemm_transposed(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
    product<256, 128, true>(a, b, c);
}

// The cube's product by way of global memory to both vector cores, which double it.
#if !defined(PTO_PLATFORM_A5)
__global__ AICORE void handed_over(__gm__ half* a, __gm__ half* b, __gm__ float* room,
                                   __gm__ float* c, uint64_t flags) {
    set_ffts_base_addr(flags);
#if defined(__DAV_CUBE__)
    product<256, 128, false>(a, b, room);
    tla::set_cross_flag<PIPE_FIX>(3, 2);
#endif
#if defined(__DAV_VEC__)
    const int first = get_subblockid() * 64 * 64;
    tla::wait_cross_flag(3);
    LOAD(float, 64, 64, room + first, 0);
    ORDER(MTE2, V, 1);
    tla::binarys_tile<tla::BinaryOps::TMULS, float, 4096, 4096>(0, 0, 0, 0, 4, 2.0f);
    ORDER(V, MTE3, 1);
    STORE(float, 64, 64, c + first, 0);
#endif
}
#endif
