// AIC pushes PUSHES products into a FIFO of SLOTS slots, and the AIVs take them: with the headers of
// hw-native-sys/pto-isa at a commit of which its FIFO leaves a signal over, or waits for one too many
// (tests/evidence/levels.json). With LAST_KEPT the last slot is not given back.
#include <pto/pto-inst.hpp>
using namespace pto;
#ifndef SLOTS
#define SLOTS 8
#endif
#ifndef PUSHES
#define PUSHES 40
#endif
constexpr int M = 32, K = 32, N = 32;
extern "C" __global__ __aicore__ void kernel(__gm__ half* a, __gm__ half* b, __gm__ float* out,
                                             __gm__ float* ring) {
    using Acc = TileAcc<float, M, N, M, N>;
    using Half = Tile<TileType::Vec, float, M / 2, N, BLayout::RowMajor, M / 2, N>;
    using Fifo = TPipe<0, Direction::DIR_C2V, M * N * sizeof(float), SLOTS>;
    Fifo pipe((__gm__ void*)ring, 0x0, 0x0);
    using GA = GlobalTensor<half, pto::Shape<1, 1, 1, M, K>, pto::Stride<M * K, M * K, M * K, K, 1>>;
    using GO = GlobalTensor<float, pto::Shape<1, 1, 1, M / 2, N>, pto::Stride<M * N, M * N, M * N, N, 1>>;
    using Mat = Tile<TileType::Mat, half, M, K, BLayout::ColMajor, M, K, SLayout::RowMajor, 512>;
#ifdef __DAV_CUBE__
    {
        Mat am, bm;
        TASSIGN(am, 0x0);
        TASSIGN(bm, 0x10000);
        TileLeft<half, M, K, M, K> al;
        TileRight<half, K, N, K, N> br;
        Acc c;
        TASSIGN(al, 0x0);
        TASSIGN(br, 0x0);
        TASSIGN(c, 0x0);
        GA ga(a), gb(b);
        TLOAD(am, ga);
        TLOAD(bm, gb);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        TMOV(al, am);
        TMOV(br, bm);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        for (int i = 0; i < PUSHES; ++i) {
            TMATMUL(c, al, br);
            set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
            TPUSH<Fifo, Acc, TileSplitAxis::TILE_UP_DOWN>(pipe, c);
            set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
            wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        }
        pipe_barrier(PIPE_ALL);
    }
#endif
#ifdef __DAV_VEC__
    {
        Half t, o;
        TASSIGN(o, 0x20000);
        for (int i = 0; i < PUSHES; ++i) {
#ifdef LAST_KEPT
            pipe.cons.setFreeStatus(i + 1 < PUSHES);
#endif
            TPOP<Fifo, Half, TileSplitAxis::TILE_UP_DOWN>(pipe, t);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TADDS(o, t, 1.0f);
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            GO go(out + i * M * N + get_subblockid() * M / 2 * N);
            TSTORE(go, o);
            set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
            wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
            TFREE<Fifo, TileSplitAxis::TILE_UP_DOWN>(pipe);
        }
    }
#endif
}
