// Common part of the three kernels: tiles of 64 x 64 f32, and their arguments.
#pragma once

#include "../../task_kernel.h"
#include "pipe_sync.h"
#include "tensor.h"

constexpr int kSide = 64;
using Global = GlobalTensor<float, Shape<1, 1, 1, kSide, kSide>, Stride<1, 1, 1, kSide, 1>>;
using Vector = Tile<TileType::Vec, float, kSide, kSide>;

// The first element of a task's argument: a tensor, or a part of one.
static __aicore__ inline __gm__ float* data_of(__gm__ int64_t* arguments, int index) {
    __gm__ ChipTensor* tensor = reinterpret_cast<__gm__ ChipTensor*>(arguments[index]);
    return reinterpret_cast<__gm__ float*>(tensor->buffer.addr) + tensor->start_offset;
}
