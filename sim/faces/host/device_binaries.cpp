// Device binaries (ld.lld -m aicorelinux) and servers on the AICPU, by the older calls that launch them. Structures are
// laid out as CANN's runtime/kernel.h declares them.
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "sim/faces/host/device_functions.h"

namespace {

using ptosim::AclDevice;
using ptosim::Failing;
using ptosim::given_arguments;
using ptosim::launch_kernel;
using ptosim::launch_server;
using ptosim::refuse;
using ptosim::RegisteredBinary;
using ptosim::reported;
using ptosim::ServerArguments;

struct Binary {
    uint32_t magic, version;
    const void* data;
    uint64_t bytes;
};
struct KernelArguments {
    const void* words;
    const void* inputs;
    uint32_t bytes;
};

// The kernel for which a host uses the address of a function of its own.
struct StubbedKernel {
    std::string module, name;
};
std::map<const void*, StubbedKernel>& stubbed_kernels() {
    static auto& kernels = *new std::map<const void*, StubbedKernel>;
    return kernels;
}

}  // namespace

PTOSIM_ABI rtError_t rtRegisterAllKernel(const Binary* binary, void** handle) {
    if (binary == nullptr || binary->data == nullptr || handle == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        const std::lock_guard lock(device.mutex());
        *handle = new RegisteredBinary{
            device.add_binary({static_cast<const char*>(binary->data), static_cast<size_t>(binary->bytes)})};
    }, Failing::kCall);
}

PTOSIM_ABI rtError_t rtDevBinaryRegister(const Binary* binary, void** handle) {
    return rtRegisterAllKernel(binary, handle);
}

// Its kernels stay: recordings name their lines.
PTOSIM_ABI rtError_t rtDevBinaryUnRegister(void* handle) {
    delete static_cast<RegisteredBinary*>(handle);
    return ACL_SUCCESS;
}

PTOSIM_ABI rtError_t rtKernelLaunchWithHandleV2(void* handle, uint64_t key, uint32_t blocks,
                                                const KernelArguments* arguments, void*, rtStream_t stream,
                                                const void*) {
    if (handle == nullptr || arguments == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        const std::string& module = static_cast<RegisteredBinary*>(handle)->module;
        const std::string name = device.kernel_of_key(module, key);
        if (name.empty())
            refuse("a device binary has no kernel with tiling key " + std::to_string(key),
                   "its functions are named NAME_KEY_mix_aic and NAME_KEY_mix_aiv");
        std::vector<uint64_t> words(arguments->bytes / sizeof(uint64_t));
        std::memcpy(words.data(), arguments->words, words.size() * sizeof(uint64_t));
        launch_kernel(device, module, name, words, blocks, stream);
    });
}

PTOSIM_ABI rtError_t rtAicpuKernelLaunchExWithArgs(uint32_t, const char*, uint32_t processors,
                                                   const ServerArguments* arguments, void*, rtStream_t stream,
                                                   uint32_t) {
    if (arguments == nullptr || arguments->arguments == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        if (arguments->function_name >= arguments->bytes) refuse("a server on the AICPU without a name", "");
        const auto text = reinterpret_cast<const char*>(arguments->arguments + arguments->function_name);
        launch_server(device, text, given_arguments("rtAicpuKernelLaunchExWithArgs", *arguments), processors, stream);
    });
}

PTOSIM_ABI rtError_t rtFunctionRegister(void* handle, const void* stub, const char* stub_name, const void* kernel_name,
                                        uint32_t) {
    if (handle == nullptr || stub == nullptr || (stub_name == nullptr && kernel_name == nullptr))
        return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        const std::string& module = static_cast<RegisteredBinary*>(handle)->module;
        const std::string name = kernel_name != nullptr ? static_cast<const char*>(kernel_name) : stub_name;
        const std::lock_guard lock(device.mutex());
        if (!device.has_kernel(module, name)) refuse("rtFunctionRegister: the device binary has no kernel " + name, "");
        stubbed_kernels()[stub] = {module, name};
    }, Failing::kCall);
}

PTOSIM_ABI rtError_t rtKernelLaunch(const void* stub, uint32_t blocks, const void* arguments, uint32_t bytes, void*,
                                    rtStream_t stream) {
    if (stub == nullptr || (arguments == nullptr && bytes != 0)) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        StubbedKernel kernel;
        {
            const std::lock_guard lock(device.mutex());
            const auto found = stubbed_kernels().find(stub);
            if (found == stubbed_kernels().end())
                refuse("rtKernelLaunch of a function that has no kernel", "rtFunctionRegister names its kernel");
            kernel = found->second;
        }
        launch_kernel(device, kernel.module, kernel.name, given_arguments("rtKernelLaunch", arguments, bytes, nullptr, 0),
                      blocks, stream);
    });
}
