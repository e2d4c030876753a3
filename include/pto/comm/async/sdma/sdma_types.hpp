// Names of SDMA that kernels use: sizes of its queues, and how a transfer is cut.
#pragma once

#include <stdint.h>

namespace pto::comm::sdma {

constexpr uint32_t UB_ALIGN_SIZE = 256;  // bytes of a scratch tile
constexpr uint32_t kSqDepth = 2048;
constexpr uint32_t kSdmaMaxChannel = 48;
constexpr uint32_t kSdmaMinTransferBytes = 64;
constexpr uint64_t kDefaultSdmaBlockBytes = uint64_t{1} << 20;
constexpr uint32_t kAutoChannelGroupIdx = UINT32_MAX;

struct SdmaBaseConfig {
    uint64_t block_bytes;        // of a part
    uint64_t comm_block_offset;  // where the transfer begins in both views, in bytes
    uint32_t queue_num;
};

}  // namespace pto::comm::sdma
