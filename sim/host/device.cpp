#include "sim/host/device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <sstream>

#include "acl/acl.h"
#include "isa/core/arch.h"
#include "sim/check/findings_output.h"
#include "sim/files/output_file.h"
#include "sim/model/installation.h"
#include "sim/model/variables.h"
#include "sim/native/crash_guard.h"
#include "sim/native/type_names.h"
#include "sim/session/result_text.h"

namespace ptosim {
namespace {

std::vector<NativeImage>& known_images() {
    static auto& images = *new std::vector<NativeImage>;
    return images;
}

HostError error(int code, std::string what, std::string hint = {}, std::string diagnostic = "H22") {
    Diagnostic d;
    d.code = std::move(diagnostic);
    d.category = Category::kInput;
    d.message = std::move(what);
    d.hint = std::move(hint);
    return {code, std::move(d)};
}

std::string hexadecimal(const void* pointer) {
    std::ostringstream text;
    text << "0x" << std::hex << reinterpret_cast<uint64_t>(pointer);
    return text.str();
}

// Lets device memory be used for as long as it lives: all of it, or the allocations that hold these
// bytes, which is quicker where a program has thousands, as each takes a call of the system.
class Opened {
 public:
    explicit Opened(GlobalMemory& memory) : memory_{memory}, all_{true} { memory_.open(); }
    Opened(GlobalMemory& memory, std::initializer_list<const void*> pointers) : memory_{memory} {
        for (const void* const pointer : pointers)
            if (const auto address = reinterpret_cast<uint64_t>(pointer);
                memory.reserves(address)) {
                memory.open(address);
                opened_.push_back(address);
            }
    }
    ~Opened() {
        if (all_) memory_.close();
        for (const uint64_t address : opened_) memory_.close(address);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

 private:
    GlobalMemory& memory_;
    bool all_ = false;
    std::vector<uint64_t> opened_;
};

const GlobalMemory* explained_memory = nullptr;

// The host has used an address: says so if it is the device's.
void explain_crash(uint64_t address) {
    if (explained_memory == nullptr || !explained_memory->reserves(address)) return;
    constexpr char kText[] =
        "error: the host has used a device pointer [H23]\n"
        "  help: copy the data with aclrtMemcpy; only kernels can use device memory directly\n";
    if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) return;
}

// Whether this thread's thread-local objects have been destroyed: instructions compute in some of
// them. The flag itself needs no destructor and outlives them.
thread_local bool locals_are_gone = false;
struct ThreadEnd {
    ~ThreadEnd() { locals_are_gone = true; }
};
thread_local const ThreadEnd thread_end;  // made before those objects, so destroyed after them

// What an allocation really has: whole blocks of 32 bytes and one more, so that transfers in blocks
// stay inside (CANN, aclrtMalloc). The host has what it asked for.
uint64_t device_room(uint64_t size) { return (size + 31) / 32 * 32 + 32; }

}  // namespace

// ---- life ---------------------------------------------------------------------------------

namespace {
Device* made_device = nullptr;
}

void Device::add_images(std::vector<NativeImage> images) {
    if (made_device != nullptr) {
        const std::lock_guard lock(made_device->mutex_);
        made_device->modules_->add(std::move(images), "a library of this program");
        return;
    }
    for (NativeImage& image : images) known_images().push_back(std::move(image));
}

Device& Device::get() {
    // Lives until the process ends: other objects of the program may still use it while they go.
    static Device* const device = [] {
        try {
            return made_device = new Device;
        } catch (const DiagnosticError& failure) {
            for (const Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
            std::exit(2);
        }
    }();
    return *device;
}

Device::Device() {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    std::cerr << unknown_variables();
    modules_ = std::make_unique<NativeModules>(std::move(known_images()), "this program");
    SessionOptions options = options_from_environment();
    if (options.chip.empty()) options.chip = traits_of(modules_->arch()).default_chip;
    session_ = std::make_unique<Session>(std::move(options), OptionSource::kEnvironment);
    session_->observe();  // what the host allocates from now on is watched
    memory().close();
    explained_memory = &memory();
    set_crash_explanation(&explain_crash);
    on_exit([](int status, void*) { Device::get().finish(status); }, nullptr);
}

// The process ends: what was recorded is written, what was found decides.
void Device::finish(int status) {
    const SizeSignalHeld held;
    ended_ = true;
    ExitCode code = kOk;
    try {
        report_leaks();
        code = write_results();
    } catch (const DiagnosticError& failure) {
        for (const Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
        code = kInputUnusable;
    }
    if (code == kOk && !failed_.empty()) code = kKernelWrong;
    if (code == kOk || (status != 0 && code != kInputUnusable)) return;
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    _exit(code);
}

// The program has had standard output to itself; what is reported here goes to standard error.
// Returns kKernelWrong if findings were asked for, and some were found.
ExitCode Device::write_results() {
    const SessionOptions& options = session_->options();
    Result result = session_->finish();
    std::cerr << check::as_text(result.of_checkers, "PTOSIM_REPORT=FILE.json")
              << wasted_text(result) << count_text(result);
    if (!options.report.empty()) write_findings(result, options, std::cout, program_file());
    session_->write_files(result);
    std::cerr << files_text(result, options);
    write_json(result, options);
    session_->require_memory(result);
    // Also where the program has not asked how its launches went.
    if (!failed_.empty())
        std::cerr << "error: a launch of kernel " << failed_
                  << " has failed, and this program's results cannot be relied on [H21]\n";
    return result.checked && !result.findings.empty() ? kKernelWrong : kOk;
}

void Device::tell(const Diagnostic& diagnostic) {
    message_ = diagnostic.message;
    std::cerr << to_text(diagnostic);
}

const char* Device::recent_message() {
    taken_ = std::exchange(message_, {});
    return taken_.empty() ? nullptr : taken_.c_str();
}

// ---- memory -------------------------------------------------------------------------------

bool Device::on_device(const void* pointer) const {
    return memory().reserves(reinterpret_cast<uint64_t>(pointer));
}

uint64_t Device::allocate(uint64_t size) {
    if (size == 0) throw error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMalloc of 0 bytes");
    const unsigned number = ++allocation_count_;
    try {
        const uint64_t address =
            memory().allocate(device_room(size), "device memory " + std::to_string(number));
        allocations_[address] = {size, number};
        allocated_ += size;
        if (checkers() != nullptr)
            checkers()->host_allocates(address, size, "device memory " + std::to_string(number));
        return address;
    } catch (const DiagnosticError& failure) {
        throw HostError{ACL_ERROR_RT_MEMORY_ALLOCATION, failure.diagnostics().front()};
    }
}

void Device::release(const void* pointer) {
    const uint64_t address = reinterpret_cast<uint64_t>(pointer);
    const auto found = allocations_.find(address);
    if (found != allocations_.end()) {
        allocated_ -= found->second.size;
        freed_[address] = found->second.number;
        allocations_.erase(found);
        memory().release(address);
        if (checkers() != nullptr) checkers()->host_releases(address);
        return;
    }
    const auto freed = freed_.find(address);
    if (freed != freed_.end())
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtFree: device memory " + std::to_string(freed->second) + " at " +
                        hexadecimal(pointer) + " has been freed before: a double free");
    if (!on_device(pointer))
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtFree: " + hexadecimal(pointer) + " is a host pointer",
                    host_allocations_.contains(pointer) ? "free it with aclrtFreeHost" : "");
    throw error(ACL_ERROR_RT_PARAM_INVALID,
                "aclrtFree: " + memory().describe(address) + " is not the start of an allocation");
}

void* Device::allocate_host(uint64_t size) {
    if (size == 0) throw error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost of 0 bytes");
    void* pointer = nullptr;
    if (posix_memalign(&pointer, 64, size) != 0)
        throw error(ACL_ERROR_RT_MEMORY_ALLOCATION,
                    "aclrtMallocHost: no " + std::to_string(size) + " bytes of host memory");
    host_allocations_[pointer] = size;
    return pointer;
}

void Device::release_host(const void* pointer) {
    const auto found = host_allocations_.find(pointer);
    if (found == host_allocations_.end()) {
        const bool device = on_device(pointer);
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtFreeHost: " + hexadecimal(pointer) +
                        (device ? " is a device pointer"
                                : " is not from aclrtMallocHost, or has been freed before"),
                    device ? "free it with aclrtFree" : "");
    }
    std::free(const_cast<void*>(found->first));
    host_allocations_.erase(found);
}

void Device::check_device_range(const void* pointer, uint64_t count,
                                const std::string& what) const {
    const uint64_t address = reinterpret_cast<uint64_t>(pointer);
    if (!on_device(pointer))
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    what + " " + hexadecimal(pointer) + " is not a device pointer",
                    "allocate it with aclrtMalloc, or give the copy the direction that it has");
    const auto after = allocations_.upper_bound(address);
    const bool found = after != allocations_.begin() && memory().find(address) != nullptr;
    const uint64_t size = found ? std::prev(after)->second.size : 0;
    const uint64_t offset = found ? address - std::prev(after)->first : 0;
    if (offset > size || count > size - offset)
        throw error(ACL_ERROR_RT_PARAM_INVALID, what + ": " + std::to_string(count) + " bytes at " +
                                                    memory().describe(address) +
                                                    " are outside of its " + std::to_string(size) +
                                                    " bytes");
}

// Of a copy (or a set, without `read`): after another's work, before it.
void Device::order_access(const char* what, std::optional<void*> stream, const void* read,
                          const void* written, uint64_t count) {
    check::HostOrder* const order = this->order();
    if (order == nullptr || count == 0) return;
    if (stream) order->begin(*stream, what, {});
    for (const void* pointer : {read, written}) {
        if (pointer == nullptr || !on_device(pointer)) continue;
        const uint64_t address = reinterpret_cast<uint64_t>(pointer);
        if (stream)
            order->touch({address, count, 0, 1}, pointer == written);
        else
            order->access(what, address, count, pointer == written);
    }
    if (stream) order->end();
}

void Device::copy(void* to, uint64_t room, const void* from, uint64_t count, int kind,
                  std::optional<void*> stream) {
    if (to == nullptr || from == nullptr)
        throw error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy with a null pointer");
    if (count > room)
        throw error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy of " + std::to_string(count) +
                                                    " bytes into " + std::to_string(room));
    if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_DEFAULT)
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtMemcpy: there is no kind " + std::to_string(kind));
    const auto check = [&](const void* pointer, bool device, const std::string& what) {
        if (device) return check_device_range(pointer, count, "aclrtMemcpy: its " + what);
        if (on_device(pointer))
            throw error(ACL_ERROR_RT_PARAM_INVALID,
                        "aclrtMemcpy: its " + what + " is a device pointer (" +
                            memory().describe(reinterpret_cast<uint64_t>(pointer)) +
                            "), and its kind says it is the host's");
        const auto after = host_allocations_.upper_bound(pointer);
        if (after == host_allocations_.begin()) return;
        const auto& [begin, size] = *std::prev(after);
        const uint64_t offset = static_cast<uint64_t>(static_cast<const std::byte*>(pointer) -
                                                      static_cast<const std::byte*>(begin));
        if (offset < size && count > size - offset)
            throw error(ACL_ERROR_RT_PARAM_INVALID,
                        "aclrtMemcpy: " + std::to_string(count) + " bytes of its " + what +
                            " are more than aclrtMallocHost gave (" + std::to_string(size) + ")");
    };
    const bool given = kind != ACL_MEMCPY_DEFAULT;
    check(to,
          given ? kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE
                : on_device(to),
          "destination");
    check(from,
          given ? kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE
                : on_device(from),
          "source");
    order_access(stream ? "aclrtMemcpyAsync" : "aclrtMemcpy", stream, from, to, count);
    const Opened opened(memory(), {to, from});
    std::memmove(to, from, count);
    if (checkers() == nullptr) return;
    checkers()->host_reads(from);
    checkers()->host_writes(to, count);
}

void Device::set(void* to, uint64_t room, int value, uint64_t count, std::optional<void*> stream) {
    if (count > room)
        throw error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset of " + std::to_string(count) +
                                                    " bytes into " + std::to_string(room));
    if (on_device(to) || to == nullptr) check_device_range(to, count, "aclrtMemset:");
    order_access(stream ? "aclrtMemsetAsync" : "aclrtMemset", stream, nullptr, to, count);
    const Opened opened(memory(), {to});
    std::memset(to, value, count);
    if (checkers() != nullptr) checkers()->host_writes(to, count);
}

void Device::report_leaks() {
    if (leaks_told_ || allocations_.empty()) return;
    leaks_told_ = true;
    Diagnostic d;
    d.code = "H24";
    d.category = Category::kInput;
    d.message =
        std::to_string(allocations_.size()) + " allocations of device memory have not been freed";
    for (const auto& [address, allocation] : allocations_) {
        if (d.notes.size() == 10) break;
        d.notes.push_back("device memory " + std::to_string(allocation.number) + ": " +
                          std::to_string(allocation.size) + " bytes (the " +
                          std::to_string(allocation.number) + ". aclrtMalloc of the process)");
    }
    d.hint = "call aclrtFree for each";
    tell(d);
}

uint64_t Device::control_address() {
    if (control_ == 0) control_ = memory().allocate(4096, "cross-core control");
    return control_;
}

// ---- streams and events -------------------------------------------------------------------

Device::Stream* Device::make_stream() {
    Stream& made = streams_.emplace_back();
    made.number = ++last_stream_;
    return &made;
}

Device::Stream& Device::stream(void* handle) {
    if (handle == nullptr) return default_stream_;
    for (Stream& candidate : streams_)
        if (&candidate == handle) return candidate;
    throw error(ACL_ERROR_RT_STREAM_CONTEXT,
                hexadecimal(handle) + " is not a stream, or has been destroyed");
}

void Device::destroy_stream(void* handle) {
    const Stream* target = &stream(handle);
    if (order() != nullptr) order()->await_stream(handle);
    streams_.remove_if([&](const Stream& s) { return &s == target; });
}

int Device::synchronize(void* handle) {
    Stream& target = stream(handle);
    if (order() != nullptr) order()->await_stream(handle);
    return std::exchange(target.error, broken_);
}

int Device::synchronize_all() {
    if (order() != nullptr) order()->await_all();
    int first = std::exchange(default_stream_.error, broken_);
    for (Stream& each : streams_) {
        const int code = std::exchange(each.error, broken_);
        if (first == 0) first = code;
    }
    return first;
}

Device::Event* Device::make_event() { return &events_.emplace_back(); }

Device::Event& Device::event(void* handle) {
    for (Event& candidate : events_)
        if (&candidate == handle) return candidate;
    throw error(ACL_ERROR_RT_PARAM_INVALID,
                hexadecimal(handle) + " is not an event, or has been destroyed");
}

void Device::destroy_event(void* handle) {
    const Event* target = &event(handle);
    events_.remove_if([&](const Event& e) { return &e == target; });
}

void Device::record(void* handle, void* stream_handle) {
    stream(stream_handle);
    event(handle) = {true, session_->chip().now()};
    if (order() != nullptr) order()->record(handle, stream_handle);
}

void Device::await(void* stream_handle, void* handle) {
    stream(stream_handle);
    event(handle);
    if (order() != nullptr) order()->await(stream_handle, handle);
}

void Device::synchronize_event(void* handle) {
    event(handle);
    if (order() != nullptr) order()->await_event(handle);
}

double Device::milliseconds(void* start, void* end) {
    const Event& first = event(start);
    const Event& last = event(end);
    if (!first.recorded || !last.recorded)
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtEventElapsedTime of an event that has not been recorded");
    const double cycles = static_cast<double>(last.time) - static_cast<double>(first.time);
    return cycles * 1e3 / static_cast<double>(model().clock);
}

// ---- launches -----------------------------------------------------------------------------

NativeKernel& Device::kernel(const ptosim_launch_request& request) {
    std::unique_ptr<NativeKernel>& kernel =
        kernels_[std::string(request.module) + "/" +
                 (*request.site != 0 ? request.site : request.name)];
    if (!kernel) kernel = modules_->find_launch(request.module, request.site, request.name);
    if (!kernel)
        throw error(
            ACL_ERROR_RT_PARAM_INVALID,
            std::string("kernel ") + request.name + " is in no device image of this program",
            "build the file that launches it with 'ptosim build'", "H21");
    return *kernel;
}

void Device::check_arguments(const ptosim_launch_request& request) const {
    const uint64_t* word = request.words;
    for (unsigned i = 0; i < request.word_count && request.types[i] != nullptr; ++i, ++word) {
        const std::string type = readable_type(request.types[i]);
        if (type.find('*') == type.npos) continue;
        const void* pointer = reinterpret_cast<const void*>(*word);
        if (pointer == nullptr || on_device(pointer)) {
            const GlobalMemory::Allocation* found = memory().find(*word);
            const GlobalMemory::Allocation* was = memory().freed(*word);
            if (pointer == nullptr || memory().contains(*word, 0)) continue;
            throw error(ACL_ERROR_RT_PARAM_INVALID,
                        std::string("kernel ") + request.name + ": argument " + std::to_string(i) +
                            " (" + type + ") points to device memory that is not allocated" +
                            (was != nullptr     ? ": " + was->name + " has been freed"
                             : found != nullptr ? ", behind " + found->name
                                                : std::string()),
                        {}, "H21");
        }
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    std::string("kernel ") + request.name + ": argument " + std::to_string(i) +
                        " (" + type + ") is a host pointer, " + hexadecimal(pointer),
                    "a kernel takes device memory: aclrtMalloc and aclrtMemcpy", "H21");
    }
}

void Device::run(const ptosim_launch_request& request) {
    constexpr int64_t kMost = 65535;
    if (request.blocks < 1 || request.blocks > kMost)
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    std::string("kernel ") + request.name + ": a launch of " +
                        std::to_string(request.blocks) + " blocks",
                    "1 to " + std::to_string(kMost), "H21");
    Stream& where = stream(request.stream);
    static_cast<void>(&thread_end);
    if (ended_ || locals_are_gone)
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    std::string("kernel ") + request.name +
                        " is not run: the program is ending, its results have been written",
                    "launch before main returns, not in the destructor of a static object", "H21");
    if (broken_ != 0) {
        where.error = broken_;
        throw error(
            broken_,
            std::string("kernel ") + request.name + " is not run: the device has failed before", {},
            "H21");
    }
    NativeKernel& kernel = this->kernel(request);
    if (modules_->arch() != model().arch)
        throw error(ACL_ERROR_RT_PARAM_INVALID,
                    std::string("kernel ") + request.name + " was built for " +
                        std::string(ptosim::name(modules_->arch())) + ", and " + model().name +
                        " is " + std::string(ptosim::name(model().arch)),
                    "choose another chip with PTOSIM_CHIP, or build with another --arch", "H21");
    check_arguments(request);
    const auto print = [](CoreId core, std::string_view line) {
        std::cout << "[" << ptosim::name(core) << "] " << line << "\n" << std::flush;
    };
    if (order() != nullptr) {
        Site site;
        if (request.where.file != nullptr) site.file = request.where.file;
        site.location.line = request.where.line;
        order()->begin(request.stream, std::string("kernel ") + request.name, site);
    }
    LaunchResult result;
    {
        const Opened opened(memory());
        result =
            session_->launch(kernel, {request.words, request.word_count},
                             {.blocks = static_cast<uint32_t>(request.blocks), .print = print});
    }
    if (order() != nullptr) order()->end();
    const bool finding = session_->settings().checks.has("bounds");
    for (const Diagnostic& d : result.warnings)
        std::cerr << to_text(d, finding ? "error" : "warning");
    bool deadlock = false;
    for (const Diagnostic& d : result.diagnostics) {
        tell(d);
        deadlock = deadlock || d.category == Category::kDeadlock;
    }
    if (result.finished) return;
    failed_ = request.name;
    // What the cores were doing is not undone.
    broken_ = deadlock ? ACL_ERROR_RT_AICORE_TIMEOUT : ACL_ERROR_RT_AICORE_EXCEPTION;
    where.error = broken_;
}

void Device::launch(const ptosim_launch_request& request) {
    const std::lock_guard lock(mutex_);
    try {
        run(request);
    } catch (HostError& failure) {
        failed_ = request.name;
        Diagnostic& d = failure.diagnostic;
        if (d.file.empty() && request.where.file != nullptr) {
            d.file = request.where.file;
            d.location.line = request.where.line;
        }
        tell(d);
        session_->add_finding(d);
        try {
            stream(request.stream).error = failure.code;
        } catch (const HostError&) {
            default_stream_.error = failure.code;
        }
    } catch (const std::exception& failure) {
        std::cerr << "internal error: " << failure.what() << "\n";
        std::_Exit(3);
    }
}

}  // namespace ptosim

void ptosim_launch(const ptosim_launch_request* request) { ptosim::Device::get().launch(*request); }

void ptosim_register_images(const void* begin, const void* end) {
    const auto* first = static_cast<const std::byte*>(begin);
    const auto* last = static_cast<const std::byte*>(end);
    try {
        ptosim::Device::add_images(ptosim::read_images({first, last}, "this program"));
    } catch (const ptosim::DiagnosticError& failure) {
        for (const ptosim::Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
        std::_Exit(2);
    }
}
