// The platform of a runtime's host library: device memory is the simulated chip's, and runs are recorded if the
// simulator requires it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "call_config.h"
#include "host/memory_allocator.h"
#include "platform_comm/comm.h"
#include "platform_comm/comm_context.h"
#include "pto_runtime_c_api.h"
#include "ptosim/mpmd.h"

namespace {

// A run with its caller's settings; if the simulator records, with all kinds of records.
class RecordedRun {
 public:
    explicit RecordedRun(const CallConfig* config) : config_{config} {
        if (config == nullptr) return;
        copy_ = *config;
        const bool by_user = copy_.enable_chip_swimlane != 0 || copy_.enable_dep_gen != 0 ||
                             copy_.enable_scope_stats != 0 || copy_.enable_dump_args != 0 ||
                             copy_.enable_pmu != 0;
        const char* const folder = ptosim_mpmd_record_run(by_user ? copy_.output_prefix : "");
        if (folder == nullptr || by_user) return;
        constexpr int kAll = 4;
        copy_.enable_chip_swimlane = kAll;
        copy_.enable_dep_gen = copy_.enable_scope_stats = 1;
        const int length =
            std::snprintf(copy_.output_prefix, sizeof copy_.output_prefix, "%s", folder);
        if (length < 0 || static_cast<size_t>(length) >= sizeof copy_.output_prefix) {
            std::fprintf(stderr,
                         "error: the folder of the runtime's records, %s, is longer than the %zu "
                         "characters that the runtime takes [I02]\n"
                         "  help: PTOSIM_TRACE, and without it TMPDIR, can name a shorter one\n",
                         folder, sizeof copy_.output_prefix - 1);
            std::_Exit(2);
        }
        config_ = &copy_;
    }
    operator const CallConfig*() const { return config_; }

 private:
    const CallConfig* config_;
    CallConfig copy_;
};

}  // namespace

// simpler_run and simpler_prepare_run, with the parameters declared by the runtime.
#include "ptosim_run_entries.h"

MemoryAllocator::~MemoryAllocator() { finalize(); }

void* MemoryAllocator::alloc(size_t size) {
    void* const memory = ptosim_mpmd_allocate(size);
    if (memory == nullptr) return nullptr;
    const std::scoped_lock lock(mu_);
    ptr_size_map_[memory] = size;
    committed_bytes_ += size;
    return memory;
}

int MemoryAllocator::free(void* memory) {
    const std::scoped_lock lock(mu_);
    const auto found = ptr_size_map_.find(memory);
    if (found == ptr_size_map_.end()) return 0;
    committed_bytes_ -= found->second;
    ptr_size_map_.erase(found);
    ptosim_mpmd_free(memory);
    return 0;
}

int MemoryAllocator::finalize() {
    const std::scoped_lock lock(mu_);
    for (const auto& [memory, size] : ptr_size_map_) ptosim_mpmd_free(memory);
    ptr_size_map_.clear();
    committed_bytes_ = 0;
    return 0;
}

__attribute__((constructor)) static void open_platform() { ptosim_mpmd_open(PTOSIM_PLATFORM_ARCH); }

// ---- windows between chips ----------------------------------------------------------------

static std::string& file_of_windows = *new std::string;

void ptosim_note_file(const char* name) { file_of_windows = name; }

// All ranks have mapped the file by now: without its name it is gone when they are, however they end.
static int join(const CommContext& made, const uint32_t* chips) {
    shm_unlink(file_of_windows.c_str());
    return ptosim_mpmd_windows(made.windowsIn, chips, made.rankNum, made.winSize);
}

// Ends the waiting for a chip that does not come any more: the calls report an exception as their failure.
void ptosim_wait_for_chips(unsigned microseconds) {
    usleep(microseconds);
    if (ptosim_mpmd_chips_live() == 0) throw std::runtime_error("the process of another chip has ended");
}

extern "C" {
int ptosim_upstream_comm_alloc_windows(CommHandle handle, size_t size, uint64_t* context);
int ptosim_upstream_comm_alloc_domain_windows(CommHandle handle, uint64_t allocation, const uint32_t* ranks, size_t count,
                                              uint32_t rank, size_t size, uint64_t* context, uint64_t* window);
int ptosim_upstream_comm_global_domain_prepare(uint64_t domain, uint32_t rank, uint32_t ranks, size_t size, uint32_t profile,
                                               CommGlobalDomainDescriptor* descriptor, uint64_t* window);
int ptosim_upstream_comm_global_domain_import(uint64_t domain, const CommGlobalDomainDescriptor* descriptors, size_t count,
                                              uint64_t* context);
}

// A device's windows are allocations of their own: no two share a line of a cache.
static size_t in_lines(size_t size) { return (size + 511) / 512 * 512; }

// A rank of the base communicator is the chip of this number.
int comm_alloc_windows(CommHandle handle, size_t size, uint64_t* context) {
    const int result = ptosim_upstream_comm_alloc_windows(handle, in_lines(size), context);
    if (result != 0) return result;
    const auto* const made = reinterpret_cast<const CommContext*>(*context);
    std::vector<uint32_t> chips(made->rankNum);
    for (uint32_t i = 0; i < made->rankNum; ++i) chips[i] = i;
    return join(*made, chips.data());
}

int comm_alloc_domain_windows(CommHandle handle, uint64_t allocation, const uint32_t* ranks, size_t count,
                              uint32_t rank, size_t size, uint64_t* context, uint64_t* window) {
    const int result = ptosim_upstream_comm_alloc_domain_windows(handle, allocation, ranks, count, rank, in_lines(size),
                                                                 context, window);
    if (result != 0) return result;
    const auto* const made = reinterpret_cast<const CommContext*>(*context);
    return join(*made, ranks);
}

// ---- windows of chips of several nodes, each a file of its own -----------------------------

int comm_global_domain_prepare(uint64_t domain, uint32_t rank, uint32_t ranks, size_t size, uint32_t profile,
                               CommGlobalDomainDescriptor* descriptor, uint64_t* window) {
    const int result =
        ptosim_upstream_comm_global_domain_prepare(domain, rank, ranks, size, profile, descriptor, window);
    return result != 0 ? result : ptosim_mpmd_offer_window(*window, size);
}

int comm_global_domain_import(uint64_t domain, const CommGlobalDomainDescriptor* descriptors, size_t count,
                              uint64_t* context) {
    const int result = ptosim_upstream_comm_global_domain_import(domain, descriptors, count, context);
    if (result != 0) return result;
    const auto* const made = reinterpret_cast<const CommContext*>(*context);
    for (uint32_t rank = 0; rank < made->rankNum; ++rank)
        if (rank != made->rankId && ptosim_mpmd_import_window(made->windowsIn[rank], made->winSize) != 0) return -1;
    return 0;
}
