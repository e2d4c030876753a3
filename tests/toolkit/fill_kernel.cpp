// Each worker writes its number, times SCALE, into a separate row: one worker for each block, or
// for each sub-block if the kernel is compiled for clusters. A C function launches it, as in
// programs that load the library themselves.
#include <pto/pto-inst.hpp>

#ifndef SCALE
#define SCALE 1
#endif

using namespace pto;

extern "C" __global__ AICORE void fill(__gm__ float* out) {
    constexpr int kCols = 64;
    using View = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
    using Row = Tile<TileType::Vec, float, 1, kCols>;
    const int worker = get_block_idx() * get_subblockdim() + get_subblockid();
    Row row;
    TASSIGN(row, 0x0);
    TEXPANDS(row, static_cast<float>(SCALE * (worker + 1)));
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    View to(out + worker * kCols);
    TSTORE(to, row);
}

extern "C" void call_kernel(uint32_t blocks, void* stream, void* out) {
    fill<<<blocks, nullptr, stream>>>(static_cast<float*>(out));
}
