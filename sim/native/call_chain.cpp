#include "sim/native/call_chain.h"

#include <link.h>

#include <algorithm>

namespace ptosim {

CodeRange code_range(const void* code) {
    struct Search {
        uint64_t code;
        CodeRange found;
    } search{reinterpret_cast<uint64_t>(code), {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            Search& s = *static_cast<Search*>(data);
            CodeRange range{info->dlpi_addr, info->dlpi_addr};
            for (unsigned i = 0; i < info->dlpi_phnum; ++i)
                if (const ElfW(Phdr)& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD)
                    range.end = std::max<uint64_t>(range.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
            if (s.code < range.begin || s.code >= range.end) return 0;
            s.found = range;
            return 1;
        },
        &search);
    return search.found;
}

void CallChain::add(uint64_t offset) {
    offsets[count++] = offset;
    hash = (hash ^ offset) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
}

// A frame begins with the caller's frame and the return address.
void add_frames(CallChain& chain, const void* frame, CodeRange range, uint64_t stack_end) {
    auto at = static_cast<const uint64_t*>(frame);
    while (at != nullptr && reinterpret_cast<uint64_t>(at + 2) <= stack_end && chain.count < CallChain::kMost) {
        const uint64_t next = at[0], code = at[1];
        if (code < range.begin || code >= range.end) break;
        chain.add(code - range.begin - 1);
        if (next <= reinterpret_cast<uint64_t>(at)) break;
        at = reinterpret_cast<const uint64_t*>(next);
    }
}

}  // namespace ptosim
