// Runs the kernels of the kit and writes what they measured: results.csv (times) and numbers.csv
// (bits). ./capture [FOLDER [VECTOR_CORES [REPETITIONS [ROUNDS [all|chip|cores|numbers]]]]]
#include <acl/acl.h>
#include <runtime/rt.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

void launch_vectors(float* data, float* cold, int64_t* to, int more, void* stream);
void launch_matrices(float* data, float* cold, int64_t* to, int more, void* stream);
void launch_signals(void* flags, int64_t* to, int more, void* stream);
void launch_barriers(void* flags, int64_t* to, int more, int blocks, void* stream);
void launch_flags(int64_t* to, void* stream);
void launch_stream(float* from, float* into, int tiles, int kind, int blocks, void* queue);
void launch_nothing(float* data, int blocks, void* stream);
bool launch_first(int which, float* data, void* stream);
void launch_numbers(float* x, float* y, float* out, void* stream);
void launch_products(void* x, void* y, float* bias, float* out, void* stream);

namespace {

// That the long loop of kernels.cpp has more than the short one. A tick of the counter is as long as
// 36 core cycles on a2a3.
int rounds = 4096;

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

std::vector<int64_t> copied(const int64_t* counts, size_t number) {
    std::vector<int64_t> values(number);
    CHECK(aclrtMemcpy(values.data(), number * 8, counts, number * 8, ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
}

// Arrays of the device. A launch of loops reads 32 MiB that L2 does not hold: parts of `into` that
// no launch of this run has read, or that were written before more was read than L2 holds
// (measure_chip).
constexpr size_t kSmall = size_t{1} << 18;     // 1 MiB
constexpr size_t kElements = size_t{1} << 26;  // 256 MiB: more than any L2
constexpr size_t kCold = size_t{1} << 23;      // 32 MiB
struct Arrays {
    float *data, *from, *into;
    int64_t* counts;
    void* flags;
    size_t launches = 0;
    float* cold() { return into + (1 + launches++ % (kElements / kCold - 1)) * kCold; }
};

struct Output {
    std::FILE* file;
    int repetition;
    void line(const char* name, double value, const char* unit) const {
        std::fprintf(file, "%s,%d,%.6f,%s\n", name, repetition, value, unit);
    }
};

// Ticks of one round: the kernel has written the ticks of a short and of a long loop.
double round_of(const int64_t* counts) {
    const std::vector<int64_t> ticks = copied(counts, 2);
    return static_cast<double>(ticks[1] - ticks[0]) / rounds;
}

// A line for each measure of a core. How fast the counter runs follows from a longer and a shorter
// run, in which all but the loops takes as long.
using Launch = void (*)(float*, float*, int64_t*, int, void*);
void measure(const Output& out, const char* core, Launch launch, Arrays& arrays) {
    size_t loops = 0;
    for (const Measure& m : kMeasures) loops += std::strcmp(m.core, core) == 0 ? 2 : 0;
    std::vector<int64_t> ticks;
    const auto run = [&](int more, double& us) {
        float* cold = arrays.cold();
        us = timed([&] { launch(arrays.data, cold, arrays.counts, more, stream); });
        ticks = copied(arrays.counts, loops);
        int64_t all = 0;
        for (int64_t loop : ticks) all += loop;
        return all;
    };
    double less_us = 0, more_us = 0;
    const int64_t less = run(rounds / 4, less_us), more = run(rounds, more_us);
    size_t at = 0;
    for (const Measure& m : kMeasures) {
        if (std::strcmp(m.core, core) != 0) continue;
        out.line(m.name, static_cast<double>(ticks[at + 1] - ticks[at]) / rounds, "ticks");
        at += 2;
    }
    out.line((std::string("ticks_per_us_") + core).c_str(),
             static_cast<double>(more - less) / (more_us - less_us), "1/us");
}

// The bits of an f32 of few digits as f16.
uint16_t half_bits(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if ((bits & 0x7fffffffu) == 0) return static_cast<uint16_t>(bits >> 16);
    return static_cast<uint16_t>((bits >> 16 & 0x8000u) | (((bits >> 23 & 0xffu) - 112u) << 10) |
                                 (bits >> 13 & 0x3ffu));
}

uint32_t next_number() {
    static uint32_t state = 12345;
    return (state = state * 1664525u + 1013904223u) >> 8;
}

class Numbers {
 public:
    explicit Numbers(const char* folder)
        : file_{std::fopen((std::string(folder) + "/numbers.csv").c_str(), "w")} {
        if (file_ == nullptr) check("writing numbers.csv", 1);
        std::fprintf(file_, "rule,index,bits\n");
    }
    ~Numbers() { std::fclose(file_); }
    // So many words of the device's memory for each name.
    void write(const float* memory, const std::vector<const char*>& names, size_t each) {
        std::vector<uint32_t> bits(names.size() * each);
        CHECK(aclrtMemcpy(bits.data(), bits.size() * 4, memory, bits.size() * 4,
                          ACL_MEMCPY_DEVICE_TO_HOST));
        for (size_t i = 0; i < bits.size(); ++i)
            std::fprintf(file_, "%s,%zu,%08x\n", names[i / each], i % each, bits[i]);
    }

 private:
    std::FILE* file_;
};

void to_device(void* memory, const void* from, size_t bytes) {
    CHECK(aclrtMemcpy(memory, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
}

// Results of vector instructions for 64 inputs, NaN, -0 and denormals among them.
void vector_numbers(Numbers& numbers) {
    constexpr size_t kCount = 64;
    const std::vector<const char*> names(std::begin(kNumbers), std::end(kNumbers));
    std::vector<float> a(kCount), b(kCount);
    for (size_t i = 0; i < kCount; ++i) {
        a[i] =
            (static_cast<float>(next_number()) / 8388608.0f - 1.0f) * (i % 4 == 0 ? 1.0f : 30.0f);
        b[i] = static_cast<float>(next_number()) / 8388608.0f + 0.001f;
    }
    const uint32_t special[] = {0x7fc00000u, 0x80000000u, 0x00000001u, 0x007fffffu};
    std::memcpy(&b[60], special, sizeof special);
    float *x = device<float>(kCount), *y = device<float>(kCount),
          *z = device<float>(kCount * names.size());
    to_device(x, a.data(), kCount * 4);
    to_device(y, b.data(), kCount * 4);
    launch_numbers(x, y, z, stream);
    CHECK(aclrtSynchronizeStream(stream));
    numbers.write(z, names, kCount);
    for (float* memory : {x, y, z}) CHECK(aclrtFree(memory));
}

// Products of 64 terms of which some are thousands of times larger than others, and cancel: their
// order shows.
void matrix_numbers(Numbers& numbers) {
    constexpr size_t kCount = 16 * 64, kResults = 16 * 16;
    std::vector<uint16_t> a(kCount), b(kCount);
    for (size_t i = 0; i < kCount; ++i) {
        const float digits =
            static_cast<float>(next_number() % 1024 + 1024);  // 11 bits, exact as f16
        const float scale = i % 3 == 0 ? 16.0f : 1.0f / 64.0f;
        a[i] = half_bits(digits * (i % 2 == 0 ? scale : -scale));
        b[i] = half_bits(static_cast<float>(next_number() % 1024 + 1024) / 512.0f);
    }
    std::vector<float> bias(16, 1.0f / 3.0f);
    auto *x = device<uint16_t>(kCount), *y = device<uint16_t>(kCount);
    float *z = device<float>(16), *out = device<float>(3 * kResults);
    to_device(x, a.data(), kCount * 2);
    to_device(y, b.data(), kCount * 2);
    to_device(z, bias.data(), 64);
    launch_products(x, y, z, out, stream);
    CHECK(aclrtSynchronizeStream(stream));
    numbers.write(out, {"products_in_order", "accumulation_starts_at_c", "bias_after_dot"},
                  kResults);
    for (void* memory : {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(z),
                         static_cast<void*>(out)})
        CHECK(aclrtFree(memory));
}

// Launches, streams of all vector cores and what passes between cores.
void measure_chip(const Output& out, Arrays& arrays, int blocks) {
    float *data = arrays.data, *from = arrays.from, *into = arrays.into;
    int64_t* counts = arrays.counts;
    const auto line = [&](const char* name, auto work) { out.line(name, timed(work), "us"); };
    line("launch_1", [&] { launch_nothing(data, 1, stream); });
    line("launch_blocks", [&] { launch_nothing(data, blocks, stream); });
    line("launch_first", [&] {
        if (launch_first(out.repetition, data, stream)) return;
        std::fprintf(stderr, "at most 8 repetitions, because each needs a kernel that has not run\n");
        std::exit(1);
    });
    line("launch_twice", [&] {
        launch_nothing(data, 1, stream);
        launch_nothing(data, 1, stream);
    });
    // Kinds as in kernels.cpp. What reads the same, or again, is first read once.
    constexpr int kCopy = 0, kRead = 1, kWrite = 2, kReadSame = 3, kReadRows = 4;
    const auto streams = [&](const char* name, int kind, int tiles, int times) {
        line(name, [&] {
            for (int i = 0; i < times; ++i) launch_stream(from, into, tiles, kind, blocks, stream);
        });
    };
    streams("copy_256MiB", kCopy, static_cast<int>(kElements / 16384), 1);
    streams("read_rows_64MiB", kReadRows, static_cast<int>(kElements / 65536), 1);
    streams("read_256MiB", kRead, static_cast<int>(kElements / 16384), 1);
    streams("copy_again", kCopy, 2 * blocks, 8);
    streams("read_warm", kRead, 4 * blocks, 1);  // into L2
    streams("read_again", kRead, 4 * blocks, 8);
    streams("write_again", kWrite, 4 * blocks, 8);
    streams("read_same_warm", kReadSame, 16, 1);
    streams("read_same", kReadSame, 16, 8);
    launch_signals(arrays.flags, counts, rounds, stream);
    CHECK(aclrtSynchronizeStream(stream));
    out.line("signal_there_and_back", round_of(counts), "ticks");
    // As many as run at once, whether the compiler gives a block one vector core or two.
    launch_barriers(arrays.flags, counts, rounds, blocks / 2, stream);
    CHECK(aclrtSynchronizeStream(stream));
    out.line("barrier_of_all", round_of(counts), "ticks");
    launch_flags(counts, stream);
    CHECK(aclrtSynchronizeStream(stream));
    const std::vector<int64_t> ticks = copied(counts, 2);
    out.line("flag_second_wait", static_cast<double>(ticks[0]), "ticks");
    out.line("flag_work", static_cast<double>(ticks[1]), "ticks");
}

}  // namespace

int main(int argc, char** argv) {
    const char* folder = argc > 1 ? argv[1] : ".";
    const int blocks = argc > 2 ? std::atoi(argv[2]) : 40;      // vector cores of the chip
    const int repetitions = argc > 3 ? std::atoi(argv[3]) : 5;  // of all times
    if (argc > 4) rounds = std::atoi(argv[4]);
    const std::string part = argc > 5 ? argv[5] : "all";
    const auto asked = [&](const char* name) { return part == "all" || part == name; };
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    Arrays arrays{device<float>(kSmall), device<float>(kElements), device<float>(kElements),
                  device<int64_t>(4096), nullptr};
    uint64_t flags = 0;
    uint32_t length = 0;
    CHECK(rtGetC2cCtrlAddr(&flags, &length));
    arrays.flags = reinterpret_cast<void*>(flags);
    CHECK(aclrtMemset(arrays.data, kSmall * 4, 0, kSmall * 4));
    CHECK(aclrtMemset(arrays.counts, 4096 * 8, 0, 4096 * 8));
    if (asked("chip") || asked("cores")) {
        std::FILE* file = std::fopen((std::string(folder) + "/results.csv").c_str(), "w");
        if (file == nullptr) check("writing results.csv", 1);
        std::fprintf(file, "measure,repetition,value,unit\n");
        for (int repetition = 0; repetition < repetitions; ++repetition) {
            const Output out{file, repetition};
            if (asked("chip")) measure_chip(out, arrays, blocks);
            if (!asked("cores")) continue;
            measure(out, "AIV", launch_vectors, arrays);
            measure(out, "AIC", launch_matrices, arrays);
        }
        std::fclose(file);
    }
    if (asked("numbers")) {
        Numbers numbers(folder);
        vector_numbers(numbers);
        matrix_numbers(numbers);
    }
    for (void* memory : {static_cast<void*>(arrays.data), static_cast<void*>(arrays.from),
                         static_cast<void*>(arrays.into), static_cast<void*>(arrays.counts)})
        CHECK(aclrtFree(memory));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
