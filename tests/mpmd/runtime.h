// Common state of the runtime's processors and cores.
#pragma once

#include <cstdint>
#include <vector>

#include "ptosim/mpmd.h"

constexpr uint32_t kTask = 0, kDone = 64;  // registers of a core: bytes
constexpr uint32_t kRegisters = 256;       // bytes of a core's
constexpr uint32_t kExit = 0x7FFFFFFF;
constexpr uint32_t kBuffers = 4;

struct Core {
    uint8_t* registers = nullptr;
    void (*kernel)(int64_t*) = nullptr;
    int64_t arguments[3] = {};
    uint64_t task = 0;  // that it runs
    int32_t block = 0;
    struct Program* tells = nullptr;  // words, before its tasks
    struct Time {
        uint32_t task;
        uint64_t begin, end;  // nanoseconds
    };
    std::vector<Time> times;  // of its tasks
};

struct Program {
    uint32_t tasks = 0;
    int64_t step = 0;
    int64_t buffers[kBuffers] = {};
    std::vector<Core> cores;
    volatile uint32_t submitted = 0;
    volatile uint32_t roles = 0;
    // A word of device memory that the host writes before each run and the orchestrator reads.
    const volatile uint32_t* setting = nullptr;
    bool mixed = false;    // tasks run on an AIC and its AIVs
    int64_t other = 0;     // the result of the second AIV
    bool invalidates = false;  // before it reads
    bool reads_results = false;  // the scheduler reads word 7 of each task's result when the task has ended
    uint32_t read = 0;           // of the last task
    // Times of words from a core to a processor: their number, and for each the times at which it
    // was sent and seen, in nanoseconds.
    uint32_t words = 0;
    std::vector<uint64_t> told, seen;
};

int run_processor(void* program);
int go_round(int rounds);  // a loop of one block
