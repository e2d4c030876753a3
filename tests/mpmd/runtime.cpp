// A runtime of our own, as small as one can be: an orchestrator that submits tasks, a scheduler
// that hands them to the AIVs through their registers, and an executor on each core. Its
// processors' code is in processors.cpp.
//
//   runtime KERNEL.so TASKS
//
// Task i adds a number to the result of the task before it. Prints the last sum and simulated
// times. RUNS=2 does all of it twice; ARCH is a2a3 if it is not given; WORDS=N measures, before the
// tasks, the time of a word from a core to a processor. SETTING: the host writes a word before
// each run that the orchestrator reads, another one unless it is "same"; the orchestrator drops it
// from its cache before if SETTING is "invalidated". NAMED: cores have the numbers of their tasks;
// TENSORS: the records have those of the tasks; MIXED: tasks run on an AIC and its two AIVs.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime.h"

namespace {

// Follows the measurement on a board: the time is taken, a line of the cache is written, a register
// is set; a microsecond and a bit goes by before the next word.
void tell(Core& core, Program& program) {
    for (uint32_t word = 1; word <= program.words; ++word) {
        for (uint32_t i = 0; i < 130 + word % 14; ++i) ptosim_mpmd_core_load(core.registers, kTask);
        program.told.push_back(ptosim_mpmd_nanoseconds());
        ptosim_mpmd_core_cache(&core);
        ptosim_mpmd_core_store(core.registers, kDone, word);
    }
}

void execute(void* self) {
    Core& core = *static_cast<Core*>(self);
    uint32_t last = 0;
    if (core.tells != nullptr) tell(core, *core.tells);
    for (;;) {
        const uint32_t task = ptosim_mpmd_core_load(core.registers, kTask);
        if (task == kExit) break;
        if (task == last) {
            ptosim_mpmd_core_spin();
            continue;
        }
        last = task;
        ptosim_mpmd_core_cache(nullptr);
        ptosim_mpmd_core_read(core.arguments);
        if (std::getenv("NAMED") != nullptr) ptosim_mpmd_core_task(&core.task, &core.block);
        core.times.push_back({task, ptosim_mpmd_nanoseconds(), 0});
        core.kernel(core.arguments);
        core.times.back().end = ptosim_mpmd_nanoseconds();
        ptosim_mpmd_core_store(core.registers, kDone, task);
    }
}

// The three tensors of each task, as simpler's records have them.
void write_tensors(const Program& program, std::ostream& graph) {
    std::ostringstream tasks;
    graph << R"(, "tensors": [)";
    const char* separator = "";
    for (uint32_t task = 1; task <= program.tasks; ++task) {
        const int64_t addresses[] = {program.buffers[(task - 1) % kBuffers], program.step, program.buffers[task % kBuffers]};
        tasks << separator << R"({"task_id": ")" << task << R"(", "kernel_ids": [-1, 5, -1], "args": [)";
        for (int i = 0; i < 3; ++i) {
            const std::string id = std::to_string(task) + "." + std::to_string(i);
            graph << separator << R"({"tensor_id": ")" << id << R"(", "buffer_addr": ")" << addresses[i]
                  << R"(", "buffer_numel": "4096", "dtype": "FLOAT32"})";
            tasks << (i == 0 ? "" : ",") << R"({"tensor_id": ")" << id << R"(", "idx": )" << i << R"(, "type": ")"
                  << (i == 2 ? "OUTPUT" : "INPUT") << R"(", "dtype": "FLOAT32", "shape": [64, 64]})";
            separator = ",";
        }
        tasks << "]}";
    }
    graph << R"(], "tasks": [)" << tasks.str() << "]";
}

// Records of simpler's collectors: each task's core and time (ticks of 1 ns, from 1 on), and its
// dependence on the task before.
void write_records(const Program& program, const std::string& folder) {
    std::ofstream records(folder + "/chip_swimlane_records.json"), graph(folder + "/deps.json");
    records << R"({"metadata": {"clock_freq_hz": 1000000000}, "aicore_tasks": [)";
    const char* separator = "";
    for (size_t core = 0; core < program.cores.size(); ++core)
        for (const Core::Time& time : program.cores[core].times) {
            records << separator << "[" << core << "," << time.task << "," << time.task << ","
                    << time.begin + 1 << "," << time.end + 1 << ",0]";
            separator = ",";
        }
    records << "]}";
    graph << "{";
    if (std::getenv("TENSORS") == nullptr) graph << R"("tasks": [{"task_id": "1", "kernel_ids": [-1, 5, -1]}], )";
    graph << R"("edges": [)";
    const char* const forgotten = std::getenv("FORGOTTEN");  // a task whose dependency is not there
    const char* const malformed = std::getenv("MALFORMED");  // what stands for a task's number
    separator = "";
    if (malformed != nullptr) {
        graph << "{\"pred\": \"" << malformed << "\", \"succ\": \"2\"}";
        separator = ",";
    }
    for (uint32_t task = 2; task <= program.tasks; ++task) {
        if (forgotten != nullptr && std::to_string(task) == forgotten) continue;
        graph << separator << "{\"pred\": \"" << task - 1 << "\", \"succ\": \"" << task << "\"}";
        separator = ",";
    }
    graph << "]";
    if (std::getenv("TENSORS") != nullptr) write_tensors(program, graph);
    graph << "}";
}

void run(Program& program, ptosim_mpmd_size size, uint32_t clusters, int (&results)[2]) {
    program.submitted = program.roles = 0;
    for (Core& core : program.cores) {
        std::memset(core.registers, 0, kRegisters);
        core.times.clear();
    }
    const char* const folder = ptosim_mpmd_record_run("");
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < size.cores; ++i)
        threads.emplace_back([&, i] {
            const bool aic = i < clusters;
            ptosim_mpmd_run_core(size, aic ? PTOSIM_AIC : PTOSIM_AIV, aic ? i : i - clusters,
                                 &execute, &program.cores[i]);
        });
    for (int& result : results)
        threads.emplace_back(
            [&] { result = ptosim_mpmd_run_processor(size, &run_processor, &program); });
    for (std::thread& thread : threads) thread.join();
    if (folder != nullptr) write_records(program, folder);
}

// Prints the host's clock for code that is counted, and for a thread that is not.
void show_host_clock() {
    ptosim_mpmd_record_run("");
    const uint64_t begin = ptosim_mpmd_host_nanoseconds();
    go_round(1000);
    const uint64_t middle = ptosim_mpmd_host_nanoseconds();
    go_round(3000);
    const uint64_t end = ptosim_mpmd_host_nanoseconds();
    uint64_t of_other = 0;
    const int own = ptosim_mpmd_host_thread();
    int other = 0;
    std::thread([&] {
        go_round(1000);
        of_other = ptosim_mpmd_host_nanoseconds();
        other = ptosim_mpmd_host_thread();
    }).join();
    std::printf("host %llu %llu %llu\nthreads %d %d %d\n",
                static_cast<unsigned long long>(end - middle - (middle - begin)),
                static_cast<unsigned long long>(of_other - begin),
                static_cast<unsigned long long>(ptosim_mpmd_host_nanoseconds() - end),
                ptosim_mpmd_host_process(), own, other);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const char* const arch = std::getenv("ARCH");
    ptosim_mpmd_open(arch == nullptr ? "a2a3" : arch);
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 2;
    Program program;
    program.tasks = static_cast<uint32_t>(std::atoi(argv[2]));
    constexpr size_t kBytes = 64 * 64 * sizeof(float);
    auto* const step = static_cast<float*>(ptosim_mpmd_allocate(kBytes));
    for (size_t i = 0; i < 64 * 64; ++i) step[i] = static_cast<float>(i % 8);
    program.step = reinterpret_cast<int64_t>(step);
    for (int64_t& buffer : program.buffers)
        buffer = reinterpret_cast<int64_t>(ptosim_mpmd_allocate(kBytes));
    program.mixed = std::getenv("MIXED") != nullptr;
    program.other = reinterpret_cast<int64_t>(ptosim_mpmd_allocate(kBytes));
    if (std::getenv("UNWRITTEN") == nullptr)  // else the first task reads what nobody has written
        std::memset(reinterpret_cast<void*>(program.buffers[0]), 0, kBytes);
    const uint32_t clusters = ptosim_mpmd_clusters(2);
    const uint32_t cores = 3 * clusters;
    program.cores.resize(cores);
    auto* const registers = static_cast<uint8_t*>(ptosim_mpmd_allocate(cores * kRegisters));
    for (uint32_t i = 0; i < cores; ++i) {
        program.cores[i].registers = registers + i * kRegisters;
        program.cores[i].kernel =
            reinterpret_cast<void (*)(int64_t*)>(dlsym(library, "kernel_entry"));
    }
    if (const char* const words = std::getenv("WORDS")) {
        program.words = static_cast<uint32_t>(std::atoi(words));
        program.cores[clusters].tells = &program;
    }
    const char* const setting = std::getenv("SETTING");
    uint32_t* word = nullptr;
    if (setting != nullptr) {
        program.setting = word = static_cast<uint32_t*>(ptosim_mpmd_allocate(64));
        program.invalidates = std::strcmp(setting, "invalidated") == 0;
    }
    program.reads_results = std::getenv("READS_RESULTS") != nullptr;
    if (std::getenv("HOST_CLOCK") != nullptr) show_host_clock();
    const char* const count = std::getenv("RUNS");
    int results[2] = {};
    for (int i = count == nullptr ? 1 : std::atoi(count); i > 0; --i) {
        if (word != nullptr)
            *word = std::strcmp(setting, "same") == 0 ? 1 : static_cast<uint32_t>(i);
        run(program, {2, cores}, clusters, results);
    }
    const auto* const sum =
        reinterpret_cast<const float*>(program.buffers[program.tasks % kBuffers]);
    std::printf("results %d %d\nsum %g %g\nns %llu\nrun_ns %llu\n", results[0], results[1],
                static_cast<double>(sum[1]), static_cast<double>(sum[7]),
                static_cast<unsigned long long>(ptosim_mpmd_nanoseconds()),
                static_cast<unsigned long long>(ptosim_mpmd_run_nanoseconds()));
    if (program.reads_results) std::printf("read %u\n", program.read);
    if (program.words > 0) {
        std::vector<uint64_t> taken;
        for (size_t i = 0; i < program.seen.size(); ++i)
            taken.push_back(program.seen[i] - program.told[i]);
        std::printf(
            "words %g %llu\n",
            std::accumulate(taken.begin(), taken.end(), 0.0) / static_cast<double>(taken.size()),
            static_cast<unsigned long long>(*std::min_element(taken.begin(), taken.end())));
    }
    return results[0] == 0 && results[1] == 0 ? 0 : 1;
}
