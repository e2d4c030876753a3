// tests/kernels/softmax_rows_f32.pto in C++: the same instructions in the same order.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kRows = 16, kCols = 512;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
using Chunk = Tile<TileType::Vec, float, kRows, kCols>;
using Column = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor>;

}  // namespace

__global__ AICORE void softmax_rows_f32(__gm__ float* x, __gm__ float* y, int32_t rows) {
    Chunk scratch;
    Column max, sum;
    TASSIGN(scratch, 131072);
    TASSIGN(max, 163840);
    TASSIGN(sum, 163904);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    int turn = 0;
    for (int64_t chunk = get_block_idx(); chunk < rows / kRows; chunk += get_block_num(), ++turn) {
        const event_t slot = turn % 2 == 0 ? EVENT_ID0 : EVENT_ID1;
        Chunk in, out;
        TASSIGN(in, 32768 * (turn % 2));
        TASSIGN(out, 65536 + 32768 * (turn % 2));
        View from(x + chunk * kRows * kCols), to(y + chunk * kRows * kCols);

        wait_flag(PIPE_V, PIPE_MTE2, slot);
        TLOAD(in, from);
        set_flag(PIPE_MTE2, PIPE_V, slot);

        wait_flag(PIPE_MTE2, PIPE_V, slot);
        TROWMAX(max, in, scratch);
        wait_flag(PIPE_MTE3, PIPE_V, slot);
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(out, in, max);
        set_flag(PIPE_V, PIPE_MTE2, slot);
        pipe_barrier(PIPE_V);
        TEXP(out, out);
        pipe_barrier(PIPE_V);
        TROWSUM(sum, out, scratch);
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(out, out, sum);
        set_flag(PIPE_V, PIPE_MTE3, slot);

        wait_flag(PIPE_V, PIPE_MTE3, slot);
        TSTORE(to, out);
        set_flag(PIPE_MTE3, PIPE_V, slot);
        pipe_barrier(PIPE_V);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
}
