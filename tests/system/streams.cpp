// Kernels in several streams of one device. Words: what to do with them.
#include <pto/pto-inst.hpp>

#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace pto;

constexpr int kCols = 256, kRows = 8;
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
using Data = Tile<TileType::Vec, float, 1, kCols>;

// Copies rows as soon as the signal has counted them.
__global__ AICORE void take(__gm__ float* rows, __gm__ float* taken, __gm__ int32_t* count, int listens) {
    Data row;
    TASSIGN(row, 0x0);
    comm::Signal signal(count);
    for (int i = 0; i < kRows; ++i) {
        if (listens != 0) comm::TWAIT(signal, i + 1, comm::WaitCmp::GE);
        Row from(rows + i * kCols), to(taken + i * kCols);
        TLOAD(row, from);
        set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, row);
        pipe_barrier(PIPE_ALL);
    }
}

// Makes half of the rows, from `first` on.
__global__ AICORE void make(__gm__ float* rows, __gm__ int32_t* count, int first) {
    Data row;
    TASSIGN(row, 0x1000);
    comm::Signal signal(count);
    for (int i = first; i < first + kRows / 2; ++i) {
        TEXPANDS(row, static_cast<float>(i + 1));
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        Row to(rows + i * kCols);
        TSTORE(to, row);
        pipe_barrier(PIPE_ALL);
        comm::TNOTIFY(signal, 1, comm::NotifyOp::AtomicAdd);
    }
}

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
