// Launches kernels many times, and finds out whether anything uses freed memory after main has
// returned: from then on freed blocks are filled and kept, and looked at after everything else.
#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <malloc.h>
#include <unistd.h>

void launchScaleAdd(float* out, float* in0, float* in1, int32_t* counts, int mode, int blocks,
                    void* stream);

namespace {

constexpr unsigned char kFill = 0xDB;
constexpr size_t kMost = 1 << 20;  // blocks; what is freed behind them is leaked
bool ending = false;
void** kept = nullptr;
size_t kept_count = 0;

struct Watch {
    Watch() : blocks{static_cast<void**>(std::malloc(kMost * sizeof(void*)))} { kept = blocks; }
    // The first object of this program with a destructor: the last one to be destroyed.
    ~Watch() {
        size_t changed = 0;
        for (size_t i = 0; i < kept_count; ++i) {
            const auto* bytes = static_cast<const unsigned char*>(kept[i]);
            for (size_t at = 0; at < malloc_usable_size(kept[i]); ++at)
                if (bytes[at] != kFill) {
                    ++changed;
                    break;
                }
        }
        std::printf("%zu freed blocks changed\n", changed);
        std::fflush(stdout);
        if (changed > 0) _exit(3);
    }
    void** blocks;
};
__attribute__((init_priority(101))) Watch watch;

void release(void* block) {
    if (!ending || block == nullptr) return std::free(block);
    std::memset(block, kFill, malloc_usable_size(block));
    if (kept_count < kMost) kept[kept_count++] = block;
}

}  // namespace

void* operator new(size_t size) {
    if (void* block = std::malloc(size)) return block;
    throw std::bad_alloc();
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, size_t) noexcept { release(block); }

// A static object that uses the device when the program ends: told, and nothing is run.
struct Late {
    void (*at_end)() = nullptr;
    ~Late() {
        if (at_end != nullptr) at_end();
    }
};
Late late;
float *in0, *in1, *out;
int32_t* counts;

int main(int argc, char** argv) {
    const int launches = argc > 1 ? std::atoi(argv[1]) : 1;
    constexpr int kBlocks = 50;
    constexpr size_t kBytes = kBlocks * 16 * 64 * sizeof(float);
    aclInit(nullptr);
    aclrtSetDevice(0);
    for (float** array : {&in0, &in1, &out}) {
        aclrtMalloc(reinterpret_cast<void**>(array), kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemset(*array, kBytes, 0, kBytes);
    }
    aclrtMalloc(reinterpret_cast<void**>(&counts), kBlocks * 4, ACL_MEM_MALLOC_HUGE_FIRST);
    for (int i = 0; i < launches; ++i)
        launchScaleAdd(out, in0, in1, counts, 0, i % 2 == 0 ? kBlocks : 3, nullptr);
    std::printf("synchronize %d\n", aclrtSynchronizeStream(nullptr));
    if (argc > 2) {
        late.at_end = [] {
            launchScaleAdd(out, in0, in1, counts, 0, 1, nullptr);
            std::printf("late %d\n", aclrtSynchronizeStream(nullptr));
        };
    } else {
        for (float* array : {in0, in1, out}) aclrtFree(array);
        aclrtFree(counts);
    }
    ending = true;
    return 0;
}
