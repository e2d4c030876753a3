// A product of 16 of 32 rows: `mad` writes L0C with a pitch of 16 rows, and TSTORE reads with the one of 32
// that the tile has, unless it is COMPACT (hw-native-sys/pto-isa issue 253, tests/evidence/levels.json).
#include <pto/pto-inst.hpp>
using namespace pto;
#ifndef COMPACT
#define COMPACT CompactMode::Null
#endif
constexpr int M = 32, K = 32, N = 32;
extern "C" __global__ __aicore__ void kernel(__gm__ half* a, __gm__ half* b, __gm__ float* out) {
#ifdef __DAV_CUBE__
    using GA = GlobalTensor<half, pto::Shape<1, 1, 1, M, K>, pto::Stride<M * K, M * K, M * K, K, 1>>;
    using GO = GlobalTensor<float, pto::Shape<1, 1, 1, 16, N>, pto::Stride<M * N, M * N, M * N, N, 1>>;
    using Mat = Tile<TileType::Mat, half, M, K, BLayout::ColMajor, M, K, SLayout::RowMajor, 512>;
    Mat am, bm;
    TASSIGN(am, 0x0);
    TASSIGN(bm, 0x10000);
    TileLeft<half, M, K, 16, K> al;
    TileRight<half, K, N, K, N> br;
    Tile<TileType::Acc, float, M, N, BLayout::ColMajor, 16, N, SLayout::RowMajor, 1024, PadValue::Null, COMPACT> c;
    TASSIGN(al, 0x0);
    TASSIGN(br, 0x0);
    TASSIGN(c, 0x0);
    GA ga(a), gb(b);
    GO go(out);
    TLOAD(am, ga);
    TLOAD(bm, gb);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TEXTRACT(al, am, 0, 0);
    TMOV(br, bm);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(c, al, br);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TSTORE(go, c);
    pipe_barrier(PIPE_ALL);
#endif
}
