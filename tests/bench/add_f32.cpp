// c = a + b of rows of 512 f32, tiles of 16 rows in two buffers each.
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {

constexpr int kRows = 16, kCols = 512, kBytes = kRows * kCols * 4;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
using Chunk = Tile<TileType::Vec, float, kRows, kCols>;

}  // namespace

__global__ AICORE void add_f32(__gm__ float* a, __gm__ float* b, __gm__ float* c, int32_t rows) {
    for (event_t slot : {EVENT_ID0, EVENT_ID1}) set_flag(PIPE_MTE3, PIPE_MTE2, slot);
    int turn = 0;
    for (int64_t chunk = get_block_idx(); chunk < rows / kRows; chunk += get_block_num(), ++turn) {
        const event_t slot = turn % 2 == 0 ? EVENT_ID0 : EVENT_ID1;
        const int64_t at = chunk * kRows * kCols;
        Chunk left, right;
        TASSIGN(left, 2 * kBytes * (turn % 2));
        TASSIGN(right, 2 * kBytes * (turn % 2) + kBytes);
        View from_a(a + at), from_b(b + at), to(c + at);
        wait_flag(PIPE_MTE3, PIPE_MTE2, slot);
        TLOAD(left, from_a);
        TLOAD(right, from_b);
        set_flag(PIPE_MTE2, PIPE_V, slot);
        wait_flag(PIPE_MTE2, PIPE_V, slot);
        TADD(left, left, right);
        set_flag(PIPE_V, PIPE_MTE3, slot);
        wait_flag(PIPE_V, PIPE_MTE3, slot);
        TSTORE(to, left);
        set_flag(PIPE_MTE3, PIPE_MTE2, slot);
    }
    for (event_t slot : {EVENT_ID0, EVENT_ID1}) wait_flag(PIPE_MTE3, PIPE_MTE2, slot);
}
