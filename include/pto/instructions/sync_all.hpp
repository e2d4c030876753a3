// SYNCALL: a barrier of all cores of a kind, by flags or by a counter in global memory.
#pragma once

#include "pto/common/global_tensor.hpp"
#include "pto/common/intrinsics.hpp"
#include "pto/fifo/flags.hpp"

namespace pto {

namespace ptosim_detail {

inline void tell_all(pipe_t pipe, int id, ptosim_location where) {
    ffts_cross_core_sync(pipe, 0x01u | static_cast<unsigned>(id) << 8, where);
}
inline void hear_all(int id, ptosim_location where) {
#ifdef PTO_NPU_ARCH_A2A3
    wait_flag_dev(id, where);
#else
    wait_flag_dev(PIPE_S, id, where);
#endif
}

// The AIVs of each cluster tell their AIC, the AICs tell each other, then their AIVs.
inline void sync_clusters(ptosim_location where) {
    if (kOnCube) {
        hear(PIPE_S, SYNC_AIV_FLAG, true, where);
        tell_all(PIPE_FIX, SYNC_AIC_FLAG, where);
        hear_all(SYNC_AIC_FLAG, where);
        tell(kA2A3 ? PIPE_MTE3 : PIPE_S, SYNC_AIC_AIV_FLAG, true, where);
    } else {
        tell(PIPE_MTE3, SYNC_AIV_FLAG, false, where);
        hear(PIPE_S, SYNC_AIC_AIV_FLAG, false, where);
    }
}

// Counts arrivals, and waits until the count is the next multiple of `cores`.
inline void sync_by_counter(int32_t* counter, int32_t cores, ptosim_location where) {
    const uint64_t address = reinterpret_cast<uintptr_t>(counter);
    const auto before =
        static_cast<int32_t>(ptosim_atomic_global(address, PTOSIM_I32, 1, 1, where));
    const int32_t target = (before / cores + 1) * cores;
    const auto arrived = [&] { return static_cast<int32_t>(ptosim_load_global(address, PTOSIM_I32, where)); };
    for (int32_t present = arrived(); present < target; present = arrived()) {
        ptosim_await_signal(address, present, 3, target, where);
        ptosim_pause();
    }
    ptosim_end_wait();
}

template <SyncCoreType Cores_>
int32_t participants() {
    const auto blocks = static_cast<int32_t>(get_block_num());
    if (Cores_ != SyncCoreType::Mix) return blocks;
#ifdef __MIX_CORE_AIV_RATIO__
    return blocks * (1 + static_cast<int32_t>(__MIX_CORE_AIV_RATIO__));
#else
    return blocks * (1 + (kOnCube ? 1 : static_cast<int32_t>(get_subblockdim())));
#endif
}
template <SyncCoreType Cores_>
inline constexpr bool takes_part = Cores_ == SyncCoreType::Mix ||
                                   (Cores_ == SyncCoreType::AICOnly ? kOnCube : kOnVector);

}  // namespace ptosim_detail

template <SyncCoreType Cores_ = SyncCoreType::AIVOnly>
void SYNCALL(PTO_DETAIL_WHERE) {
    pipe_barrier(PIPE_ALL, where);
    if constexpr (Cores_ == SyncCoreType::Mix) {
        ptosim_detail::sync_clusters(where);
    } else if constexpr (ptosim_detail::takes_part<Cores_>) {
        constexpr bool kVector = Cores_ == SyncCoreType::AIVOnly;
        constexpr int kId = kVector ? SYNC_AIV_ONLY_ALL : SYNC_AIC_FLAG;
        ptosim_detail::tell_all(kVector ? PIPE_MTE3 : PIPE_FIX, kId, where);
        ptosim_detail::hear_all(kId, where);
    }
}

// Soft: `workspace` is a cache line of global memory whose first int32 is a counter that only this
// barrier uses. usedCores: how many take part; 0: all.
template <SyncAllMode Mode_, SyncCoreType Cores_ = SyncCoreType::AIVOnly, typename Global,
          std::enable_if_t<is_global_data_v<Global>, int> = 0>
void SYNCALL(Global& workspace, int32_t usedCores = 0, PTO_DETAIL_WHERE) {
    if constexpr (Mode_ == SyncAllMode::Hard) {
        SYNCALL<Cores_>(where);
    } else {
        pipe_barrier(PIPE_ALL, where);
        if constexpr (ptosim_detail::takes_part<Cores_>) {
            ptosim_detail::sync_by_counter(
                reinterpret_cast<int32_t*>(workspace.data()),
                usedCores != 0 ? usedCores : ptosim_detail::participants<Cores_>(), where);
        }
        pipe_barrier(PIPE_ALL, where);
    }
}

}  // namespace pto
