// Several devices of one process. Words: what to do with them.
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "group.h"
#include "rows.h"

using Rows = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
using Block = Tile<TileType::Vec, float, kRows, kCols>;

__global__ AICORE void copy(__gm__ float* from, __gm__ float* to) {
    Block block;
    TASSIGN(block, 0x0);
    Rows source(from), target(to);
    TLOAD(block, source);  //@ COPIES
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    TSTORE(target, block);
}

// Overwrites memory of another device while that is read there.
__global__ AICORE void overwrite(__gm__ float* rows, float value) {
    Block block;
    TASSIGN(block, 0x0);
    TEXPANDS(block, value);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    Rows target(rows);
    TSTORE(target, block);  //@ OVERWRITES
}

namespace {

constexpr size_t kBytes = kRows * kCols * sizeof(float);

// On a device, of which the other one makes the rows.
struct Buffers {
    float *rows = nullptr, *taken = nullptr;
    int32_t* count = nullptr;
};

void set(int device) { aclrtSetDevice(device); }

template <class T>
T* allocated(size_t bytes) {
    void* memory = nullptr;
    aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(memory, bytes, 0, bytes);
    return static_cast<T*>(memory);
}

Buffers buffers() { return {allocated<float>(kBytes), allocated<float>(kBytes), allocated<int32_t>(64)}; }

void release(const Buffers& b) {
    aclrtFree(b.rows);
    aclrtFree(b.taken);
    aclrtFree(b.count);
}

bool right(const float* rows) {
    std::vector<float> found(kRows * kCols);
    if (aclrtMemcpy(found.data(), kBytes, rows, kBytes, ACL_MEMCPY_DEVICE_TO_HOST) != 0) return false;
    for (int i = 0; i < kRows * kCols; ++i)
        if (found[static_cast<size_t>(i)] != static_cast<float>(i / kCols + 1)) return false;
    return true;
}

// Rows of device 0, which device 1 makes.
int producer_and_consumer(const std::string& what) {
    const Buffers b = buffers();
    const int listens = what == "nothing" ? 0 : 1;
    take<<<1, nullptr, nullptr>>>(b.rows, b.taken, b.count, listens);
    set(1);
    aclrtDeviceEnablePeerAccess(0, 0);
    make<<<1, nullptr, nullptr>>>(b.rows, b.count, 0);
    int code = 0;
    if (what == "late") code = aclrtSynchronizeDevice();
    if (what != "deadlock") make<<<1, nullptr, nullptr>>>(b.rows, b.count, kRows / 2);
    if (what != "nothing") set(0);
    for (const int device : {0, 1}) {
        set(device);
        if (const int error = aclrtSynchronizeDevice(); code == 0) code = error;
    }
    set(0);
    std::printf("%d %s\n", code, code == 0 && right(b.taken) ? "right" : "wrong");
    release(b);
    return code;
}

// The same by two processes.
int by_ranks(int argc, char** argv) {
    Group group(argc, argv);
    Context context;
    aclrtMemcpy(&context, sizeof context, group.context, sizeof context, ACL_MEMCPY_DEVICE_TO_HOST);
    const Buffers b{reinterpret_cast<float*>(context.in[0]), allocated<float>(kBytes),
                    reinterpret_cast<int32_t*>(context.in[0] + 2 * kBytes)};
    if (group.rank == 0) take<<<1, nullptr, nullptr>>>(b.rows, b.taken, b.count, 1);
    for (int first = 0; group.rank == 1 && first < kRows; first += kRows / 2)
        make<<<1, nullptr, nullptr>>>(b.rows, b.count, first);
    const int code = aclrtSynchronizeDevice();
    group.barrier();
    const bool refused = aclrtDeviceEnablePeerAccess(1 - group.rank, 0) != ACL_SUCCESS;
    if (group.rank == 0) std::printf("%d %s %d\n", code, code == 0 && right(b.taken) ? "right" : "wrong", refused);
    aclrtFree(b.taken);
    return code;
}

// A device for each thread, each of which makes rows for the next one.
int by_threads() {
    constexpr int kDevices = 4;
    std::vector<Buffers> all(kDevices);
    for (int device = 0; device < kDevices; ++device) {
        set(device);
        all[static_cast<size_t>(device)] = buffers();
        aclrtDeviceEnablePeerAccess((device + 1) % kDevices, 0);
    }
    std::vector<int> codes(kDevices);
    std::vector<std::thread> threads;
    for (int device = 0; device < kDevices; ++device)
        threads.emplace_back([&, device] {
            set(device);
            const Buffers& own = all[static_cast<size_t>(device)];
            const Buffers& next = all[static_cast<size_t>((device + 1) % kDevices)];
            aclrtStream stream = nullptr;
            aclrtCreateStream(&stream);
            // The first one makes rows before it takes any.
            if (device != 0) take<<<1, nullptr, stream>>>(own.rows, own.taken, own.count, 1);
            make<<<1, nullptr, stream>>>(next.rows, next.count, 0);
            const int first = aclrtSynchronizeStream(stream);
            make<<<1, nullptr, stream>>>(next.rows, next.count, kRows / 2);
            if (device == 0) take<<<1, nullptr, stream>>>(own.rows, own.taken, own.count, 1);
            const int second = aclrtSynchronizeStream(stream);
            codes[static_cast<size_t>(device)] = first != 0 ? first : second;
            aclrtDestroyStream(stream);
        });
    for (std::thread& thread : threads) thread.join();
    bool all_right = true;
    for (int device = 0; device < kDevices; ++device) {
        set(device);
        const Buffers& own = all[static_cast<size_t>(device)];
        all_right = all_right && codes[static_cast<size_t>(device)] == 0 && right(own.taken);
        release(own);
    }
    std::printf("%s\n", all_right ? "right" : "wrong");
    return all_right ? 0 : 1;
}

// Copies of kernels, from the own memory and from another device's, and of the host.
int copies() {
    std::vector<float> rows(kRows * kCols);
    for (int i = 0; i < kRows * kCols; ++i) rows[static_cast<size_t>(i)] = static_cast<float>(i / kCols + 1);
    auto* const first = allocated<float>(kBytes);
    set(1);
    auto *const second = allocated<float>(kBytes), *const third = allocated<float>(kBytes);
    aclrtMemcpy(first, kBytes, rows.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
    int32_t can = 0;
    aclrtDeviceCanAccessPeer(&can, 1, 0);
    const aclError refused = aclrtDeviceEnablePeerAccess(1, 0);
    const aclError enabled = aclrtDeviceEnablePeerAccess(0, 0);
    for (int i = 0; i < 2; ++i) copy<<<1, nullptr, nullptr>>>(first, second);  // then L2 of device 0 holds it
    copy<<<1, nullptr, nullptr>>>(second, third);
    aclrtSynchronizeDevice();
    const bool pulled = right(third);
    aclrtMemset(second, kBytes, 0, kBytes);
    aclrtMemcpy(second, kBytes, first, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE);
    aclrtContext context = nullptr;
    aclrtGetCurrentContext(&context);
    set(0);
    const bool copied = right(second);
    aclrtSetCurrentContext(context);
    int32_t device = 0;
    aclrtGetDevice(&device);
    uint32_t count = 0;
    aclrtGetDeviceCount(&count);
    std::printf("%d %d %d %d %d %d %u\n", can, refused != 0, enabled, pulled, copied, device, count);
    for (float* const memory : {first, second, third}) aclrtFree(memory);
    return 0;
}

// Device 1 has no access to memory of device 0.
int without_access() {
    auto* const first = allocated<float>(kBytes);
    set(1);
    auto* const second = allocated<float>(kBytes);
    aclrtDeviceEnablePeerAccess(0, 0);
    aclrtDeviceDisablePeerAccess(0);
    copy<<<1, nullptr, nullptr>>>(first, second);
    const int code = aclrtSynchronizeDevice();
    std::printf("%d\n", code);
    aclrtFree(first);
    aclrtFree(second);
    return code == 0 ? 0 : 1;
}

// A launch of device 1 that begins while device 0 reads its memory overwrites it there.
int race() {
    const Buffers b = buffers();
    set(1);
    aclrtDeviceEnablePeerAccess(0, 0);
    overwrite<<<1, nullptr, nullptr>>>(b.rows, 3.0F);
    set(0);
    copy<<<1, nullptr, nullptr>>>(b.rows, b.taken);
    for (const int device : {0, 1}) {
        set(device);
        aclrtSynchronizeDevice();
    }
    release(b);
    return 0;
}

// The second launch comes after the host has waited for the first.
int ordered() {
    const Buffers b = buffers();
    set(1);
    aclrtDeviceEnablePeerAccess(0, 0);
    overwrite<<<1, nullptr, nullptr>>>(b.rows, 3.0F);
    aclrtSynchronizeDevice();
    set(0);
    copy<<<1, nullptr, nullptr>>>(b.rows, b.taken);
    aclrtSynchronizeDevice();
    release(b);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "signals";
    if (what == "ranks") return by_ranks(count, words);
    aclInit(nullptr);
    set(0);
    int code = 0;
    if (what == "threads")
        code = by_threads();
    else if (what == "copies")
        code = copies();
    else if (what == "no access")
        code = without_access();
    else if (what == "race")
        code = race();
    else if (what == "ordered")
        code = ordered();
    else
        code = producer_and_consumer(what);
    for (const int device : {0, 1}) aclrtResetDevice(device);
    aclFinalize();
    return code == 0 ? 0 : 1;
}
