#include "sim/native/accesses.h"

#include <cstring>

#include "ptosim/kernel_abi.h"
#include "sim/native/scalar_accesses.h"

namespace ptosim {
namespace {

void (*listener)(const PlainAccess&) = nullptr;

void note(const PlainAccess& access) {
    if (!note_kernel_access(access) && listener != nullptr) listener(access);
}

// The functions defined here, by the names that compilers use.
std::vector<const char*>& followed() {
    static std::vector<const char*> names;
    return names;
}
struct Followed {
    explicit Followed(const char* name) { followed().push_back(name); }
};

// The address sanitizer's instrumentation has no call for a store after a load of the same address (x += 1, g++ 12);
// the thread sanitizer's has both. memcpy and similar functions remain calls, which are redirected, too, because g++
// does not instrument its inline code for small ones.
constexpr const char* kInstrument[] = {"-fsanitize=thread", "-fno-builtin-memcpy",
                                       "-fno-builtin-memmove", "-fno-builtin-memset"};
constexpr const char* kInstrumentGnu[] = {"--param=tsan-instrument-func-entry-exit=0",
#ifdef __x86_64__
                                          // __builtin_memcpy of up to 255 bytes, else a loop
                                          "-mstringop-strategy=libcall"
#endif
};

}  // namespace

std::vector<std::string> access_flags(bool gnu) {
    std::vector<std::string> flags{"-O1", "-g1"};
    for (const char* const flag : kInstrument) flags.emplace_back(flag);
    if (gnu) {
        flags.insert(flags.end(), std::begin(kInstrumentGnu), std::end(kInstrumentGnu));
        return flags;
    }
    for (const char* const setting :
         {"func-entry-exit=0", "atomics=0", "memintrinsics=0", "read-before-write=1"}) {
        flags.emplace_back("-mllvm");
        flags.push_back("-tsan-instrument-" + std::string(setting));
    }
    return flags;
}

std::vector<std::string> access_link_flags() {
    std::vector<std::string> flags;
    for (const char* const name : followed()) flags.push_back("-Wl,--wrap=" + std::string(name));
    return flags;
}

std::vector<std::string> copy_link_flags() {
    std::vector<std::string> flags;
    for (const char* const name : {"memcpy", "memmove", "memset"}) flags.push_back("-Wl,--wrap=" + std::string(name));
    return flags;
}

// The driver does not pass the flags to its parts.
std::string access_specs() {
    std::string text = "*cc1plus:\n+";
    for (const char* const flag : kInstrument) text += " " + std::string(flag);
    for (const char* const flag : kInstrumentGnu) text += " " + std::string(flag);
    text += " -Wno-tsan\n\n*link:\n+";
    for (const char* const name : followed()) text += " --wrap=" + std::string(name);
    return text + "\n\n";
}

void listen_to_accesses(void (*chosen)(const PlainAccess&)) { listener = chosen; }

}  // namespace ptosim

// ---- the calls of instrumented code -----------------------------------------------------------
//
// The linker redirects them to these names, which no sanitizer defines (access_link_flags).
#define PTOSIM_NOTE(ADDRESS, SIZE, WRITES) \
    ptosim::note({ADDRESS, SIZE, WRITES, __builtin_return_address(0), __builtin_frame_address(0)})
#define PTOSIM_SIZES(OF, NAME, WRITES) \
    OF(NAME, 1, WRITES)                \
    OF(NAME, 2, WRITES)                \
    OF(NAME, 4, WRITES)                \
    OF(NAME, 8, WRITES)                \
    OF(NAME, 16, WRITES)

#define PTOSIM_CALL(TYPE, NAME, ...)                      \
    static const ptosim::Followed followed_##NAME(#NAME); \
    PTOSIM_ABI TYPE __wrap_##NAME(__VA_ARGS__);           \
    TYPE __wrap_##NAME(__VA_ARGS__)
#define PTOSIM_PLAIN_ACCESS(NAME, SIZE, WRITES)                             \
    PTOSIM_CALL(void, __tsan_##NAME##SIZE, const void* address) {           \
        PTOSIM_NOTE(address, SIZE, WRITES);                                 \
    }                                                                       \
    PTOSIM_CALL(void, __tsan_unaligned_##NAME##SIZE, const void* address) { \
        PTOSIM_NOTE(address, SIZE, WRITES);                                 \
    }
#define PTOSIM_PLAIN_ACCESSES(NAME, WRITES)                                        \
    PTOSIM_CALL(void, __tsan_##NAME##_range, const void* address, uint64_t size) { \
        PTOSIM_NOTE(address, size, WRITES);                                        \
    }                                                                              \
    PTOSIM_SIZES(PTOSIM_PLAIN_ACCESS, NAME, WRITES)
PTOSIM_PLAIN_ACCESSES(read, false)
PTOSIM_PLAIN_ACCESSES(write, true)

PTOSIM_CALL(void*, memcpy, void* to, const void* from, size_t size) {
    PTOSIM_NOTE(from, size, false);
    PTOSIM_NOTE(to, size, true);
    return std::memcpy(to, from, size);
}
PTOSIM_CALL(void*, memmove, void* to, const void* from, size_t size) {
    PTOSIM_NOTE(from, size, false);
    PTOSIM_NOTE(to, size, true);
    return std::memmove(to, from, size);
}
PTOSIM_CALL(void*, memset, void* to, int value, size_t size) {
    PTOSIM_NOTE(to, size, true);
    return std::memset(to, value, size);
}

#define PTOSIM_CHANGE(BITS, OPERATION)                                                          \
    PTOSIM_CALL(uint##BITS##_t, __tsan_atomic##BITS##_##OPERATION, volatile uint##BITS##_t* at, \
                uint##BITS##_t value, int) {                                                    \
        PTOSIM_NOTE(const_cast<uint##BITS##_t*>(at), BITS / 8, true);                           \
        return __atomic_##OPERATION(at, value, __ATOMIC_SEQ_CST);                               \
    }
#define PTOSIM_COMPARE(BITS, OPERATION)                                                  \
    PTOSIM_CALL(int, __tsan_atomic##BITS##_##OPERATION, volatile uint##BITS##_t* at,     \
                uint##BITS##_t* expected, uint##BITS##_t value, int, int) {              \
        PTOSIM_NOTE(const_cast<uint##BITS##_t*>(at), BITS / 8, true);                    \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST);                            \
    }
#define PTOSIM_ATOMIC(BITS)                                                                    \
    PTOSIM_CALL(uint##BITS##_t, __tsan_atomic##BITS##_load, const volatile uint##BITS##_t* at, \
                int) {                                                                         \
        PTOSIM_NOTE(const_cast<const uint##BITS##_t*>(at), BITS / 8, false);                   \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                          \
    }                                                                                          \
    PTOSIM_CALL(void, __tsan_atomic##BITS##_store, volatile uint##BITS##_t* at,                \
                uint##BITS##_t value, int) {                                                   \
        PTOSIM_NOTE(const_cast<uint##BITS##_t*>(at), BITS / 8, true);                          \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                         \
    }                                                                                          \
    PTOSIM_CALL(uint##BITS##_t, __tsan_atomic##BITS##_exchange, volatile uint##BITS##_t* at,   \
                uint##BITS##_t value, int) {                                                   \
        PTOSIM_NOTE(const_cast<uint##BITS##_t*>(at), BITS / 8, true);                          \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                               \
    }                                                                                          \
    PTOSIM_CHANGE(BITS, fetch_add)                                                             \
    PTOSIM_CHANGE(BITS, fetch_sub)                                                             \
    PTOSIM_CHANGE(BITS, fetch_and)                                                             \
    PTOSIM_CHANGE(BITS, fetch_or)                                                              \
    PTOSIM_CHANGE(BITS, fetch_xor)                                                             \
    PTOSIM_CHANGE(BITS, fetch_nand)                                                            \
    PTOSIM_COMPARE(BITS, compare_exchange_strong)                                              \
    PTOSIM_COMPARE(BITS, compare_exchange_weak)
PTOSIM_ATOMIC(8)
PTOSIM_ATOMIC(16)
PTOSIM_ATOMIC(32)
PTOSIM_ATOMIC(64)

// Calls that report no access.
PTOSIM_CALL(void, __tsan_init) {}
PTOSIM_CALL(void, __tsan_vptr_update, void**, void*) {}
PTOSIM_CALL(void, __tsan_vptr_read, void**) {}
PTOSIM_CALL(void, __tsan_atomic_thread_fence, int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
PTOSIM_CALL(void, __tsan_atomic_signal_fence, int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
