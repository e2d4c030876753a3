// A kernel's function on a core, while it runs.
#pragma once

#include <array>
#include <exception>
#include <string>

#include "isa/core/kernel.h"
#include "ptosim/launch.h"
#include "sim/native/auto_sync.h"
#include "sim/native/crash_guard.h"
#include "sim/native/kernel.h"

namespace ptosim {

// Lives on that core's stack, after a page that the kernel's frames cannot cross.
struct Running {
    KernelPort& port;
    const NativeKernel& kernel;
    const ptosim_entry& entry;
    const uint64_t* words;
    ptosim_location at;  // the line that the kernel has reported last
    CrashGuard guard;
    ptosim_identity identity{};
    ptosim_registers registers{};
    void* local_memory = nullptr;  // byte 0 of UB, if the core has one
    std::string line{};                 // printed, not yet complete
    std::exception_ptr stopped{};       // what a call has thrown to end the kernel
    Diagnostic left{};                  // why the kernel has left (CrashGuard::end_call)
    AutoSync auto_sync{};               // used if the entry asks for it
    std::array<uint64_t, 64> recent{};  // cache lines that it has accessed of late, by a hash
};

inline Diagnostic finding(const Running& core, std::string code, Category category,
                          std::string message, ptosim_location where) {
    Diagnostic d;
    d.code = std::move(code);
    d.category = category;
    d.message = std::move(message);
    core.kernel.sources().locate(d, core.kernel.locate(where));
    return d;
}

[[noreturn]] inline void fail(const Running& core, std::string code, Category category,
                              std::string message, ptosim_location where, std::string hint = {}) {
    Diagnostic d = finding(core, std::move(code), category, std::move(message), where);
    d.hint = std::move(hint);
    throw DiagnosticError(std::move(d));
}

}  // namespace ptosim
