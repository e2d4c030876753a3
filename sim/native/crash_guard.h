// Protects the process from errors in a kernel's code: an error ends the call, and the simulator continues.
#pragma once

#include <array>
#include <csetjmp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/core/pipe.h"
#include "ptosim/kernel_abi.h"
#include "sim/native/call_chain.h"

namespace ptosim {

// The reason for which a guarded call ended.
struct Crash {
    enum class Kind : uint8_t { kNone, kSignal, kEndlessLoop, kLeft };
    Kind kind = Kind::kNone;
    int signal = 0;
    uint64_t address = 0;  // of the access, for SIGSEGV and SIGBUS
    bool stack_overflow = false;
    const void* code = nullptr;  // its instruction, for kSignal on x86-64
    CallChain calls{};           // calls leading to it, the instruction first, if the guard follows calls
    bool array_overrun = false;  // it left its stack at the end with the caller's frames
};
// For kSignal: text such as "it used address 0x0, a null pointer".
std::string to_text(const Crash& crash);

// One call of a kernel's function. The coroutines of the cores run on one thread. At most one of them is in its
// kernel's own code at any moment, which enter() and leave() record.
class CrashGuard {
 public:
    // The kernel's name must live as long as the guard.
    CrashGuard(std::string_view kernel, CoreType core, unsigned core_index)
        : kernel_{kernel}, core_{core}, core_index_{core_index} {}

    // Runs function(argument) and returns the reason of its end. `at` is the line that the kernel reported last, used
    // in messages while the process ends.
    Crash run(void (*function)(void*), void* argument, const ptosim_location& at);
    // The kernel's own code begins (again) and ends. Its signals are caught between the two calls.
    void enter();
    void leave();
    // Ends the call from within the kernel's own code (kLeft). Its frames are not unwound, because it may be in
    // functions that no exception can pass.
    [[noreturn]] void end_call();

    // Adds the calls in this range to crashes; its code must keep frame pointers.
    void follow_calls(CodeRange code) { code_ = code; }
    // Instructions that have divided an integer by zero: the first ones, each once.
    std::span<const void* const> zero_divisions() const { return {divisions_.data(), division_count_}; }

 private:
    std::string_view kernel_;
    CoreType core_;
    unsigned core_index_;
    const ptosim_location* at_ = nullptr;
    sigjmp_buf escape_;
    Crash crash_;
    CodeRange code_;
    std::array<const void*, 4> divisions_;
    unsigned division_count_ = 0;
    uint64_t guard_page_ = 0;  // above the kernel's frames; must not be touched
    friend struct CrashHandler;
};

// Sets a function to call at a crash outside of guarded code before the process ends, e.g. to report that the host has
// used a device pointer.
void set_crash_explanation(void (*explain)(uint64_t address));
// Prepares this thread for resuming kernels that another thread has begun: their guard pages are in place.
void catch_kernel_faults();

}  // namespace ptosim
