// A task of one of several chips. Arguments: the chip's window, the window of the chip that it sends to, the word that it
// awaits, whether it waits before it sends, whether it sends. Row 0 of the windows is received, row 1 sent.
#include "task_kernel.h"

constexpr int kCols = 256, kSignal = 2 * kCols;  // elements of a window: rows, then a signal

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* arguments) {
    using Row = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Tile<TileType::Vec, float, 1, kCols> staging;
    TASSIGN(staging, 0x0);
    __gm__ float* const here = reinterpret_cast<__gm__ float*>(arguments[0]);
    __gm__ float* const there = reinterpret_cast<__gm__ float*>(arguments[1]);
    comm::Signal own(reinterpret_cast<__gm__ int32_t*>(here + kSignal));
    comm::Signal theirs(reinterpret_cast<__gm__ int32_t*>(there + kSignal));
    if (arguments[3] != 0) comm::TWAIT(own, static_cast<int32_t>(arguments[2]), comm::WaitCmp::GE);
    if (arguments[4] != 0) {
        Row sent(here + kCols), received(there);
        comm::TPUT(received, sent, staging);
        pipe_barrier(PIPE_ALL);
        comm::TNOTIFY(theirs, 1, comm::NotifyOp::AtomicAdd);
    }
    if (arguments[3] == 0) comm::TWAIT(own, static_cast<int32_t>(arguments[2]), comm::WaitCmp::GE);
}
