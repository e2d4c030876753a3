// Products handed over to FIX by the unit flags of L0C alone, without a flag between M and FIX; all
// products are made in the same place.
#include <pto/pto-inst.hpp>

using namespace pto;

__global__ AICORE void unitFlags(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
    constexpr int kRows = 128, kDepth = 128, kCols = 64, kBand = 16;
    GlobalTensor<half, Shape<1, 1, 1, kRows, kDepth>, Stride<1, 1, 1, kDepth, 1>> from_a(a);
    GlobalTensor<half, Shape<1, 1, 1, kDepth, kCols>, Stride<1, 1, 1, kCols, 1>> from_b(b);
    Tile<TileType::Mat, half, kRows, kDepth, BLayout::ColMajor, kRows, kDepth, SLayout::RowMajor>
        l1_a;
    Tile<TileType::Mat, half, kDepth, kCols, BLayout::ColMajor, kDepth, kCols, SLayout::RowMajor>
        l1_b;
    TileLeft<half, kBand, kDepth / 2> left;
    TileRight<half, kDepth / 2, kCols> right[2];
    TileAcc<float, kBand, kCols> sum;
    TASSIGN(l1_a, 0);
    TASSIGN(l1_b, 65536);
    TASSIGN(right[0], 0);
    TASSIGN(right[1], 32768);
    TASSIGN(sum, 0);
    TLOAD(l1_a, from_a);
    TLOAD(l1_b, from_b);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    for (int half_of = 0; half_of < 2; ++half_of)
        TEXTRACT(right[half_of], l1_b, half_of * kDepth / 2, 0);
    for (int band = 0; band < kRows / kBand; ++band) {
        GlobalTensor<float, Shape<1, 1, 1, kBand, kCols>, Stride<1, 1, 1, kCols, 1>> to(
            c + band * kBand * kCols);
        for (int half_of = 0; half_of < 2; ++half_of) {
            TASSIGN(left, (2 * band + half_of) * kBand * kDepth);
            TEXTRACT(left, l1_a, band * kBand, half_of * kDepth / 2);
            set_flag(PIPE_MTE1, PIPE_M, half_of);
            wait_flag(PIPE_MTE1, PIPE_M, half_of);
            if (half_of == 0)
                TMATMUL<AccPhase::Partial>(sum, left, right[0]);
            else
                TMATMUL_ACC<AccPhase::Final>(sum, sum, left, right[1]);
            set_flag(PIPE_M, PIPE_MTE1, half_of);  // lets the next use of the id go ahead
            wait_flag(PIPE_M, PIPE_MTE1, half_of);
        }
        TSTORE<STPhase::Final>(to, sum);
    }
}
