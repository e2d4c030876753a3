// C = A B: 64 x 64, f16 into f32, one tile.
#include <pto/pto-inst.hpp>

using namespace pto;

__global__ AICORE void matmul(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
    constexpr int kN = 64;
    using Factor = GlobalTensor<half, Shape<1, 1, 1, kN, kN>, Stride<1, 1, 1, kN, 1>>;
    using Product = GlobalTensor<float, Shape<1, 1, 1, kN, kN>, Stride<1, 1, 1, kN, 1>>;
    using L1 = Tile<TileType::Mat, half, kN, kN, BLayout::ColMajor, kN, kN, SLayout::RowMajor>;
    L1 a_l1, b_l1;
    TileLeft<half, kN, kN> a_l0;
    TileRight<half, kN, kN> b_l0;
    TileAcc<float, kN, kN> acc;
    TASSIGN(a_l1, 0);
    TASSIGN(b_l1, 8192);
    TASSIGN(a_l0, 0);
    TASSIGN(b_l0, 0);
    TASSIGN(acc, 0);
    Factor a_view(a), b_view(b);
    Product c_view(c);

    TLOAD(a_l1, a_view);
    TLOAD(b_l1, b_view);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TMOV(a_l0, a_l1);
    TMOV(b_l0, b_l1);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(acc, a_l0, b_l0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TSTORE(c_view, acc);
}
