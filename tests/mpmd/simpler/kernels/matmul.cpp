// h = x w, on the AIC.
#include "tensors.h"

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* arguments) {
    using Matrix = Tile<TileType::Mat, float, kSide, kSide, BLayout::ColMajor, kSide, kSide,
                        SLayout::RowMajor, 512>;
    Matrix x, w;
    TileLeft<float, kSide, kSide, kSide, kSide> left;
    TileRight<float, kSide, kSide, kSide, kSide> right;
    TileAcc<float, kSide, kSide, kSide, kSide> product;
    TASSIGN(x, 0x0);
    TASSIGN(w, 0x8000);
    TASSIGN(left, 0x0);
    TASSIGN(right, 0x0);
    TASSIGN(product, 0x0);
    Global in_x(data_of(arguments, 0)), in_w(data_of(arguments, 1)), out(data_of(arguments, 2));
    TLOAD(x, in_x);
    TLOAD(w, in_w);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TMOV(left, x);
    TMOV(right, w);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(product, left, right);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TSTORE(out, product);
    pipe_sync();
}
