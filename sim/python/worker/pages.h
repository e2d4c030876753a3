// Pages of memory that are going to be used: one call of the system for all of them instead of a
// fault for each. Nothing but time depends on it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptosim::worker {

// Of these bytes, all of which are going to be written, or read.
void prepare_pages(void* begin, uint64_t bytes);
void prepare_reads(void* begin, uint64_t bytes);

// Whether an address, or an offset in a file, does.
bool begins_page(uint64_t address);

}  // namespace ptosim::worker
