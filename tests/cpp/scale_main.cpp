// Runs a kernel and misuses the host's calls, one misuse for each argument.
#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

void launchScaleAdd(float* out, float* in0, float* in1, int32_t* counts, int mode, int blocks,
                    void* stream);
void launchLoadFrom(float* from, void* stream);

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "run";
    const int blocks = argc > 2 ? std::atoi(argv[2]) : 2;
    const size_t elements = static_cast<size_t>(blocks) * 16 * 64, bytes = elements * sizeof(float);
    std::vector<float> a(elements), b(elements), c(elements);
    for (size_t i = 0; i < elements; ++i) {
        a[i] = static_cast<float>(i % 97);
        b[i] = static_cast<float>(i % 13);
    }
    std::vector<int32_t> counts(static_cast<size_t>(blocks));
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    aclrtEvent begin, end;
    aclrtCreateEvent(&begin);
    aclrtCreateEvent(&end);
    float *in0, *in1, *out;
    int32_t* count;
    aclrtMalloc(reinterpret_cast<void**>(&in0), bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(reinterpret_cast<void**>(&in1), bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(reinterpret_cast<void**>(&out), bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(reinterpret_cast<void**>(&count), counts.size() * 4, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(in0, bytes, a.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    const size_t given = what == "unset" ? bytes - 1024 : bytes;
    aclrtMemcpy(in1, given, b.data(), given, ACL_MEMCPY_HOST_TO_DEVICE);
    if (what == "unused") {
        void* spare;
        aclrtMalloc(&spare, 100, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtFree(spare);
    }
    if (what == "freed" || what == "freed_unseen") aclrtFree(in1);
    const auto print = [](const char* name, int code) { std::printf("%s %d\n", name, code); };
    if (what == "overrun")
        print("copy", aclrtMemcpy(in0, bytes + 4, a.data(), bytes + 4, ACL_MEMCPY_HOST_TO_DEVICE));
    if (what == "room")
        print("copy", aclrtMemcpy(in0, bytes - 4, a.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    if (what == "direction")
        print("copy", aclrtMemcpy(in0, bytes, a.data(), bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    if (what == "host_in_kernel") in0 = a.data();
    if (what == "read_on_host") std::printf("%g\n", static_cast<double>(in0[0]));
    if (what == "free_host") print("free", aclrtFree(a.data()));
    if (what == "stream") stream = &counts;

    const int mode = what == "null"     ? 1
                     : what == "divide" ? 2
                     : what == "loop"   ? 3
                     : what == "trap"   ? 4
                     : what == "wild"   ? 5
                     : what == "blocks" ? 6
                                        : 0;
    aclrtRecordEvent(begin, stream);
    if (what == "freed_unseen")
        launchLoadFrom(in1, stream);
    else
        launchScaleAdd(out, in0, in1, count, mode, blocks, stream);
    aclrtRecordEvent(end, stream);
    if (what == "copied_early")
        aclrtMemcpy(c.data(), bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    if (what == "changed_early") aclrtMemset(in0, bytes, 0, bytes);
    if (what == "copied_in_stream")
        aclrtMemcpyAsync(c.data(), bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    if (what == "copied_behind_event") {
        aclrtSynchronizeEvent(end);
        aclrtMemcpy(c.data(), bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    }
    if (what == "copied_behind_wrong_event") {
        aclrtSynchronizeEvent(begin);
        aclrtMemcpy(c.data(), bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    }
    if (what == "two_streams" || what == "two_streams_in_order" || what == "two_readers") {
        aclrtStream second;
        aclrtCreateStream(&second);
        if (what == "two_streams_in_order") aclrtStreamWaitEvent(second, end);
        launchLoadFrom(what == "two_readers" ? in0 : out, second);
        aclrtSynchronizeStream(second);
        aclrtDestroyStream(second);
    }
    if (what == "again")  // fewer cores, then more: those without a block wait for the next launch
        for (int n : {1, blocks, 1, blocks, 2})
            launchScaleAdd(out, in0, in1, count, mode, n, stream);
    print("synchronize", aclrtSynchronizeStream(stream));
    float milliseconds = -1;
    print("elapsed", aclrtEventElapsedTime(&milliseconds, begin, end));
    std::printf("later %d\n", milliseconds > 0);
    aclrtMemcpy(c.data(), bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtMemcpy(counts.data(), counts.size() * 4, count, counts.size() * 4,
                ACL_MEMCPY_DEVICE_TO_HOST);
    size_t wrong = 0;
    for (size_t i = 0; i < elements; ++i) wrong += c[i] != a[i] + 3 * b[i];
    std::printf("wrong %zu\ncounts", wrong);
    for (int32_t value : counts) std::printf(" %d", value);
    std::printf("\n");
    if (what == "leak") return aclFinalize();
    aclrtFree(in0);
    if (what == "double_free") print("free", aclrtFree(in0));
    if (what != "freed" && what != "freed_unseen") aclrtFree(in1);
    aclrtFree(out);
    aclrtFree(count);
    aclrtDestroyEvent(begin);
    aclrtDestroyEvent(end);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return aclFinalize();
}
