// Calls of acl: each runs on the device under its lock and returns a code.
#pragma once

#include <cstdint>
#include <mutex>

#include "acl/acl.h"
#include "sim/faces/host/acl_device.h"
#include "sim/faces/host/host_error.h"

namespace ptosim {

// The code of this thread's last call that has failed.
inline int& last_acl_error() {
    thread_local int code = ACL_SUCCESS;
    return code;
}

// Decides whether launches that are pending in streams run first.
enum class Pending : uint8_t { kRun, kLeave };

template <class F>
int code_of_call(Pending pending, F&& function) {
    AclDevice& device = AclDevice::get();
    const std::lock_guard lock(device.mutex());
    try {
        if (pending == Pending::kRun) device.run_pending();
        function(device);
        return ACL_SUCCESS;
    } catch (const HostError& failure) {
        device.report(failure.diagnostic);
        return failure.code;
    } catch (const DiagnosticError& failure) {
        for (const Diagnostic& d : failure.diagnostics()) device.report(d);
        return ACL_ERROR_INVALID_PARAM;
    }
}

// Runs a call on the device. Exceptions are reported and become its code.
template <class F>
int call(F&& function, Pending pending = Pending::kRun) {
    const int code = code_of_call(pending, function);
    if (code != ACL_SUCCESS) last_acl_error() = code;
    return code;
}

// The same for calls that add work to streams, or only query: kernels of several streams run at once after them.
template <class F>
int quick_call(F&& function) {
    return call(function, Pending::kLeave);
}

}  // namespace ptosim
