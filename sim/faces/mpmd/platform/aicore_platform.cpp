// The platform of a runtime's AICore library: the begin of a core's work.
#include "common/core_type.h"
#include "common/platform_config.h"
#include "ptosim/mpmd.h"
#include "runtime.h"

// The runtimes' entries take seven or eight arguments, all integers and pointers. With the calling conventions of
// x86-64 and AArch64 one argument too many is harmless.
extern "C" void ptosim_upstream_aicore_execute_wrapper(Runtime*, int, CoreType, uint32_t, uint64_t,
                                                       uint32_t, uint64_t, uint64_t);

namespace {

struct Entry {
    Runtime* runtime;
    int block;
    CoreType type;
    uint32_t physical_core;
    uint64_t registers;
    uint32_t flags;
    uint64_t first, second;

    static void run(void* self) {
        const Entry& e = *static_cast<Entry*>(self);
        ptosim_upstream_aicore_execute_wrapper(e.runtime, e.block, e.type, e.physical_core,
                                               e.registers, e.flags, e.first, e.second);
    }
};

}  // namespace

// Cores come in this order: the AICs, then the AIVs of cluster 0, 1, ...
extern "C" __attribute__((visibility("default"))) void aicore_execute_wrapper(
    Runtime* runtime, int block, CoreType type, uint32_t physical_core, uint64_t registers,
    uint32_t flags, uint64_t first, uint64_t second) {
    Entry entry = {runtime, block, type, physical_core, registers, flags, first, second};
    const auto cores = static_cast<uint32_t>(runtime->get_worker_count());
    const uint32_t clusters = cores / PLATFORM_CORES_PER_BLOCKDIM;
    const ptosim_mpmd_size size = {static_cast<uint32_t>(runtime->get_aicpu_thread_num()), cores};
    const bool aic = type == CoreType::AIC;
    ptosim_mpmd_run_core(size, aic ? PTOSIM_AIC : PTOSIM_AIV,
                         static_cast<uint32_t>(block) - (aic ? 0 : clusters), &Entry::run, &entry);
}
