// A task of the executor in device_executor.cpp: doubles a row.
#include <pto/pto-inst.hpp>

using namespace pto;

extern "C" [aicore] void double_row(__gm__ float* rows, int64_t row) {
    constexpr int kCols = 64;
    using View = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Tile<TileType::Vec, float, 1, kCols> values;
    TASSIGN(values, 0x0);
    View memory(rows + row * kCols);
    TLOAD(values, memory);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADD(values, values, values);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(memory, values);
}
