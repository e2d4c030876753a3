// Prepares pages of memory before their use by one system call instead of a fault for each. It affects only time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptosim::worker {

// For bytes that will all be written, or read.
void prepare_pages(void* begin, uint64_t bytes);
void prepare_reads(void* begin, uint64_t bytes);

// True if an address, or an offset in a file, begins a page.
bool begins_page(uint64_t address);

}  // namespace ptosim::worker
