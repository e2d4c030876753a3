// The part of Ascend C's header of this name that tile kernels use: parameter types and the core's identity. Ascend C's
// own classes and functions are not here, but for a name that kernels declare to use.
#pragma once

#include <pto/pto-inst.hpp>

#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t*
#endif

#ifndef KERNEL_TASK_TYPE_DEFAULT
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert(true, #type)
#endif
#define KERNEL_TASK_TYPE(key, type) static_assert(true, #type)

namespace AscendC {

template <class T>
class GlobalTensor;

AICORE inline int64_t GetBlockNum() { return get_block_num(); }
AICORE inline int64_t GetSubBlockNum() { return get_subblockdim(); }
AICORE inline int64_t GetSubBlockIdx() { return get_subblockid(); }
// In a kernel on clusters: the vector core's number among all vector cores, or on the cube core the cluster's number.
AICORE inline int64_t GetBlockIdx() {
#ifdef __DAV_VEC__
    return get_block_idx() * get_subblockdim() + get_subblockid();
#else
    return get_block_idx();
#endif
}

}  // namespace AscendC
