#include "sim/native/accesses.h"

#include "ptosim/kernel_abi.h"
#include "sim/native/kernel_calls.h"

namespace ptosim {
namespace {

void (*listener)(const PlainAccess&) = nullptr;

void note(const PlainAccess& access) {
    if (!note_kernel_access(access) && listener != nullptr) listener(access);
}

}  // namespace

// Without optimisation g++ 12 makes no second call for an address, whatever happens in between.
std::vector<std::string> access_flags(bool gnu) {
    std::vector<std::string> flags{"-O1", "-g1", "-fsanitize=kernel-address"};
    for (const char* const setting :
         {"asan-instrumentation-with-call-threshold=0", "asan-stack=0", "asan-globals=0"}) {
        if (!gnu) flags.emplace_back("-mllvm");
        flags.push_back((gnu ? "--param=" : "-") + std::string(setting));
    }
    return flags;
}

void listen_to_accesses(void (*chosen)(const PlainAccess&)) { listener = chosen; }

}  // namespace ptosim

// The compilers' names.
#define PTOSIM_ACCESS_OF(NAME, SIZE, WRITES)                                \
    PTOSIM_ABI void __asan_##NAME##SIZE##_noabort(const void* address);     \
    void __asan_##NAME##SIZE##_noabort(const void* address) {               \
        ptosim::note({address, SIZE, WRITES, __builtin_return_address(0)}); \
    }
#define PTOSIM_ACCESS(NAME, WRITES)                                               \
    PTOSIM_ABI void __asan_##NAME##N_noabort(const void* address, uint64_t size); \
    void __asan_##NAME##N_noabort(const void* address, uint64_t size) {           \
        ptosim::note({address, size, WRITES, __builtin_return_address(0)});       \
    }                                                                             \
    PTOSIM_ACCESS_OF(NAME, 1, WRITES)                                             \
    PTOSIM_ACCESS_OF(NAME, 2, WRITES)                                             \
    PTOSIM_ACCESS_OF(NAME, 4, WRITES)                                             \
    PTOSIM_ACCESS_OF(NAME, 8, WRITES)                                             \
    PTOSIM_ACCESS_OF(NAME, 16, WRITES)
PTOSIM_ACCESS(load, false)
PTOSIM_ACCESS(store, true)

// What else they call, of which nothing follows here. In a build under the address sanitizer these
// are its own, and it needs them.
#ifndef __SANITIZE_ADDRESS__
PTOSIM_ABI void __asan_handle_no_return();
PTOSIM_ABI void __asan_before_dynamic_init(const char* module);
PTOSIM_ABI void __asan_after_dynamic_init();
void __asan_handle_no_return() {}
void __asan_before_dynamic_init(const char*) {}
void __asan_after_dynamic_init() {}
#endif
