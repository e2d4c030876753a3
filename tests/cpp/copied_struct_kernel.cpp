// A mixed kernel whose halves each define a class of the same name and copy a structure that the host has written:
// an AIC from global memory, an AIV by way of UB.
#include <pto/pto-inst.hpp>

#include "acl/acl.h"
#include <cstdio>
#include <cstring>

using namespace pto;

struct Sizes {
    uint64_t first;
    uint32_t second;
    uint16_t third;
    uint8_t fourth, fifth[2];
};
constexpr uint32_t kBytes = 17;  // 8, 8, 1: the structure ends with padding

#if defined(__DAV_CUBE__)
class Cursor {
 public:
    int64_t cube_position;
};
__aicore__ inline void read_on_aic(__gm__ uint8_t* in, __gm__ uint64_t* out) {
    Sizes sizes{};
    Cursor cursor{0};
    copy_data_align64((uint8_t*)&sizes, in, kBytes);
    out[cursor.cube_position] = sizes.first + sizes.second + sizes.third + sizes.fourth + sizes.fifth[0] + sizes.fifth[1];
}
#endif

#if defined(__DAV_VEC__)
class Cursor {
 public:
    int64_t vector_position;
};
__aicore__ inline void read_on_aiv(__gm__ uint8_t* in, __gm__ uint64_t* out) {
    Sizes sizes{};
    Cursor cursor{8 + 8 * get_subblockid()};
    __ubuf__ uint8_t* const in_ub = (__ubuf__ uint8_t*)get_imm(64);
    copy_gm_to_ubuf_align_v2(in_ub, in, 0, 1, 32, 0, 0, false, 0, 0, 0);
    set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    copy_data_align64((uint8_t*)&sizes, in_ub, kBytes);
    out[cursor.vector_position] =
        sizes.first + sizes.second + sizes.third + sizes.fourth + sizes.fifth[0] + sizes.fifth[1];
}
#endif

__global__ AICORE void read_sizes(__gm__ uint8_t* in, __gm__ uint64_t* out) {
#if defined(__DAV_CUBE__)
    read_on_aic(in, out);
#endif
#if defined(__DAV_VEC__)
    read_on_aiv(in, out);
#endif
}

int main() {
    const Sizes sizes{1000000000000, 200000, 3000, 40, {5, 6}};
    static_assert(sizeof(Sizes) == 24);
    void *in = nullptr, *out = nullptr;
    aclrtMalloc(&in, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&out, 192, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(in, 64, &sizes, sizeof sizes, ACL_MEMCPY_HOST_TO_DEVICE);
    read_sizes<<<1, nullptr, nullptr>>>(static_cast<uint8_t*>(in), static_cast<uint64_t*>(out));
    aclrtSynchronizeStream(nullptr);
    uint64_t sums[24];
    aclrtMemcpy(sums, sizeof sums, out, sizeof sums, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%lu %lu %lu\n", sums[0], sums[8], sums[16]);
    aclrtFree(in);
    aclrtFree(out);
}
