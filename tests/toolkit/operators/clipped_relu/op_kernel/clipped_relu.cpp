#include "kernel_operator.h"
#include "clipped_relu_tiling.h"

using namespace AscendC;

template <bool LIMITED, uint32_t ROW>
__global__ __aicore__ void clipped_relu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(ClippedReluTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, ROW * sizeof(float));
    LocalTensor<float> row = buffer.Get<float>();
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)y);
    for (uint32_t at = GetBlockIdx() * ROW; at < data.total; at += GetBlockNum() * ROW) {
        DataCopy(row, from[at], ROW);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Maxs(row, row, 0.0f, ROW);
        if constexpr (LIMITED) {
            PipeBarrier<PIPE_V>();
            Mins(row, row, data.limit, ROW);
        }
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(to[at], row, ROW);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }
}
