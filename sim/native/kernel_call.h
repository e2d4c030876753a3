// Calls from a kernel's code into the simulator.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include "ptosim/scalar_access.h"
#include "sim/native/calling_thread.h"
#include "sim/native/line_traps.h"
#include "sim/native/local_memory.h"
#include "sim/native/running_kernel.h"
#include "sim/native/scalar_accesses.h"
#include "sim/native/watchdog.h"

namespace ptosim {

// The kernel whose code this thread runs; null if none, as within calls, where other code may run.
extern constinit thread_local Running* running;

// Wraps a call from the kernel's code into the simulator. Other cores may run before it returns. An exception ends the
// kernel, even if the kernel catches it.
template <class F>
auto call(F&& function) {
    if (running == nullptr) {
        // The host has called a kernel's function, so no location is known.
        fail_input("H14", "the host called a kernel as a function",
                   "launch it instead: kernel<<<blocks, nullptr, stream>>>(arguments)");
    }
    struct Inside {
        Running* core = running;
        CallingThread thread{};
        Inside() {
            core->guard.leave();
            running = nullptr;
        }
        ~Inside() {
            running = core;
            core->guard.enter();
            set_local_base(core->local_memory);
            ptosim_watched = core->watch;
            ptosim_recent_tensors = &core->bounds.recent;
            thread.go_on();
        }
    } inside;
    Running& core = *inside.core;
    if (core.stopped) std::rethrow_exception(core.stopped);
    try {
        if (only_polled())
            fail(core, "H11", Category::kDeadlock,
                 "the kernel is polling, and no core has issued an instruction for too long", core.at,
                 "PTOSIM_WATCHDOG sets the limit in seconds");
        if (core.followed.end != 0) follow_call(core);
        charge_code(core.port);
        return function(core);
    } catch (...) {
        core.stopped = std::current_exception();
        throw;
    }
}

// Wraps a call that issues an instruction of this name, or a scalar access, from the function whose frame is `frame`.
template <class F>
auto call_from(const void* frame, std::string_view instruction, F&& function) {
    return call([&](Running& core) {
        if (core.code.end != 0)
            core.called_from = core.kernel.locate_call(static_cast<CoreType>(core.identity.core),
                                                       call_chain(frame, core.code), instruction);
        return function(core);
    });
}

}  // namespace ptosim
