#include "sim/faces/worker/pages.h"

#include <sys/mman.h>

namespace ptosim::worker {
namespace {

constexpr uint64_t kPage = 4096;
// Constants of madvise since Linux 5.14; older versions refuse them.
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

}  // namespace ptosim::worker
