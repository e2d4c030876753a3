// y = r + x, on an AIV.
#include "tensors.h"

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* arguments) {
    Vector r, x, y;
    TASSIGN(r, 0x0);
    TASSIGN(x, 0x4000);
    TASSIGN(y, 0x8000);
    Global in_r(data_of(arguments, 0)), in_x(data_of(arguments, 1)), out(data_of(arguments, 2));
    TLOAD(r, in_r);
    TLOAD(x, in_x);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADD(y, r, x);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(out, y);
    pipe_sync();
}
