// out = in0 + in1 * N, tile by tile, one block for each row of tiles; then possible errors of a
// kernel, by `mode`.
#include <pto/pto-inst.hpp>

using namespace pto;

static int calls;  // of one core: every core has its own

template <int N>
__global__ AICORE void scaleAdd(__gm__ float* out, __gm__ float* in0, __gm__ float* in1,
                                __gm__ int32_t* counts, int mode) {
    constexpr int kRows = 16, kCols = 64;
    using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
    using Block = Tile<TileType::Vec, float, kRows, kCols>;
    const int offset = get_block_idx() * kRows * kCols;
    Block a, b;
    TASSIGN(a, 0x0);
    TASSIGN(b, 0x2000);
    View from0(in0 + offset), from1(in1 + offset), to(out + offset);
    TLOAD(a, from0);
    TLOAD(b, from1);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMULS(b, b, static_cast<float>(N));
    pipe_barrier(PIPE_V);
    TADD(a, a, b);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, a);
    counts[get_block_idx()] = ++calls;
    volatile int zero = 0;
    if (mode == 1) *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(zero)) = 1;
    if (mode == 2) counts[0] = 5 / zero;
    if (mode == 3)
        for (;;) asm volatile("");
    if (mode == 4) trap();
    if (mode == 5) out[1 << 24] = 1;
}

__global__ AICORE void justCount(__gm__ int32_t* counts, int first) {
    counts[get_block_idx()] = first + get_block_idx();
}

// A device pointer that the host cannot see among the arguments.
__global__ AICORE void loadFrom(uint64_t address) {
    using View = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
    Tile<TileType::Vec, float, 16, 64> tile;
    TASSIGN(tile, 0x0);
    View from(reinterpret_cast<__gm__ float*>(address));
    TLOAD_IMPL(tile, from);
}

void launchLoadFrom(float* from, void* stream) {
    loadFrom<<<1, nullptr, stream>>>(reinterpret_cast<uint64_t>(from));
}

#define LAUNCH(N, ...) \
    scaleAdd<N><<<blocks, nullptr, stream>>>(__VA_ARGS__) /* a launch in a macro */

void launchScaleAdd(float* out, float* in0, float* in1, int32_t* counts, int mode, int blocks,
                    void* stream) {
    if (mode == 6)
        scaleAdd<7><<<0, nullptr, stream>>>(out, in0, in1, counts, mode);
    else
        LAUNCH(3, out, in0, in1, counts, mode);
}
