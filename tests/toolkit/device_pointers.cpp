// A task of the executor in device_executor.cpp: the scalar unit doubles a row in UB by pointers.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kCols = 64;

template <typename T>
[aicore] inline void double_by_pointer(__ubuf__ T* row) {
    for (int i = 0; i < kCols; i += 2) {
        auto value = *(row + i);
        row[i] = value + row[i];
        row[i + 1] *= 2;
    }
}

extern "C" [aicore] void double_row(__gm__ float* rows, int64_t row) {
    using View = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Tile<TileType::Vec, float, 1, kCols> values;
    TASSIGN(values, 0x0);
    View memory(rows + row * kCols);
    TLOAD(values, memory);
    set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    double_by_pointer(reinterpret_cast<__ubuf__ float*>(0));
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    TSTORE(memory, values);
}
