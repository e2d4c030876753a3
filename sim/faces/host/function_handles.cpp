// Handles of functions in binaries that are files: kernels of a device binary, or operators on the AICPU, which a JSON
// file lists with their functions. Names and structures are of CANN's acl/acl_rt.h, runtime/rts/rts_kernel.h and
// runtime/kernel.h, as cann/pypto's framework/src/adapter/api uses them.
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>

#include "sim/faces/host/acl_call.h"
#include "sim/faces/host/device_functions.h"
#include "sim/files/json.h"

namespace {

using ptosim::AclDevice;
using ptosim::Failing;
using ptosim::given_arguments;
using ptosim::GivenArguments;
using ptosim::InnerPointer;
using ptosim::Json;
using ptosim::refuse;
using ptosim::reported;
using ptosim::ServerArguments;

struct LoadOption {
    enum class Kind : uint32_t { kLazyLoad = 1, kMagic = 2, kCpuKernelMode = 3 };
    Kind kind;
    uint32_t value[4];
};
struct LoadOptions {
    const LoadOption* options;
    size_t count;
};
struct CpuArguments {
    ServerArguments base;
};

struct LoadedBinary;

// Target of the handle of a function.
struct Function {
    const LoadedBinary* binary;
    std::string name;
};

// Target of the handle of a binary that has been loaded from a file.
struct LoadedBinary {
    std::string file, module;                          // module: of a device binary
    std::map<std::string, std::string> cpu_functions;  // by operator
    std::map<std::string, std::unique_ptr<Function>> handles{};

    bool on_aicpu() const { return module.empty(); }
};

// Binaries by their handles.
std::map<const void*, std::unique_ptr<LoadedBinary>>& binaries() {
    static auto& all = *new std::map<const void*, std::unique_ptr<LoadedBinary>>;
    return all;
}
std::mutex& binaries_mutex() {
    static auto& mutex = *new std::mutex;
    return mutex;
}

std::string content_of(const std::string& file, const char* call) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    if (!in) refuse(std::string(call) + ": " + file + " cannot be read", "");
    return content.str();
}

// {"operator": {"opInfo": {"functionName": ...}}}
std::map<std::string, std::string> functions_in(const std::string& content, const std::string& file) {
    std::map<std::string, std::string> functions;
    const Json operators = ptosim::parse_json(content, {.discards = true, .sorts = true});
    if (operators.is_object())
        for (const auto& [name, entry] : operators.items())
            if (entry.is_object() && entry.contains("opInfo") && entry["opInfo"].is_object())
                functions[name] = entry["opInfo"].value("functionName", name);
    if (functions.empty())
        refuse(file + " lists no operator of the AICPU", R"(it has {"NAME": {"opInfo": {"functionName": "FUNCTION"}}})");
    return functions;
}

bool is_for_aicpu(const LoadOptions* options) {
    for (size_t i = 0; options != nullptr && i < options->count; ++i)
        if (options->options[i].kind == LoadOption::Kind::kCpuKernelMode) return true;
    return false;
}

rtError_t load(const char* call, const char* path, const LoadOptions* options, void** handle) {
    if (path == nullptr || handle == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        const std::string content = content_of(path, call);
        auto binary = std::make_unique<LoadedBinary>();
        binary->file = path;
        if (is_for_aicpu(options)) {
            binary->cpu_functions = functions_in(content, path);
        } else {
            const std::lock_guard lock(device.mutex());
            binary->module = device.add_binary(content);
        }
        const std::lock_guard lock(binaries_mutex());
        *handle = binary.get();
        binaries().emplace(*handle, std::move(binary));
    }, Failing::kCall);
}

rtError_t find(const char* call, const void* handle, const char* name, void** function) {
    if (name == nullptr || function == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        const std::lock_guard lock(binaries_mutex());
        const auto found = binaries().find(handle);
        if (found == binaries().end()) refuse(std::string(call) + ": the handle is not one of a loaded binary", "");
        LoadedBinary& binary = *found->second;
        const auto entry = binary.cpu_functions.find(name);
        if (binary.on_aicpu() ? entry == binary.cpu_functions.end() : !device.has_kernel(binary.module, name))
            refuse(std::string(call) + ": " + binary.file + " has no function " + name, "");
        auto& made = binary.handles[name];
        if (made == nullptr)
            made = std::make_unique<Function>(Function{&binary, binary.on_aicpu() ? entry->second : name});
        *function = made.get();
    }, Failing::kCall);
}

// Null: it is not the handle of a function of a loaded binary.
const Function* function_of(const void* handle) {
    const std::lock_guard lock(binaries_mutex());
    for (const auto& [key, binary] : binaries())
        for (const auto& [name, function] : binary->handles)
            if (function.get() == handle) return function.get();
    return nullptr;
}

void launch(AclDevice& device, const char* call, const void* handle, uint32_t blocks, rtStream_t stream,
            const GivenArguments& given) {
    const Function* const function = function_of(handle);
    if (function == nullptr) refuse(std::string(call) + ": the handle is not one of a function", "");
    if (function->binary->on_aicpu())
        ptosim::launch_server(device, function->name, given, blocks, stream);
    else
        ptosim::launch_kernel(device, function->binary->module, function->name, given, blocks, stream);
}

rtError_t launch_given(const char* call, const void* function, uint32_t blocks, rtStream_t stream,
                       const void* arguments, size_t bytes, const InnerPointer* pointers, size_t pointer_count) {
    if (arguments == nullptr && bytes != 0) return ACL_ERROR_RT_PARAM_INVALID;
    return reported([&](AclDevice& device) {
        launch(device, call, function, blocks, stream,
               given_arguments(call, arguments, static_cast<uint32_t>(bytes), pointers,
                               static_cast<uint32_t>(pointer_count)));
    });
}

}  // namespace

PTOSIM_ABI rtError_t rtsBinaryLoadFromFile(const char* path, const LoadOptions* options, void** handle) {
    return load("rtsBinaryLoadFromFile", path, options, handle);
}
PTOSIM_ABI aclError aclrtBinaryLoadFromFile(const char* path, const LoadOptions* options, void** handle) {
    return load("aclrtBinaryLoadFromFile", path, options, handle);
}

// Its kernels stay: recordings name their lines.
PTOSIM_ABI rtError_t rtsBinaryUnload(const void* handle) {
    const std::lock_guard lock(binaries_mutex());
    return binaries().erase(handle) == 1 ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}
PTOSIM_ABI aclError aclrtBinaryUnLoad(const void* handle) { return rtsBinaryUnload(handle); }

PTOSIM_ABI rtError_t rtsFuncGetByName(const void* handle, const char* name, void** function) {
    return find("rtsFuncGetByName", handle, name, function);
}
PTOSIM_ABI aclError aclrtBinaryGetFunction(const void* handle, const char* name, void** function) {
    return find("aclrtBinaryGetFunction", handle, name, function);
}

PTOSIM_ABI rtError_t rtsLaunchCpuKernel(const void* function, uint32_t blocks, rtStream_t stream, const void*,
                                        const CpuArguments* arguments) {
    if (arguments == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    const ServerArguments& base = arguments->base;
    return launch_given("rtsLaunchCpuKernel", function, blocks, stream, base.arguments, base.bytes, base.pointers,
                        base.pointer_count);
}
PTOSIM_ABI rtError_t rtsLaunchKernelWithHostArgs(const void* function, uint32_t blocks, rtStream_t stream, const void*,
                                                 const void* arguments, uint32_t bytes, const InnerPointer* pointers,
                                                 uint32_t pointer_count) {
    return launch_given("rtsLaunchKernelWithHostArgs", function, blocks, stream, arguments, bytes, pointers,
                        pointer_count);
}
PTOSIM_ABI aclError aclrtLaunchKernelWithHostArgs(const void* function, uint32_t blocks, aclrtStream stream,
                                                  const void*, const void* arguments, size_t bytes,
                                                  const InnerPointer* pointers, size_t pointer_count) {
    return launch_given("aclrtLaunchKernelWithHostArgs", function, blocks, stream, arguments, bytes, pointers,
                        pointer_count);
}
