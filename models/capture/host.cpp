// Runs the kernels of the kit and writes what they measured: results.csv (times) and numbers.csv
// (bits). ./capture [FOLDER [VECTOR_CORES [REPETITIONS [ROUNDS]]]]
#include <acl/acl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

void launch_vectors(float* data, int64_t* to, int more, void* stream);
void launch_matrices(float* data, int64_t* to, int more, void* stream);
void launch_stream(float* from, float* into, int tiles, int blocks, void* queue);
void launch_nothing(float* data, int blocks, void* stream);
void launch_numbers(float* x, float* y, float* out, void* stream);

namespace {

int rounds = 512;  // that the long loop of kernels.cpp has more than the short one

struct Measure {
    const char* name;
    const char* core;
};
const Measure kMeasures[] = {
#define MEASURE(NAME, CORE, ...) {#NAME, #CORE},
#include "measures.def"
#undef MEASURE
};
const char* const kNumbers[] = {
#define NUMBERS(NAME, ...) #NAME,
#include "numbers.def"
#undef NUMBERS
};

void check(const char* what, int code) {
    if (code == 0) return;
    std::fprintf(stderr, "%s failed: %d\n", what, code);
    std::exit(1);
}
#define CHECK(CALL) check(#CALL, CALL)

template <typename Element>
Element* device(size_t count) {
    void* memory = nullptr;
    CHECK(aclrtMalloc(&memory, count * sizeof(Element), ACL_MEM_MALLOC_HUGE_FIRST));
    return static_cast<Element*>(memory);
}

aclrtStream stream;

// Microseconds of what `work` puts into the stream, by the device's events.
template <typename Work>
double timed(Work work) {
    aclrtEvent begin, end;
    CHECK(aclrtCreateEvent(&begin));
    CHECK(aclrtCreateEvent(&end));
    CHECK(aclrtRecordEvent(begin, stream));
    work();
    CHECK(aclrtRecordEvent(end, stream));
    CHECK(aclrtSynchronizeStream(stream));
    float milliseconds = 0;
    CHECK(aclrtEventElapsedTime(&milliseconds, begin, end));
    aclrtDestroyEvent(begin);
    aclrtDestroyEvent(end);
    return 1000.0 * milliseconds;
}

// Runs the loops of a core; returns all ticks that they took together.
using Launch = void (*)(float*, int64_t*, int, void*);
int64_t run(Launch launch, float* data, int64_t* counts, int more, std::vector<int64_t>& ticks,
            double& microseconds) {
    microseconds = timed([&] { launch(data, counts, more, stream); });
    CHECK(aclrtMemcpy(ticks.data(), ticks.size() * 8, counts, ticks.size() * 8,
                      ACL_MEMCPY_DEVICE_TO_HOST));
    int64_t all = 0;
    for (int64_t loop : ticks) all += loop;
    return all;
}

// A line for each measure. How fast the counter runs follows from a longer and a shorter run, in
// which all but the loops takes as long.
void measure(std::FILE* out, const char* core, Launch launch, float* data, int64_t* counts,
             int repetition) {
    size_t loops = 0;
    for (const Measure& m : kMeasures) loops += std::strcmp(m.core, core) == 0 ? 2 : 0;
    std::vector<int64_t> ticks(loops);
    double less_us = 0, more_us = 0;
    const int64_t less = run(launch, data, counts, rounds / 4, ticks, less_us);
    const int64_t more = run(launch, data, counts, rounds, ticks, more_us);
    size_t at = 0;
    for (const Measure& m : kMeasures) {
        if (std::strcmp(m.core, core) != 0) continue;
        std::fprintf(out, "%s,%d,%.6f,ticks\n", m.name, repetition,
                     static_cast<double>(ticks[at + 1] - ticks[at]) / rounds);
        at += 2;
    }
    std::fprintf(out, "ticks_per_us_%s,%d,%.6f,1/us\n", core, repetition,
                 static_cast<double>(more - less) / (more_us - less_us));
}

std::string in(const char* folder, const char* name) { return std::string(folder) + "/" + name; }

void write_numbers(const char* folder) {
    constexpr size_t kCount = 64, kNames = sizeof kNumbers / sizeof *kNumbers;
    std::vector<float> a(kCount), b(kCount), c(kCount * kNames);
    uint32_t state = 12345;
    const auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 8; };
    for (size_t i = 0; i < kCount; ++i) {
        a[i] = (static_cast<float>(next()) / 8388608.0f - 1.0f) * (i % 4 == 0 ? 1.0f : 30.0f);
        b[i] = static_cast<float>(next()) / 8388608.0f + 0.001f;
    }
    const uint32_t special[] = {0x7fc00000u, 0x80000000u, 0x00000001u,
                                0x007fffffu};  // NaN, -0, denormals
    std::memcpy(&b[60], special, sizeof special);
    float *x = device<float>(kCount), *y = device<float>(kCount), *z = device<float>(c.size());
    CHECK(aclrtMemcpy(x, kCount * 4, a.data(), kCount * 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(y, kCount * 4, b.data(), kCount * 4, ACL_MEMCPY_HOST_TO_DEVICE));
    launch_numbers(x, y, z, stream);
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(c.data(), c.size() * 4, z, c.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST));
    for (float* memory : {x, y, z}) CHECK(aclrtFree(memory));
    std::FILE* out = std::fopen(in(folder, "numbers.csv").c_str(), "w");
    if (out == nullptr) check("writing numbers.csv", 1);
    std::fprintf(out, "rule,index,bits\n");
    for (size_t i = 0; i < c.size(); ++i) {
        uint32_t bits;
        std::memcpy(&bits, &c[i], 4);
        std::fprintf(out, "%s,%zu,%08x\n", kNumbers[i / kCount], i % kCount, bits);
    }
    std::fclose(out);
}

}  // namespace

int main(int argc, char** argv) {
    const char* folder = argc > 1 ? argv[1] : ".";
    const int blocks = argc > 2 ? std::atoi(argv[2]) : 40;      // vector cores of the chip
    const int repetitions = argc > 3 ? std::atoi(argv[3]) : 5;  // of all times
    if (argc > 4) rounds = std::atoi(argv[4]);
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    constexpr size_t kSmall = size_t{1} << 18;     // 1 MiB
    constexpr size_t kElements = size_t{1} << 26;  // 256 MiB: more than any L2
    float *data = device<float>(kSmall), *from = device<float>(kElements),
          *into = device<float>(kElements);
    CHECK(aclrtMemset(data, kSmall * 4, 0, kSmall * 4));
    int64_t* counts = device<int64_t>(4096);
    CHECK(aclrtMemset(counts, 4096 * 8, 0, 4096 * 8));
    std::FILE* out = std::fopen(in(folder, "results.csv").c_str(), "w");
    if (out == nullptr) check("writing results.csv", 1);
    std::fprintf(out, "measure,repetition,value,unit\n");
    const int tiles = static_cast<int>(kElements / 8192);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        measure(out, "AIV", launch_vectors, data, counts, repetition);
        measure(out, "AIC", launch_matrices, data, counts, repetition);
        const auto line = [&](const char* name, double us) {
            std::fprintf(out, "%s,%d,%.6f,us\n", name, repetition, us);
        };
        line("launch_1", timed([&] { launch_nothing(data, 1, stream); }));
        line("launch_blocks", timed([&] { launch_nothing(data, blocks, stream); }));
        line("launch_twice", timed([&] {
                 launch_nothing(data, 1, stream);
                 launch_nothing(data, 1, stream);
             }));
        line("copy_256MiB", timed([&] { launch_stream(from, into, tiles, blocks, stream); }));
        line("copy_1MiB_again", timed([&] {
                 for (int i = 0; i < 8; ++i) launch_stream(from, into, 2 * blocks, blocks, stream);
             }));
    }
    std::fclose(out);
    write_numbers(folder);
    for (void* memory : {static_cast<void*>(data), static_cast<void*>(from),
                         static_cast<void*>(into), static_cast<void*>(counts)})
        CHECK(aclrtFree(memory));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
