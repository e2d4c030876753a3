// Device binaries (ld.lld -m aicorelinux) and servers on the AICPU, by the calls that launch them. Structures are laid
// out as CANN's runtime/kernel.h declares them.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "ptosim/kernel_abi.h"
#include "runtime/rt.h"
#include "sim/host/acl_device.h"
#include "sim/host/host_error.h"

namespace {

using ptosim::AclDevice;

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
// A pointer among the arguments, at `address`, to those at `data`.
struct InnerPointer {
    uint32_t address, data;
};
struct ServerArguments {
    const std::byte* arguments;
    const InnerPointer* pointers;
    const void* offsets;
    uint32_t bytes;
    uint16_t pointer_count, offset_count;
    uint32_t library_name, function_name;  // offsets of texts among the arguments
};

// Target of the handle of a binary.
struct RegisteredBinary {
    std::string module;
};

// Runs `work`; reports what it throws, and returns its code.
template <class F>
rtError_t reported(F&& work) {
    AclDevice& device = AclDevice::get();
    try {
        work(device);
        return ACL_SUCCESS;
    } catch (const ptosim::HostError& failure) {
        device.report(failure.diagnostic);
        device.streams().fail(nullptr, failure.code);
        return failure.code;
    } catch (const ptosim::DiagnosticError& failure) {
        for (const ptosim::Diagnostic& d : failure.diagnostics()) device.report(d);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
}

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
    throw ptosim::host_error(ACL_ERROR_RT_PARAM_INVALID, what, hint);
}

// The vendor's server hands its arguments to a function of the program's own server.
std::string function_of_server(const std::string& name) {
    constexpr std::string_view kVendor = "DynTileFwkKernelServer";
    return name.starts_with(kVendor) ? "DynTileFwkBackendKernelServer" + name.substr(kVendor.size()) : name;
}

// The arguments of a server, and its work.
struct Server {
    std::string function;
    ptosim::AicpuServers::Work work;
    std::vector<std::byte> bytes;
    std::vector<InnerPointer> pointers;
    uint32_t processors = 0;

    // Runs a server that initialises others; the others start with the next kernel.
    void start(AclDevice& device) const {
        device.run_pending();  // a kernel before has its own servers
        std::vector<std::byte> arguments = bytes;
        for (const InnerPointer& pointer : pointers) {
            const std::byte* const target = arguments.data() + pointer.data;
            std::memcpy(arguments.data() + pointer.address, &target, sizeof target);
        }
        if (!function.ends_with("Init")) return device.servers().add(work, std::move(arguments), processors);
        const ptosim::Opened opened(device.device_memory());
        if (work(arguments.data()) != 0) refuse(function + " has failed on the AICPU", "");
    }
};

std::vector<InnerPointer> pointers_of(const ServerArguments& given) {
    std::vector<InnerPointer> pointers(given.pointers, given.pointers + given.pointer_count);
    for (const InnerPointer& pointer : pointers)
        if (pointer.address + sizeof(void*) > given.bytes || pointer.data > given.bytes)
            refuse("rtAicpuKernelLaunchExWithArgs: a pointer beyond the arguments", "");
    return pointers;
}

}  // namespace

PTOSIM_ABI rtError_t rtRegisterAllKernel(const Binary* binary, void** handle) {
    if (binary == nullptr || binary->data == nullptr || handle == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        const std::lock_guard lock(device.mutex());
        *handle = new RegisteredBinary{
            device.add_binary({static_cast<const char*>(binary->data), static_cast<size_t>(binary->bytes)})};
    });
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
        const std::vector<const char*> types = [&] {
            std::vector<const char*> list(words.size(), "l");
            list.push_back(nullptr);
            return list;
        }();
        ptosim_launch_request request{};
        request.module = module.c_str();
        request.site = "";
        request.name = name.c_str();
        request.types = types.data();
        request.words = words.data();
        request.word_count = words.size();
        request.blocks = blocks;
        request.stream = stream;
        device.launch(request);
    });
}

PTOSIM_ABI rtError_t rtAicpuKernelLaunchExWithArgs(uint32_t, const char*, uint32_t processors,
                                                   const ServerArguments* arguments, void*, rtStream_t stream,
                                                   uint32_t) {
    if (arguments == nullptr || arguments->arguments == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        const std::lock_guard lock(device.mutex());
        const auto text = reinterpret_cast<const char*>(arguments->arguments + arguments->function_name);
        if (arguments->function_name >= arguments->bytes) refuse("a server on the AICPU without a name", "");
        Server server;
        server.function = function_of_server(text);
        server.work = device.servers().find(server.function);
        server.bytes.assign(arguments->arguments, arguments->arguments + arguments->bytes);
        server.pointers = pointers_of(*arguments);
        server.processors = processors;
        const auto again = [server](void*) {
            return reported([&](AclDevice& again_device) {
                const std::lock_guard again_lock(again_device.mutex());
                server.start(again_device);
            });
        };
        if (!device.captures().take(stream, again)) server.start(device);
    });
}
