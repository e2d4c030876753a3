// C = relu(A B): the AIC multiplies, its two AIVs clip 32 rows each.
#include <pto/pto-inst.hpp>

using namespace pto;

__global__ AICORE void matmul_relu(__gm__ half* a, __gm__ half* b, __gm__ float* work, __gm__ float* c) {
    constexpr int kN = 64, kHalf = 32;
    using Factor = GlobalTensor<half, Shape<1, 1, 1, kN, kN>, Stride<1, 1, 1, kN, 1>>;
    using Product = GlobalTensor<float, Shape<1, 1, 1, kN, kN>, Stride<1, 1, 1, kN, 1>>;
    using Part = GlobalTensor<float, Shape<1, 1, 1, kHalf, kN>, Stride<1, 1, 1, kN, 1>>;
#ifdef __DAV_CUBE__
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
    Product work_view(work);
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
    TSTORE(work_view, acc);
    ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(2, 0));   // mode 2, id 0: to both AIVs
#endif
#ifdef __DAV_VEC__
    const int row = get_subblockid() * kHalf;
    Tile<TileType::Vec, float, kHalf, kN> tile;
    TASSIGN(tile, 0);
    Part from(work + row * kN), to(c + row * kN);
    wait_flag_dev(0);
    TLOAD(tile, from);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TRELU(tile, tile);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, tile);
#endif
}
