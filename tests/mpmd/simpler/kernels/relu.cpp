// r = max(h, 0), on an AIV.
#include "tensors.h"

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* arguments) {
    Vector h, r;
    TASSIGN(h, 0x0);
    TASSIGN(r, 0x4000);
    Global in(data_of(arguments, 0)), out(data_of(arguments, 1));
    TLOAD(h, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMAXS(r, h, 0.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(out, r);
    pipe_sync();
}
