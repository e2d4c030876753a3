// The kernel ABI of threads.
#include <cmath>
#include <cstring>
#include <utility>

#include "isa/numeric/convert.h"
#include "isa/threads/atomic.h"
#include "isa/threads/function.h"
#include "isa/threads/warp.h"
#include "ptosim/threads.h"
#include "sim/native/kernel_call.h"
#include "sim/native/thread_block.h"

using ptosim::running_block;
using ptosim::running_thread_of_block;

namespace {

// For calls outside of threads, as a host makes them.
[[noreturn]] void fail_outside(const char* what) {
    ptosim::fail_input("H14", std::string(what) + " is called outside of a thread",
                       "it belongs into a kernel of threads, or into a function that asc_vf_call starts");
}

ptosim::ThreadBlock& block_of_thread(const char* what) {
    if (running_block == nullptr) fail_outside(what);
    return *running_block;
}

}  // namespace

uint32_t ptosim_in_thread(void) { return running_block != nullptr ? 1 : 0; }

void ptosim_run_threads(const ptosim_thread_block* block) {
    ptosim::call([&](ptosim::Running& core) {
        ptosim::note_progress();
        ptosim::ThreadBlock(core, *block).run();
    });
}

uint32_t ptosim_thread_number(uint32_t which) {
    return running_thread_of_block == nullptr ? 0 : running_thread_of_block->numbers[which];
}

void ptosim_thread_bound(uint32_t most, ptosim_location where) {
    ptosim::ThreadBlock& block = block_of_thread("a kernel of threads");
    const auto& sizes = block.shape().block;
    const uint64_t threads = uint64_t{sizes[0]} * sizes[1] * sizes[2];
    if (threads <= most) return;
    ptosim::Running& core = block.core();
    core.at = where;
    ptosim::Diagnostic d = ptosim::finding(core, "H33", ptosim::Category::kIllegal,
                                           "a block of " + std::to_string(threads) + " threads runs a function for at most " +
                                               std::to_string(most),
                                           where);
    core.kernel.sources().locate(d, core.kernel.locate(where));
    d.hint = most == 1024 ? "declare it with __launch_bounds__(" + std::to_string(threads) + "), or launch fewer threads"
                          : "raise its __launch_bounds__, or launch fewer threads";
    block.stop(std::move(d));
}

void* ptosim_share_array(ptosim_shared_array* place, uint64_t bytes, uint64_t alignment) {
    return block_of_thread("an array of UB").share_array(*place, bytes, alignment);
}

void* ptosim_dynamic_array(void) { return running_block == nullptr ? nullptr : running_block->dynamic_array(); }

uint32_t ptosim_memory_of(const void* pointer) {
    const ptosim::ThreadBlock& block = block_of_thread("a test of an address");
    if (block.is_local(pointer)) return PTOSIM_POINTS_TO_UB;
    return block.is_on_stack(pointer) ? PTOSIM_POINTS_TO_STACK : PTOSIM_POINTS_TO_GLOBAL;
}

void ptosim_thread_barrier(void) { block_of_thread("asc_syncthreads").wait_for_block(__builtin_return_address(0)); }

uint64_t ptosim_thread_load(uint64_t address, uint32_t bytes, ptosim_location where) {
    uint64_t bits = 0;
    std::memcpy(&bits,
                block_of_thread("an access of UB")
                    .local_word(address, bytes, false, __builtin_return_address(0), where),
                bytes);
    return bits;
}

void ptosim_thread_store(uint64_t address, uint32_t bytes, uint64_t bits, ptosim_location where) {
    std::memcpy(block_of_thread("an access of UB")
                    .local_word(address, bytes, true, __builtin_return_address(0), where),
                &bits, bytes);
}

void ptosim_thread_fence(void) {
    block_of_thread("a fence of threads").fence(__builtin_return_address(0), false);
}

void ptosim_thread_fence_of_block(void) {
    block_of_thread("a fence of threads").fence(__builtin_return_address(0), true);
}

void ptosim_thread_events_full(const void* code) { block_of_thread("an access").make_room(code); }

void ptosim_thread_pause(void) { block_of_thread("a wait of threads").poll(); }

uint64_t ptosim_thread_clock(void) { return block_of_thread("clock").clock(__builtin_return_address(0)); }

uint64_t ptosim_warp(uint32_t operation, uint8_t dtype, uint64_t value, int32_t operand, int32_t width) {
    return block_of_thread("a function of warps")
        .wait_for_warp({static_cast<ptosim::WarpOperation>(operation), static_cast<ptosim::DType>(dtype), value, operand,
                        width},
                       __builtin_return_address(0));
}

void ptosim_thread_atomic(uint32_t operation, uint8_t dtype, uint64_t address, uint64_t value, uint64_t compare) {
    ptosim::ThreadBlock& block = block_of_thread("an atomic operation of threads");
    const auto type = static_cast<ptosim::DType>(dtype);
    const size_t bytes = ptosim::bits(type) / 8;
    std::byte* const memory = address < PTOSIM_UB_END ? static_cast<std::byte*>(block.dynamic_array()) + address
                                                      : reinterpret_cast<std::byte*>(address);
    block.note_atomic(address, static_cast<unsigned>(bytes), __builtin_return_address(0));
    block.note_changed_word(address, memory);
    uint64_t before = 0;
    std::memcpy(&before, memory, bytes);
    const auto after =
        ptosim::atomic_result(static_cast<ptosim::ThreadAtomic>(operation), type, before, value, compare);
    if (!after) {
        ptosim::Diagnostic d = ptosim::finding(block.core(), "H13", ptosim::Category::kUnsupported,
                                               "an atomic operation of threads on " + std::string(ptosim::name(type)) +
                                                   " that the device does not have",
                                               block.core().at);
        block.stop(std::move(d));
    }
    std::memcpy(memory, &*after, bytes);
    if (static_cast<ptosim::ThreadAtomic>(operation) == ptosim::ThreadAtomic::kCompare && *after == before &&
        before != compare)
        block.note_load(memory, true);
    block.note_atomic_value(before, *after == before);
}

uint64_t ptosim_atomic_result(void) { return block_of_thread("an atomic operation of threads").atomic_result(); }

void ptosim_thread_print(const char* text, uint64_t length) {
    block_of_thread("printf").print(text, length);
}

void ptosim_thread_stop(const char* message, const char* file, uint32_t line) {
    ptosim::ThreadBlock& block = block_of_thread("a stop of threads");
    const ptosim_location where{file, line};
    ptosim::Running& core = block.core();
    ptosim::Diagnostic d = ptosim::finding(core, "H12", ptosim::Category::kUndefined,
                                           "kernel " + std::string(core.kernel.name()) + " has stopped itself: " + message +
                                               ", in " + block.name_of_thread(),
                                           file != nullptr ? where : core.at);
    if (file != nullptr) core.kernel.sources().locate(d, core.kernel.locate(where));
    block.stop(std::move(d));
}

uint64_t ptosim_thread_convert(uint8_t to, uint8_t from, uint64_t bits, uint8_t round, uint8_t saturation) {
    return ptosim::convert_bits(static_cast<ptosim::DType>(to), static_cast<ptosim::DType>(from), bits,
                                static_cast<ptosim::RoundMode>(round), static_cast<ptosim::Saturation>(saturation));
}

float ptosim_thread_fma(float a, float b, float c) { return std::fma(a, b, c); }

uint64_t ptosim_thread_function(uint32_t which, uint8_t dtype, uint64_t a, uint64_t b) {
    return ptosim::function_result(static_cast<ptosim::ThreadFunction>(which), static_cast<ptosim::DType>(dtype), a, b)
        .value_or(0);
}
