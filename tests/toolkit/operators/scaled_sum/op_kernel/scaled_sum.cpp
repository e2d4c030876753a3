#include "kernel_operator.h"

using namespace AscendC;

static constexpr uint32_t kRow = 256;

template <class T, bool kHasY>
class ScaledSumKernel {
 public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR z, const ScaledSumTilingData& data) {
        const uint32_t begin = GetBlockIdx() * data.perBlock;
        x_.SetGlobalBuffer((__gm__ T*)x);
        y_.SetGlobalBuffer((__gm__ T*)y);
        z_.SetGlobalBuffer((__gm__ T*)z);
        pipe_.InitBuffer(in_, 2, kRow * sizeof(T));
        pipe_.InitBuffer(more_, 2, kRow * sizeof(T));
        pipe_.InitBuffer(out_, 2, kRow * sizeof(T));
        for (uint32_t at = begin; at < begin + data.perBlock && at < data.total; at += kRow)
            Row(at, data.total - at < kRow ? data.total - at : kRow, static_cast<T>(data.alpha));
    }

 private:
    __aicore__ inline void Load(TQue<TPosition::VECIN, 2>& queue, const GlobalTensor<T>& from, uint32_t at,
                                uint32_t count) {
        LocalTensor<T> row = queue.AllocTensor<T>();
        DataCopyPad(row, from[at], {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}, {false, 0, 0, 0});
        queue.EnQue(row);
    }
    __aicore__ inline void Row(uint32_t at, uint32_t count, T alpha) {
        Load(in_, x_, at, count);
        LocalTensor<T> sum = out_.AllocTensor<T>();
        LocalTensor<T> x = in_.DeQue<T>();
        Muls(sum, x, alpha, count);
        in_.FreeTensor(x);
        if constexpr (kHasY) {
            Load(more_, y_, at, count);
            LocalTensor<T> y = more_.DeQue<T>();
            PipeBarrier<PIPE_V>();
            Add(sum, sum, y, count);
            more_.FreeTensor(y);
        }
        out_.EnQue(sum);
        LocalTensor<T> done = out_.DeQue<T>();
        DataCopyPad(z_[at], done, {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
        out_.FreeTensor(done);
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 2> in_, more_;
    TQue<TPosition::VECOUT, 2> out_;
    GlobalTensor<T> x_, y_, z_;
};

extern "C" __global__ __aicore__ void scaled_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(data, tiling);
    if (TILING_KEY_IS(1)) {
        ScaledSumKernel<DTYPE_X, true> kernel;
        kernel.Run(x, y, z, data);
    } else if (TILING_KEY_IS(2)) {
        ScaledSumKernel<DTYPE_X, false> kernel;
        kernel.Run(x, y, z, data);
    }
}
