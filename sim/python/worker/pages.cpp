#include "sim/python/worker/pages.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>

namespace ptosim::worker {
namespace {

constexpr uint64_t kPage = 4096;
// Of madvise, since Linux 5.14; an older one refuses them.
constexpr int kPopulateRead = 22, kPopulateWrite = 23;

void prepare(void* begin, uint64_t bytes, int how) {
    const auto address = reinterpret_cast<uint64_t>(begin);
    const uint64_t first = address / kPage * kPage;
    madvise(reinterpret_cast<void*>(first), address + bytes - first, how);
}

}  // namespace

void prepare_pages(void* begin, uint64_t bytes) { prepare(begin, bytes, kPopulateWrite); }

void prepare_reads(void* begin, uint64_t bytes) { prepare(begin, bytes, kPopulateRead); }

bool begins_page(uint64_t address) { return address % kPage == 0; }

void prepare_heap(size_t bytes) {
    // From the heap, and kept there.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that the C library takes
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    void* const memory = std::malloc(bytes);
    if (memory != nullptr) prepare_pages(memory, bytes);
    std::free(memory);
}

}  // namespace ptosim::worker
