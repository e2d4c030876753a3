// Kernels in several streams of one device. Words: what to do with them.
#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "rows.h"

namespace {

struct Buffers {
    float *rows = nullptr, *taken = nullptr;
    int32_t* count = nullptr;
};

bool right(const Buffers& on_device) {
    std::vector<float> taken(kRows * kCols);
    const size_t bytes = taken.size() * sizeof(float);
    if (aclrtMemcpy(taken.data(), bytes, on_device.taken, bytes, ACL_MEMCPY_DEVICE_TO_HOST) != 0) return false;
    for (int i = 0; i < kRows * kCols; ++i)
        if (taken[static_cast<size_t>(i)] != static_cast<float>(i / kCols + 1)) return false;
    return true;
}

}  // namespace

int main(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "signals";
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream takes = nullptr, makes = nullptr;
    aclrtCreateStream(&takes);
    if (what == "one stream")
        makes = takes;
    else
        aclrtCreateStream(&makes);
    aclrtEvent begun = nullptr, made = nullptr;
    aclrtCreateEvent(&begun);
    aclrtCreateEvent(&made);
    Buffers b;
    const size_t bytes = kRows * kCols * sizeof(float);
    aclrtMalloc(reinterpret_cast<void**>(&b.rows), bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(reinterpret_cast<void**>(&b.taken), bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(reinterpret_cast<void**>(&b.count), 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(b.rows, bytes, 0, bytes);
    aclrtMemset(b.taken, bytes, 0, bytes);
    aclrtMemset(b.count, 64, 0, 64);
    const bool signals = what == "signals";
    if (signals || what == "nothing") take<<<1, nullptr, takes>>>(b.rows, b.taken, b.count, signals ? 1 : 0);
    aclrtRecordEvent(begun, makes);
    make<<<1, nullptr, makes>>>(b.rows, b.count, 0);
    make<<<1, nullptr, makes>>>(b.rows, b.count, kRows / 2);
    aclrtRecordEvent(made, makes);
    if (what == "event") aclrtStreamWaitEvent(takes, made);
    if (what == "event" || what == "one stream") take<<<1, nullptr, takes>>>(b.rows, b.taken, b.count, 0);
    int code = aclrtSynchronizeStream(takes);
    if (code == 0) code = aclrtSynchronizeStream(makes);
    float ms = 0;
    aclrtEventElapsedTime(&ms, begun, made);
    std::printf("%d %s %.4f\n", code, code == 0 && right(b) ? "right" : "wrong", 1000 * static_cast<double>(ms));
    aclrtFree(b.rows);
    aclrtFree(b.taken);
    aclrtFree(b.count);
    aclrtDestroyEvent(begun);
    aclrtDestroyEvent(made);
    if (makes != takes) aclrtDestroyStream(makes);
    aclrtDestroyStream(takes);
    return code == 0 ? 0 : 1;
}
