// The calls on a kernel's stack.
#pragma once

#include <array>
#include <cstdint>

namespace ptosim {

// The code of a library in memory.
struct CodeRange {
    uint64_t begin = 0, end = 0;
};
CodeRange code_range(const void* code);

// Offsets of calls in a library, from the innermost to the outermost.
struct CallChain {
    static constexpr unsigned kMost = 24;
    std::array<uint64_t, kMost> offsets;
    unsigned count = 0;
    uint64_t hash = 0;

    void add(uint64_t offset);
};
// Walks from a frame to its callers, which lie below `stack_end`, while they return to code in the range; that code
// must keep frame pointers (-fno-omit-frame-pointer). May be called by a signal handler.
void add_frames(CallChain& chain, const void* frame, CodeRange range, uint64_t stack_end = UINT64_MAX);

// The calls that lead to a function whose frame is `frame`.
inline CallChain call_chain(const void* frame, CodeRange range) {
    CallChain chain;
    add_frames(chain, frame, range);
    return chain;
}

}  // namespace ptosim
