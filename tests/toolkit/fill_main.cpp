// Prints the first element of each row that the kernel of a library has written.
#include <acl/acl.h>

#include <cstdio>

extern "C" void call_kernel(uint32_t blocks, void* stream, void* out);

int main() {
    float rows[4][64] = {};
    void* out = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtMalloc(&out, sizeof rows, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(out, sizeof rows, 0, sizeof rows);
    call_kernel(2, nullptr, out);
    if (aclrtSynchronizeStream(nullptr) != ACL_SUCCESS) return 1;
    aclrtMemcpy(rows, sizeof rows, out, sizeof rows, ACL_MEMCPY_DEVICE_TO_HOST);
    for (const auto& row : rows) std::printf("%g ", static_cast<double>(row[0]));
    aclrtFree(out);
    aclFinalize();
    return 0;
}
