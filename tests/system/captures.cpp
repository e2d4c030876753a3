// Streams that are captured into models, which run several times. A word selects the case.
#include <pto/pto-inst.hpp>

#include <acl/acl.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace pto;

constexpr int kCols = 256;
constexpr size_t kBytes = kCols * sizeof(float);
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<1, 1, 1, kCols, 1>>;
using Data = Tile<TileType::Vec, float, 1, kCols>;

// to = from + number
__global__ AICORE void add(__gm__ float* from, __gm__ float* to, float number) {
    Data row;
    TASSIGN(row, 0x0);
    Row source(from), target(to);
    TLOAD(row, source);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADDS(row, row, number);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(target, row);
}

namespace {

aclrtStream stream = nullptr, other = nullptr;
aclrtEvent event = nullptr, back = nullptr;
float *a = nullptr, *b = nullptr, *pinned = nullptr;
aclmdlRI model = nullptr;

void check(const char* what, int code) {
    if (code != 0) std::printf("%s: %d\n", what, code);
}

// The number in all elements of a row on the device; -1: they differ.
float value(const float* row) {
    std::vector<float> found(kCols);
    check("aclrtMemcpy", aclrtMemcpy(found.data(), kBytes, row, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (const float each : found)
        if (each != found[0]) return -1;
    return found[0];
}

void show(const char* when) { std::printf("%s: %g %g\n", when, value(a), value(b)); }
void begin(aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) {
    check("aclmdlRICaptureBegin", aclmdlRICaptureBegin(stream, mode));
}
void end() { check("aclmdlRICaptureEnd", aclmdlRICaptureEnd(stream, &model)); }
void run(aclrtStream in = stream) {
    check("aclmdlRIExecuteAsync", aclmdlRIExecuteAsync(model, in));
    check("aclrtSynchronizeStream", aclrtSynchronizeStream(in));
}
int status() {
    aclmdlRICaptureStatus found{};
    aclmdlRI into = nullptr;
    check("aclmdlRICaptureGetInfo", aclmdlRICaptureGetInfo(stream, &found, &into));
    return (into != nullptr ? 10 : 0) + found;
}
int exchange(aclmdlRICaptureMode mode) {
    aclmdlRICaptureThreadExchangeMode(&mode);
    return mode;
}

// A kernel, a fill and copies of one stream.
void replay() {
    begin();
    std::printf("status %d\n", status());
    add<<<1, nullptr, stream>>>(a, a, 1.0f);
    aclrtMemsetAsync(b, kBytes, 0, kBytes, stream);
    aclrtMemcpyAsync(pinned, kBytes, a, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    aclrtMemcpyAsync(b, kBytes / 2, pinned, kBytes / 2, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    aclrtMemcpyAsync(b + kCols / 2, kBytes / 2, a, kBytes / 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
    end();
    std::printf("status %d\n", status());
    show("captured");
    run();
    show("once");
    run(other);
    check("aclmdlRIExecute", aclmdlRIExecute(model, -1));
    show("three times");
    aclmdlRIDebugPrint(model);
    check("aclmdlRIDestroy", aclmdlRIDestroy(model));
}

// The second stream joins by an event, and is joined by another. Its handle and the events are gone when the model runs.
void fork() {
    begin();
    add<<<1, nullptr, stream>>>(a, a, 1.0f);
    aclrtRecordEvent(event, stream);
    aclrtStreamWaitEvent(other, event);
    add<<<1, nullptr, other>>>(a, b, 10.0f);
    aclrtRecordEvent(back, other);
    aclrtStreamWaitEvent(stream, back);
    add<<<1, nullptr, stream>>>(b, a, 100.0f);
    end();
    check("aclrtDestroyStream", aclrtDestroyStream(other));
    check("aclrtDestroyEvent", aclrtDestroyEvent(event));
    show("captured");
    run();
    run();
    show("twice");
    check("aclmdlRIDestroy", aclmdlRIDestroy(model));
}

// A model that runs within another one, with a function of the host.
void nested() {
    static std::vector<float> seen;
    begin();
    add<<<1, nullptr, stream>>>(a, a, 1.0f);
    aclrtLaunchHostFunc(stream, [](void* row) { seen.push_back(value(static_cast<float*>(row))); }, a);
    end();
    const aclmdlRI inner = model;
    begin();
    for (int i = 0; i < 2; ++i) aclmdlRIExecuteAsync(inner, stream);
    add<<<1, nullptr, stream>>>(a, b, 0.0f);
    end();
    std::printf("called %zu times\n", seen.size());
    run();
    run();
    show("four times");
    for (const float each : seen) std::printf("seen %g\n", each);
    aclrtLaunchHostFunc(stream, [](void*) { std::printf("at once\n"); }, nullptr);
}

// A launch after freed memory fails when it runs, not when it is captured.
void freed() {
    begin();
    add<<<1, nullptr, stream>>>(a, b, 1.0f);
    end();
    aclrtFree(b);
    std::printf("executed %d\n", aclmdlRIExecuteAsync(model, stream));
    std::printf("synchronized %d\n", aclrtSynchronizeStream(stream));
    aclrtMalloc(reinterpret_cast<void**>(&b), kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
}

int in_thread(const std::function<int()>& work) {
    int code = 0;
    std::thread([&] { code = work(); }).join();
    return code;
}

// The code of each call that a capture forbids.
void refused() {
    float host[kCols] = {};
    std::printf("default stream %d\n", aclmdlRICaptureBegin(nullptr, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    std::printf("not captured %d\n", aclmdlRICaptureEnd(stream, &model));
    std::printf("no model %d\n", aclmdlRIExecuteAsync(a, stream));
    std::printf("no mode %d\n", aclmdlRICaptureBegin(stream, static_cast<aclmdlRICaptureMode>(3)));
    begin();
    const auto copy = [&] { return aclrtMemcpy(host, kBytes, a, kBytes, ACL_MEMCPY_DEVICE_TO_HOST); };
    std::printf("twice %d\n", aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    std::printf("copy %d, in another thread %d\n", copy(), in_thread(copy));
    std::printf("fill %d\n", aclrtMemset(a, kBytes, 0, kBytes));
    std::printf("pageable %d\n", aclrtMemcpyAsync(host, kBytes, a, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    std::printf("synchronize %d %d\n", aclrtSynchronizeStream(stream), aclrtSynchronizeDevice());
    std::printf("destroy %d\n", aclrtDestroyStream(stream));
    std::printf("another thread ends %d\n", in_thread([] { return aclmdlRICaptureEnd(stream, &model); }));
    std::printf("mode before %d\n", exchange(ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    std::printf("relaxed copy %d\n", copy());
    std::printf("mode before %d\n", exchange(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    aclrtRecordEvent(back, other);
    std::printf("foreign event %d\n", aclrtStreamWaitEvent(stream, back));
    aclrtRecordEvent(event, stream);
    std::printf("event %d\n", aclrtSynchronizeEvent(event));
    aclmdlRI active = nullptr;
    aclmdlRICaptureGetInfo(stream, nullptr, &active);
    std::printf("active model %d\n", aclmdlRIExecuteAsync(active, other));
    aclrtStreamWaitEvent(other, event);
    std::printf("joined %d\n", aclrtSynchronizeStream(other));
    std::printf("not joined %d\n", aclmdlRICaptureEnd(stream, &model));
    begin(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
    std::printf("local copy %d, in another thread %d\n", copy(), in_thread(copy));
    end();
    begin(ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    std::printf("relaxed copy %d, in another thread %d\n", copy(), in_thread(copy));
    std::printf("another thread ends %d\n", in_thread([] { return aclmdlRICaptureEnd(stream, &model); }));
}

}  // namespace

int main(int count, char** words) {
    const std::map<std::string, void (*)()> cases = {
        {"replay", &replay}, {"fork", &fork}, {"nested", &nested}, {"freed", &freed}, {"refused", &refused}};
    aclInit(nullptr);
    aclrtSetDevice(0);
    for (aclrtStream* each : {&stream, &other}) aclrtCreateStream(each);
    for (aclrtEvent* each : {&event, &back}) aclrtCreateEvent(each);
    for (float** each : {&a, &b}) {
        aclrtMalloc(reinterpret_cast<void**>(each), kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemset(*each, kBytes, 0, kBytes);
    }
    aclrtMallocHost(reinterpret_cast<void**>(&pinned), kBytes);
    cases.at(count > 1 ? words[1] : "replay")();
    aclrtFree(a);
    aclrtFree(b);
    aclrtFreeHost(pinned);
    aclFinalize();
}
