// An atomic addition to a stored tile, right after long work in the vector core.
#include <pto/pto-inst.hpp>

using namespace pto;

__global__ AICORE void atomicAfterStore(__gm__ int32_t* in, __gm__ int32_t* out, int steps) {
    constexpr int kRows = 64, kCols = 128;
    using View = GlobalTensor<int32_t, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Tile<TileType::Vec, int32_t, kRows, kCols> tile;
    TASSIGN(tile, 0x0);
    View from(in), to(out);
    TLOAD(tile, from);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    for (int i = 0; i < steps; ++i) {
        TADDS(tile, tile, 1);
        pipe_barrier(PIPE_V);
    }
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, tile);
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    for (int i = 0; i < kRows; ++i) atomicAdd(out + i * kCols + i, 1000000);
}
