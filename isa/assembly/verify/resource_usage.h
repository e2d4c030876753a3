// Requirements of a bound kernel on a chip, found in its program without running it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/core/pipe.h"

namespace ptosim::assembly {

struct ResourceUsage {
    // Bytes from the beginning of each memory to the end of the last tile or FIFO buffer in it.
    std::array<uint64_t, kSpaceCount> bytes{};
    bool computed_addresses = false;  // some tile's address is known at run time only
    // Flags between pipes, by source and destination; an empty set: ids that are computed.
    std::map<std::pair<Pipe, Pipe>, std::set<unsigned>> flags;
    std::set<unsigned> cross_flags;  // between cores, without those of FIFOs
    std::set<unsigned> buffer_ids;   // of get_buf
    struct FifoUsage {
        FifoShape shape;
        bool in_global_memory = false;
    };
    std::vector<FifoUsage> fifos;
    size_t instructions = 0;  // in the text, calls inlined
    size_t steps = 0;
};

ResourceUsage resource_usage_of(const Program& program);

}  // namespace ptosim::assembly
