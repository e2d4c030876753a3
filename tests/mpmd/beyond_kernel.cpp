// An access that begins in a window of 2112 bytes, of this chip or the next one, and ends BEYOND bytes after its end.
// ACCESS is a name below. Arguments: the chip's window, that of the next chip. `//@ NAME` marks the line of NAME.
#include "task_kernel.h"

constexpr int kCols = 256, kWindow = 2112 / 4;

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* arguments) {
    using Row = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
    using Vector = Tile<TileType::Vec, float, 1, kCols>;
    Vector tile;
    TASSIGN(tile, 0x0);
    __gm__ float* const here = reinterpret_cast<__gm__ float*>(arguments[0]);
    __gm__ float* const there = reinterpret_cast<__gm__ float*>(arguments[1]);
    constexpr int kBegin = kWindow - kCols + BEYOND / 4;
    Row mine(here), own_end(here + kBegin), their_end(there + kBegin);
    comm::Signal signal(reinterpret_cast<__gm__ int32_t*>(arguments[1] + 2112 - 4 + BEYOND));
    // A grid whose last row ends where the other views end. TTEST stops at its first word.
    constexpr int kRows = 4, kWords = 16;
    comm::Signal2D<kRows, kWords> grid(reinterpret_cast<__gm__ int32_t*>(arguments[1] + 2112 + BEYOND) - kRows * kWords);
    enum { load, store, add, put, get, notify, own, test, wait } const access = ACCESS;
    if (access == load) TLOAD(tile, their_end);  //@ load
    if (access == store) TSTORE(their_end, tile);  //@ store
    if (access == add) TSTORE<Vector, Row, AtomicType::AtomicAdd>(their_end, tile);  //@ add
    if (access == put) comm::TPUT(their_end, mine, tile);  //@ put
    if (access == get) comm::TGET(mine, their_end, tile);  //@ get
    if (access == notify) comm::TNOTIFY(signal, 1, comm::NotifyOp::AtomicAdd);  //@ notify
    if (access == own) TLOAD(tile, own_end);  //@ own
    if (access == test) comm::TTEST(grid, -1, comm::WaitCmp::EQ);  //@ test
    if (access == wait) comm::TWAIT(grid, -1, comm::WaitCmp::NE);  //@ wait
    pipe_barrier(PIPE_ALL);
}
