// A host function whose passes skip different launches: the host's pass has no core type. Lambdas of the launches are
// numbered differently in the passes, and two launches share a line.
#include <acl/acl.h>

#include <cstdio>
#include <pto/pto-inst.hpp>

__global__ AICORE void nothing() {}

template <int kValue>
__global__ AICORE void fill(__gm__ int32_t* out) {
#if defined(__DAV_VEC__)
    if (get_subblockid() == 0) out[0] = kValue;
#endif
}

template <int kValue>
void run(int32_t* out) {
#if defined(__DAV_CUBE__) || defined(__DAV_VEC__)
    nothing<<<1, nullptr, nullptr>>>();
#endif
    fill<kValue><<<1, nullptr, nullptr>>>(out); fill<kValue + 1><<<1, nullptr, nullptr>>>(out + 16);
}

int main() {
    void* out = nullptr;
    aclrtMalloc(&out, 128, ACL_MEM_MALLOC_HUGE_FIRST);
    run<7>(static_cast<int32_t*>(out));
    aclrtSynchronizeStream(nullptr);
    int32_t values[32];
    aclrtMemcpy(values, sizeof values, out, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%d %d\n", values[0], values[16]);
    aclrtFree(out);
}
