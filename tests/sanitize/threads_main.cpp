// A host that launches a kernel from threads that end before it.
#include <acl/acl.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

void launchScaleAdd(float* out, float* in0, float* in1, int32_t* counts, int mode, int blocks,
                    void* stream);

namespace {

constexpr int kBlocks = 2;

void launch() {
    std::vector<float> values(kBlocks * 16 * 64, 1.0F);
    const size_t bytes = values.size() * sizeof(float);
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    void *in, *out, *counts;
    aclrtMalloc(&in, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&out, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&counts, kBlocks * sizeof(int32_t), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(in, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    launchScaleAdd(static_cast<float*>(out), static_cast<float*>(in), static_cast<float*>(in),
                   static_cast<int32_t*>(counts), 0, kBlocks, stream);
    const int status = aclrtSynchronizeStream(stream);
    aclrtMemcpy(values.data(), bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("status %d, first element %g\n", status, static_cast<double>(values[0]));
    for (void* memory : {in, out, counts}) aclrtFree(memory);
    aclrtDestroyStream(stream);
}

}  // namespace

int main() {
    aclInit(nullptr);
    for (int i = 0; i < 3; ++i) std::thread(launch).join();
    return aclFinalize();
}
