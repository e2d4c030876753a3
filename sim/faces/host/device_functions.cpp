#include "sim/faces/host/device_functions.h"

#include <cstring>
#include <mutex>
#include <string_view>

namespace ptosim {
namespace {

// The vendor's server hands its arguments to a function of the program's own server.
std::string function_of_server(const std::string& name) {
    constexpr std::string_view kVendor = "DynTileFwkKernelServer";
    return name.starts_with(kVendor) ? "DynTileFwkBackendKernelServer" + name.substr(kVendor.size()) : name;
}

// Sets the pointers among arguments that begin at `begin`.
void set_pointers(std::vector<std::byte>& arguments, const std::vector<InnerPointer>& pointers, uint64_t begin) {
    for (const InnerPointer& pointer : pointers) {
        const uint64_t target = begin + pointer.data;
        std::memcpy(arguments.data() + pointer.address, &target, sizeof target);
    }
}

// The arguments of a server, and its work.
struct Server {
    std::string function;
    AicpuServers::Work work;
    GivenArguments given;
    uint32_t processors = 0;

    void start(AclDevice& device) const {
        device.run_pending();  // a kernel before has its own servers
        std::vector<std::byte> arguments = given.bytes;
        set_pointers(arguments, given.pointers, reinterpret_cast<uint64_t>(arguments.data()));
        if (!function.ends_with("Init")) return device.servers().add(work, std::move(arguments), processors);
        const Opened opened(device.device_memory());
        if (work(arguments.data()) != 0) refuse(function + " has failed on the AICPU", "");
    }
};

std::vector<uint64_t> words_of(const std::vector<std::byte>& bytes) {
    std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint64_t));
    return words;
}

}  // namespace

GivenArguments given_arguments(const char* call, const void* arguments, uint32_t bytes, const InnerPointer* pointers,
                               uint32_t pointer_count) {
    GivenArguments given;
    const auto* const first = static_cast<const std::byte*>(arguments);
    if (first != nullptr) given.bytes.assign(first, first + bytes);
    if (pointers != nullptr) given.pointers.assign(pointers, pointers + pointer_count);
    for (const InnerPointer& pointer : given.pointers)
        if (pointer.address + sizeof(void*) > given.bytes.size() || pointer.data > given.bytes.size())
            refuse(std::string(call) + ": a pointer beyond the arguments", "");
    return given;
}

void launch_kernel(AclDevice& device, const std::string& module, const std::string& name,
                   const std::vector<uint64_t>& words, uint32_t blocks, rtStream_t stream) {
    std::vector<const char*> types(words.size(), "l");
    types.push_back(nullptr);
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
}

void launch_kernel(AclDevice& device, const std::string& module, const std::string& name, const GivenArguments& given,
                   uint32_t blocks, rtStream_t stream) {
    if (given.pointers.empty()) return launch_kernel(device, module, name, words_of(given.bytes), blocks, stream);
    constexpr unsigned kMostCopies = 256;
    static unsigned copies = 0;
    std::vector<std::byte> arguments = given.bytes;
    void* copy = nullptr;
    {
        const std::lock_guard lock(device.mutex());
        if (++copies % kMostCopies == 0) {  // those of launches that have ended
            device.run_pending();
            device.memory().release_delayed();
        }
        copy = reinterpret_cast<void*>(device.memory().allocate(arguments.size()));
        set_pointers(arguments, given.pointers, reinterpret_cast<uint64_t>(copy));
        device.memory().copy(copy, arguments.size(), arguments.data(), arguments.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    }
    launch_kernel(device, module, name, words_of(arguments), blocks, stream);
    const std::lock_guard lock(device.mutex());
    device.memory().release_later(copy);
}

void launch_server(AclDevice& device, const std::string& function, const GivenArguments& given, uint32_t processors,
                   rtStream_t stream) {
    const std::lock_guard lock(device.mutex());
    Server server;
    server.function = function_of_server(function);
    server.work = device.servers().find(server.function);
    server.given = given;
    server.processors = processors;
    const auto again = [server](void*) {
        return reported([&](AclDevice& again_device) {
            const std::lock_guard again_lock(again_device.mutex());
            server.start(again_device);
        });
    };
    if (!device.captures().take(stream, again)) server.start(device);
}

}  // namespace ptosim
