// Functions that hosts launch from binaries: kernels of a device binary, and servers on the AICPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "ptosim/kernel_abi.h"
#include "runtime/rt.h"
#include "sim/faces/host/acl_device.h"
#include "sim/faces/host/host_error.h"

namespace ptosim {

// Target of the handle of a binary.
struct RegisteredBinary {
    std::string module;
};

// A pointer among the arguments, at `address`, to those at `data`.
struct InnerPointer {
    uint32_t address, data;
};

// Arguments of a launch as the host has them.
struct GivenArguments {
    std::vector<std::byte> bytes;
    std::vector<InnerPointer> pointers;
};

// rtAicpuArgsEx_t of CANN's runtime/kernel.h.
struct ServerArguments {
    const std::byte* arguments;
    const InnerPointer* pointers;
    const void* offsets;
    uint32_t bytes;
    uint16_t pointer_count, offset_count;
    uint32_t library_name, function_name;  // offsets of texts among the arguments
};

[[noreturn]] inline void refuse(const std::string& what, const std::string& hint) {
    throw host_error(ACL_ERROR_RT_PARAM_INVALID, what, hint);
}

// A launch that fails makes its stream fail; a load or a search does not.
enum class Failing : uint8_t { kStream, kCall };

// Runs `work`; reports what it throws, and returns its code.
template <class F>
rtError_t reported(F&& work, Failing failing = Failing::kStream) {
    AclDevice& device = AclDevice::get();
    try {
        work(device);
        return ACL_SUCCESS;
    } catch (const HostError& failure) {
        device.report(failure.diagnostic);
        if (failing == Failing::kStream) device.streams().fail(nullptr, failure.code);
        return failure.code;
    } catch (const DiagnosticError& failure) {
        for (const Diagnostic& d : failure.diagnostics()) device.report(d);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
}

// Copies arguments. Throws HostError, which names the call, if a pointer lies beyond them.
GivenArguments given_arguments(const char* call, const void* arguments, uint32_t bytes, const InnerPointer* pointers,
                               uint32_t pointer_count);
inline GivenArguments given_arguments(const char* call, const ServerArguments& given) {
    return given_arguments(call, given.arguments, given.bytes, given.pointers, given.pointer_count);
}

// Launches a kernel of a device binary with words of arguments.
void launch_kernel(AclDevice& device, const std::string& module, const std::string& name,
                   const std::vector<uint64_t>& words, uint32_t blocks, rtStream_t stream);
// The same with arguments that may point to data next to them; both are copied to device memory.
void launch_kernel(AclDevice& device, const std::string& module, const std::string& name, const GivenArguments& given,
                   uint32_t blocks, rtStream_t stream);
// Launches a function on processors of the AICPU: one that initialises others runs at once, the others start with the
// next kernel. The vendor's server stands for the program's own one (sim/faces/host/aicpu_servers.h).
void launch_server(AclDevice& device, const std::string& function, const GivenArguments& given, uint32_t processors,
                   rtStream_t stream);

}  // namespace ptosim
