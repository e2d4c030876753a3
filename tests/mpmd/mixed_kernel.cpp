// A task's kernel on an AIC and its two AIVs: the AIC signals, then the AIVs add two arrays of 64 x 64 f32 in two steps.
// Its arguments are three addresses.
#include "task_kernel.h"

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* arguments) {
#ifdef __DAV_CUBE__
#ifndef WITHOUT_SIGNAL
    ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | 0 << 8);
#endif
#else
    using Global = GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>>;
    Tile<TileType::Vec, float, 64, 64> a, b;
    TASSIGN(a, 0x0);
    TASSIGN(b, 0x4000);
    Global in0(reinterpret_cast<__gm__ float*>(arguments[0]));
    Global in1(reinterpret_cast<__gm__ float*>(arguments[1]));
    Global out(reinterpret_cast<__gm__ float*>(arguments[2]));
    wait_flag_dev(PIPE_MTE2, 0);
    TLOAD(a, in0);
    TLOAD(b, in1);
    pipe_barrier(PIPE_ALL);
    TADD(a, a, b);
    pipe_barrier(PIPE_ALL);
    TSTORE(out, a);
    pipe_barrier(PIPE_ALL);
#endif
}
