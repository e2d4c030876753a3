// Both keys on two blocks, with tiling data as a test states them; and memory that is too small.
#ifdef __CCE_KT_TEST__
#include "tikicpulib.h"
#endif
#include <gtest/gtest.h>

extern "C" __global__ __aicore__ void scaled_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                 GM_ADDR tiling);

namespace {

constexpr uint32_t kTotal = 500;

void run(uint64_t key, uint32_t room) {
    float* const x = static_cast<float*>(AscendC::GmAlloc(kTotal * sizeof(float)));
    float* const y = static_cast<float*>(AscendC::GmAlloc(kTotal * sizeof(float)));
    float* const z = static_cast<float*>(AscendC::GmAlloc(room * sizeof(float)));
    uint8_t* const workspace = static_cast<uint8_t*>(AscendC::GmAlloc(32));
    auto* const tiling =
        static_cast<ScaledSumTilingData*>(AscendC::GmAlloc(sizeof(ScaledSumTilingData)));
    for (uint32_t i = 0; i < kTotal; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 1;
    }
    tiling->perBlock = 256;
    tiling->total = kTotal;
    tiling->alpha = 3;
    ICPU_SET_TILING_KEY(key);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(scaled_sum, 2, (uint8_t*)x, (uint8_t*)y, (uint8_t*)z, workspace, (uint8_t*)tiling);
    for (uint32_t i = 0; i < kTotal; ++i) ASSERT_EQ(z[i], 3.0f * i + (key == 1 ? 1 : 0)) << i;
    for (void* const memory : {(void*)x, (void*)y, (void*)z, (void*)workspace, (void*)tiling})
        AscendC::GmFree(memory);
}

}  // namespace

TEST(ScaledSum, WithY) { run(1, kTotal); }
TEST(ScaledSum, TooSmall) { run(1, kTotal / 2); }
TEST(ScaledSum, WithoutY) { run(2, kTotal); }
