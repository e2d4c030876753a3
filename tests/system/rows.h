// Two kernels: one makes rows and counts them, the other takes them. `//@ NAME` marks a line for tests.
#pragma once

#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kCols = 256, kRows = 8;
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
using Data = Tile<TileType::Vec, float, 1, kCols>;

// Copies rows as soon as the signal has counted them.
__global__ AICORE void take(__gm__ float* rows, __gm__ float* taken, __gm__ int32_t* count, int listens) {
    Data row;
    TASSIGN(row, 0x0);
    comm::Signal signal(count);
    for (int i = 0; i < kRows; ++i) {
        if (listens != 0) comm::TWAIT(signal, i + 1, comm::WaitCmp::GE);  //@ WAITS
        Row from(rows + i * kCols), to(taken + i * kCols);
        TLOAD(row, from);  //@ TAKES
        set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, row);
        pipe_barrier(PIPE_ALL);
    }
}

// Makes half of the rows, from `first` on.
__global__ AICORE void make(__gm__ float* rows, __gm__ int32_t* count, int first) {
    Data row;
    TASSIGN(row, 0x1000);
    comm::Signal signal(count);
    for (int i = first; i < first + kRows / 2; ++i) {
        TEXPANDS(row, static_cast<float>(i + 1));
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        Row to(rows + i * kCols);
        TSTORE(to, row);  //@ MADE
        pipe_barrier(PIPE_ALL);
        comm::TNOTIFY(signal, 1, comm::NotifyOp::AtomicAdd);
    }
}
