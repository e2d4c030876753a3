// Flags between the cores of a cluster for kernels that place them by hand: TSync_Custom, and
// TSYNC_CVID, which gives the cores of a cluster a slot in common.
#pragma once

#include "pto/common/debug.h"
#include "pto/fifo/flags.hpp"

namespace pto {

enum CVCommFftsEvent : uint16_t {
    CV_COMM_CTRL = 12,
    CV_COMM_RSVD_13,
    CV_COMM_RSVD_14,
    CV_COMM_RSVD_15,
};
enum CVSyncMode : uint16_t {
    C_ALL_CORE_SYNC = 0,
    V_ALL_CORE_SYNC = 0,
    V_SUBCORES_SYNC = 1,
    CV_CORE_SYNC = 2,
};
constexpr int kCvCommSlotBytes = 512;
constexpr int kCvMaxCores = 25;

constexpr uint16_t _getFFTSMsg(CVSyncMode mode, uint16_t id, uint16_t count = 1) {
    return static_cast<uint16_t>((count & 0xf) | (mode & 0x3) << 4 | (id & 0xf) << 8);
}

// The pipe that fills the buffer of a TSync_Custom, and the memory it goes through.
enum class SyncOpType : uint8_t {
    TSTORE_C2GM,
    TSTORE_V2GM,
#ifdef PTO_NPU_ARCH_A5
    TMOV_C2UB,
    TINSERT_V2L1,
#endif
    TLOAD,
};

template <SyncOpType Producer_, SyncOpType Consumer_>
struct TSync_Custom {
    static_assert(Consumer_ == SyncOpType::TLOAD, "PTO: the consumer of a TSync_Custom is TLOAD");
    static constexpr bool through_memory =
        Producer_ == SyncOpType::TSTORE_C2GM || Producer_ == SyncOpType::TSTORE_V2GM;

    uint16_t flag_id;

    void record(PTO_DETAIL_WHERE) const { flags().filled(true, where); }
    void wait(PTO_DETAIL_WHERE) const { flags().await_filled(true, where); }
    void allocate(PTO_DETAIL_WHERE) const { flags().await_emptied(true, where); }
    void free(PTO_DETAIL_WHERE) const { flags().emptied(true, where); }

 private:
    constexpr ptosim_detail::FifoFlags flags() const { return {flag_id, through_memory}; }
};

// The AIC writes the number of its slot into the block's line of `buffer`, its AIVs read it.
template <int SlotBytes_ = kCvCommSlotBytes, int MaxCores_ = kCvMaxCores>
int TSYNC_CVID(int block, uint8_t* buffer, PTO_DETAIL_WHERE) {
    const uint64_t line =
        reinterpret_cast<uintptr_t>(buffer) + static_cast<uint64_t>(block) * SlotBytes_;
    if (ptosim_detail::kOnCube) {
        const int slot = static_cast<int>(get_coreid() & 0x7f) % MaxCores_;
        ptosim_store_global(line, PTOSIM_U32, static_cast<uint64_t>(slot), where);
        ptosim_detail::tell(ptosim_detail::kA2A3 ? PIPE_MTE2 : PIPE_S, CV_COMM_CTRL, true, where);
        return slot;
    }
    ptosim_detail::hear(PIPE_S, CV_COMM_CTRL, false, where);
    return static_cast<int>(ptosim_load_global(line, PTOSIM_U32, where));
}

}  // namespace pto
