// The platform of a runtime's host library: device memory is the simulated chip's, and runs are
// recorded where the simulator asks for it.
#include <cstdio>

#include "call_config.h"
#include "host/memory_allocator.h"
#include "pto_runtime_c_api.h"
#include "ptosim/mpmd.h"

namespace {

// The swimlane's switch has been renamed in August 2026: whichever the runtime has.
template <class Config>
auto swimlane(Config& config, int) -> decltype((config.enable_chip_swimlane)) {
    return config.enable_chip_swimlane;
}
template <class Config>
auto swimlane(Config& config, long) -> decltype((config.enable_l2_swimlane)) {
    return config.enable_l2_swimlane;
}

// A run as its caller wants it, and, where the simulator records, with all records that there are.
class RecordedRun {
 public:
    explicit RecordedRun(const CallConfig* config) : config_{config} {
        if (config == nullptr) return;
        copy_ = *config;
        const bool by_user = swimlane(copy_, 0) != 0 || copy_.enable_dep_gen != 0;
        const char* const folder = ptosim_mpmd_record_run(by_user ? copy_.output_prefix : "");
        if (folder == nullptr || by_user) return;
        constexpr int kAll = 4;
        swimlane(copy_, 0) = kAll;
        copy_.enable_dep_gen = copy_.enable_scope_stats = 1;
        std::snprintf(copy_.output_prefix, sizeof copy_.output_prefix, "%s", folder);
        config_ = &copy_;
    }
    operator const CallConfig*() const { return config_; }

 private:
    const CallConfig* config_;
    CallConfig copy_;
};

}  // namespace

// simpler_run and simpler_prepare_run, with the parameters that the runtime declares.
#include "ptosim_run_entries.h"

MemoryAllocator::~MemoryAllocator() { finalize(); }

// What it has allocated stands in a set of addresses, and since August 2026 in a map to their
// sizes, with the sum of these.
#ifdef PTOSIM_ALLOCATOR_SIZES
#define PTOSIM_ALLOCATED ptr_size_map_
static void* address_of(const std::pair<void* const, size_t>& allocated) { return allocated.first; }
#else
#define PTOSIM_ALLOCATED ptr_set_
static void* address_of(void* allocated) { return allocated; }
#endif

void* MemoryAllocator::alloc(size_t size) {
    void* const memory = ptosim_mpmd_allocate(size);
    if (memory == nullptr) return nullptr;
    const std::scoped_lock lock(mu_);
#ifdef PTOSIM_ALLOCATOR_SIZES
    ptr_size_map_[memory] = size;
    committed_bytes_ += size;
#else
    ptr_set_.insert(memory);
#endif
    return memory;
}

int MemoryAllocator::free(void* memory) {
    const std::scoped_lock lock(mu_);
    const auto found = PTOSIM_ALLOCATED.find(memory);
    if (found == PTOSIM_ALLOCATED.end()) return 0;
#ifdef PTOSIM_ALLOCATOR_SIZES
    committed_bytes_ -= found->second;
#endif
    PTOSIM_ALLOCATED.erase(found);
    ptosim_mpmd_free(memory);
    return 0;
}

int MemoryAllocator::finalize() {
    const std::scoped_lock lock(mu_);
    for (const auto& allocated : PTOSIM_ALLOCATED) ptosim_mpmd_free(address_of(allocated));
    PTOSIM_ALLOCATED.clear();
#ifdef PTOSIM_ALLOCATOR_SIZES
    committed_bytes_ = 0;
#endif
    return 0;
}

__attribute__((constructor)) static void open_platform() { ptosim_mpmd_open(PTOSIM_PLATFORM_ARCH); }
