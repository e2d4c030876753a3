// A running kernel function on a core.
#pragma once

#include <array>
#include <exception>
#include <string>

#include "isa/core/kernel.h"
#include "ptosim/launch.h"
#include "ptosim/scalar_access.h"
#include "sim/native/auto_sync.h"
#include "sim/native/crash_guard.h"
#include "sim/native/kernel.h"
#include "sim/native/tensor_bounds.h"
#include "sim/native/tensor_queues.h"

namespace ptosim {

// It lies on that core's stack, after a page that the kernel's frames cannot cross.
struct Running {
    KernelPort& port;
    const NativeKernel& kernel;
    const ptosim_entry& entry;
    const uint64_t* words;
    ptosim_location at;  // the line that the kernel reported last
    CrashGuard guard;
    CodeRange code{};              // of the kernel, if a library's headers issue its instructions
    SourceLocation called_from{};  // then: the user's line that led to the last call
    ptosim_identity identity{};
    ptosim_registers registers{};
    uint32_t left_registers = 0;  // a bit for each that has another value than the initial one since an earlier kernel
    void* local_memory = nullptr;  // byte 0 of UB, if the core has one
    uint64_t global_begin = 0, global_size = 0;
    ptosim_watch watch{};               // accesses by pointers that its code reports
    std::string line{};                 // printed, not yet terminated
    std::exception_ptr stopped{};       // exception of a call, which ends the kernel
    Diagnostic left{};                  // reason of the end (CrashGuard::end_call)
    TensorQueues queues{};
    TensorBounds bounds{};
    AutoSync auto_sync{};               // used if the entry requires it
    std::array<uint64_t, 64> recent{};  // recently accessed cache lines, by a hash
    CodeRange followed{};               // of the kernel, if a debugger follows its lines
};

// The location for one reported by the kernel's code: the user's line if a library's headers report it.
inline SourceLocation locate(const Running& core, ptosim_location where) {
    return core.code.end == 0 ? core.kernel.locate(where) : core.called_from;
}

inline Diagnostic finding(const Running& core, std::string code, Category category,
                          std::string message, ptosim_location where) {
    Diagnostic d;
    d.code = std::move(code);
    d.category = category;
    d.message = std::move(message);
    core.kernel.sources().locate(d, locate(core, where));
    return d;
}

[[noreturn]] inline void fail(const Running& core, std::string code, Category category,
                              std::string message, ptosim_location where, std::string hint = {}) {
    Diagnostic d = finding(core, std::move(code), category, std::move(message), where);
    d.hint = std::move(hint);
    throw DiagnosticError(std::move(d));
}

}  // namespace ptosim
