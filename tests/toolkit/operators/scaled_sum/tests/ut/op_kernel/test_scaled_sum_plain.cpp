// Tests also declare a kernel without its qualifiers.
#ifdef __CCE_KT_TEST__
#include "tikicpulib.h"
#endif
#include <gtest/gtest.h>

extern "C" void scaled_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling);

TEST(ScaledSum, Plain) {
    constexpr uint32_t kTotal = 256;
    float* const x = static_cast<float*>(AscendC::GmAlloc(kTotal * sizeof(float)));
    float* const z = static_cast<float*>(AscendC::GmAlloc(kTotal * sizeof(float)));
    auto* const tiling =
        static_cast<ScaledSumTilingData*>(AscendC::GmAlloc(sizeof(ScaledSumTilingData)));
    for (uint32_t i = 0; i < kTotal; ++i) x[i] = static_cast<float>(i);
    tiling->perBlock = kTotal;
    tiling->total = kTotal;
    tiling->alpha = 2;
    ICPU_SET_TILING_KEY(2);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(scaled_sum, 1, (uint8_t*)x, nullptr, (uint8_t*)z, nullptr, (uint8_t*)tiling);
    for (uint32_t i = 0; i < kTotal; ++i) ASSERT_EQ(z[i], 2.0f * i) << i;
    for (void* const memory : {(void*)x, (void*)z, (void*)tiling}) AscendC::GmFree(memory);
}
