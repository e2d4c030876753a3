// A task's kernel: c = a + b of 64 x 64 f32. Its arguments are three addresses.
#include "task_kernel.h"

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* arguments) {
    using Global = GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;
    using Vector = Tile<TileType::Vec, float, 64, 64>;
    Vector a, b, c;
    TASSIGN(a, 0x0);
    TASSIGN(b, 0x4000);
    TASSIGN(c, 0x8000);
    Global in0(reinterpret_cast<__gm__ float*>(arguments[0]));
    Global in1(reinterpret_cast<__gm__ float*>(arguments[1]));
    Global out(reinterpret_cast<__gm__ float*>(arguments[2]));
#ifdef WAITS_TICKS
    for (const int64_t begin = get_sys_cnt(); get_sys_cnt() - begin < WAITS_TICKS;) {
    }
#endif
#ifdef POPS  // a tile that no cube core pushes
    TPipe<0, Direction::DIR_C2V, 0x4000, 2> pipe(reinterpret_cast<void*>(arguments[2]), 0, 0);
    TPOP<decltype(pipe), Vector, TileSplitAxis::TILE_NO_SPLIT>(pipe, a);
#endif
#ifdef WAITS_FOR_SIGNAL  // that nobody sets
    comm::Signal signal(reinterpret_cast<__gm__ int32_t*>(arguments[2]));
    comm::TWAIT(signal, 7, comm::WaitCmp::EQ);
#endif
    TLOAD(a, in0);
#ifdef LOADS_ONCE  // each core, in its first task
    static int tasks = 0;
    if (tasks++ == 0)
#endif
        TLOAD(b, in1);
#ifndef WITHOUT_FLAG
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
#ifndef WITHOUT_WAIT
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
#endif
#endif
#ifdef STUCK
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
#endif
    TADD(c, a, b);
#ifdef ADDS_SUBBLOCK
#ifdef __DAV_C220_VEC__
    pipe_barrier(PIPE_V);
#endif
    TADDS(c, c, static_cast<float>(get_subblockid()));
#endif
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(out, c);
#ifndef STORES_LATE
    pipe_barrier(PIPE_ALL);
#endif
#ifdef STORES_WORD  // through the data cache
    __gm__ uint32_t* const words = reinterpret_cast<__gm__ uint32_t*>(arguments[2]);
    words[7] = STORES_WORD;
#ifdef CLEANS
    dcci(words, SINGLE_CACHE_LINE, CACHELINE_OUT);
#endif
#endif
}
