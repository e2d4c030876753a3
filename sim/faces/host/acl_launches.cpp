// Launches of the simulated device: checked when the host requests them, then run, alone or together with launches of
// other streams.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "acl/acl.h"
#include "isa/core/arch.h"
#include "sim/faces/host/acl_device.h"
#include "sim/faces/host/acl_devices.h"
#include "sim/faces/host/host_error.h"

namespace ptosim {
namespace {

// True after this thread's thread-local objects have been destroyed, some of which are used for computing instructions.
// The flag itself needs no destructor and outlives them.
thread_local bool locals_are_gone = false;
struct ThreadEnd {
    ~ThreadEnd() { locals_are_gone = true; }
};
thread_local const ThreadEnd thread_end;  // made before those objects, so destroyed after them

std::string key_of(const ptosim_launch_request& request) {
    return std::string(request.module) + "/" + (*request.site != 0 ? request.site : request.name);
}

}  // namespace

NativeKernel& AclDevice::kernel(const ptosim_launch_request& request) {
    std::unique_ptr<NativeKernel>& kernel = kernels_[key_of(request)];
    if (!kernel) kernel = all_.modules().find_launch(request);
    if (!kernel)
        throw host_error(
            ACL_ERROR_RT_PARAM_INVALID,
            std::string("kernel ") + request.name + " is in no device image of this program",
            "build the file that launches it with 'ptosim build'", "H21");
    return *kernel;
}

// Throws HostError unless the device supports a launch of this kind.
void AclDevice::check_launch(const ptosim_launch_request& request) {
    const std::string kernel = std::string("kernel ") + request.name;
    constexpr int64_t kMost = 65535;
    if (request.blocks < 1 || request.blocks > kMost)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         kernel + ": a launch of " + std::to_string(request.blocks) + " blocks",
                         "1 to " + std::to_string(kMost), "H21");
    Streams::Stream& where = streams_->stream(request.stream);
    static_cast<void>(&thread_end);
    if (ended_ || locals_are_gone)
        throw host_error(
            ACL_ERROR_RT_PARAM_INVALID,
            kernel + " is not run, because the program is ending and its results have been written",
            "launch before main returns, not in the destructor of a static object", "H21");
    if (const int broken = streams_->broken(); broken != 0) {
        where.error = broken;
        throw host_error(broken, kernel + " is not run, because the device failed earlier", {}, "H21");
    }
}

// Adds the launch to the model that captures its stream, if one does.
bool AclDevice::capture(const ptosim_launch_request& request) {
    if (captures_.model_of(request.stream) == nullptr) return false;
    check_launch(request);
    std::vector<const char*> types;
    for (const char* const* type = request.types; type != nullptr && *type != nullptr; ++type) types.push_back(*type);
    types.push_back(nullptr);
    const auto again = [this, launch = PendingLaunches::Launch(request), types](void* stream) {
        ptosim_launch_request copy = launch.request();
        copy.types = types.data();
        copy.stream = stream;
        this->launch(copy);
        return ACL_SUCCESS;  // errors are kept by the stream
    };
    return captures_.take(request.stream, again);
}

// Throws HostError unless the launch can be run.
void AclDevice::admit(const ptosim_launch_request& request) {
    check_launch(request);
    kernel(request);
    if (all_.modules().arch() != model().arch)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         std::string("kernel ") + request.name + " was built for " +
                             std::string(ptosim::name(all_.modules().arch())) + ", and " + model().name +
                             " is " + std::string(ptosim::name(model().arch)),
                         "choose another chip with PTOSIM_CHIP, or build with another --arch",
                         "H21");
    memory_->check_arguments(request);
    if (check::HostOrder* const order = order_of(*device_)) {
        Site site;
        if (request.where.file != nullptr) site.file = request.where.file;
        site.location.line = request.where.line;
        order->begin(request.stream, std::string("kernel ") + request.name, site);
    }
    pending_.add(request);
    profile_.submit();
}

// Kernels of one launch share their sources.
NativeKernel& AclDevice::kernel_of_several(const ptosim_launch_request& request) {
    std::unique_ptr<NativeKernel>& kernel = kernels_of_several_[key_of(request)];
    if (!kernel)
        kernel = all_.modules().find_launch(request, sources_of_several_);
    return *kernel;
}

std::vector<LaunchPart> AclDevice::parts_of(const std::vector<PendingLaunches::Launch>& launches) {
    std::vector<LaunchPart> parts;
    for (const PendingLaunches::Launch& launch : launches) {
        const ptosim_launch_request request = launch.request();
        NativeKernel& found = launches.size() == 1 ? kernel(request) : kernel_of_several(request);
        parts.push_back({&windowed(found), launch.words, static_cast<uint32_t>(launch.blocks), launch.after});
    }
    return parts;
}

LaunchResult AclDevice::run(const std::vector<PendingLaunches::Launch>& launches) {
    const std::vector<LaunchPart> parts = parts_of(launches);
    const Opened opened(device_->memory());
    servers_.start(device_->session());
    LaunchResult result =
        parts.size() == 1 ? device_->launch(*parts.front().kernel, parts.front().arguments,
                                            {.blocks = parts.front().blocks, .print = &print_line})
                          : device_->launch(parts, {.print = &print_line});
    std::ranges::move(servers_.end(), std::back_inserter(result.diagnostics));
    return result;
}

namespace {

// Anything but an error of the program is one of the simulator.
template <class F>
void or_internal_error(F&& work) {
    try {
        work();
    } catch (const DiagnosticError&) {
        throw;
    } catch (const std::exception& failure) {
        std::cerr << "internal error: " << failure.what() << "\n";
        std::_Exit(3);
    }
}

}  // namespace

void AclDevice::run_pending() {
    if (all_.several()) return or_internal_error([&] { all_.run_until_ended(*this); });
    if (pending_.empty()) return;
    const PendingLaunches::Taken taken = pending_.take();
    or_internal_error([&] { take(run(taken.launches), taken); });
}

void AclDevice::take(LaunchResult result, const PendingLaunches::Taken& taken) {
    for (const auto& [event, launch] : taken.events) streams_->event(event).time = result.parts[launch].end;
    if (check::HostOrder* const order = order_of(*device_)) order->end();
    profile(result, taken.launches);
    judge(result, taken.launches);
}

void AclDevice::begin_pending() {
    if (launched_ || pending_.empty()) return;
    launched_.emplace(Launched{pending_.take(), {}});
    launched_->parts = parts_of(launched_->taken.launches);
    servers_.start(device_->session());
    device_->begin(launched_->parts, {.print = &print_line});
}

void AclDevice::end_launched() {
    const Launched ended = std::move(*launched_);
    launched_.reset();
    LaunchResult result = device_->end(ended.parts);
    std::ranges::move(servers_.end(), std::back_inserter(result.diagnostics));
    take(std::move(result), ended.taken);
}

void AclDevice::record(void* event, void* stream) {
    streams_->event(event);
    if (captures_.take_record(event, stream)) return;
    streams_->record(event, stream);
    pending_.record(event, stream);
}

// A stream that waits for an event of another device continues after that device's launches.
void AclDevice::await(void* stream, void* event) {
    if (AclDevice* const other = all_.other_device_with_event(event)) {
        streams_->stream(stream);
        return other->run_pending();
    }
    streams_->event(event);
    if (captures_.take_wait(stream, event)) return;
    streams_->await(stream, event);
    pending_.await(stream, event);
}

// The kernel adapted to windows shared between chips.
const Kernel& AclDevice::windowed(const NativeKernel& kernel) {
    if (communicators_->mapped().empty()) return kernel;
    std::unique_ptr<WindowedKernel>& made = windowed_[&kernel];
    if (!made)
        made = std::make_unique<WindowedKernel>(kernel, communicators_->mapped(), device_->session().chip());
    return *made;
}

void AclDevice::profile(const LaunchResult& result, const std::vector<PendingLaunches::Launch>& launches) {
    for (size_t i = 0; i < launches.size(); ++i) {
        const PendingLaunches::Launch& launch = launches[i];
        const ptosim_launch_request request = launch.request();
        const NativeKernel& code = launches.size() == 1 ? kernel(request) : kernel_of_several(request);
        const bool cube = code.runs_on(CoreType::kAIC), vector = code.runs_on(CoreType::kAIV);
        profile_.add({.name = launch.name,
                      .type = launch.name,
                      .cores = cube && vector ? "MIX_AIC" : cube ? "AI_CORE" : "AI_VECTOR_CORE",
                      .blocks = launch.blocks,
                      .stream = streams_->number_of(launch.stream),
                      .begin = result.parts[i].begin,
                      .end = result.parts[i].end});
    }
}

// Prints the findings of a launch. A launch that did not finish breaks the device.
void AclDevice::judge(const LaunchResult& result, const std::vector<PendingLaunches::Launch>& launches) {
    const check::CheckOptions& checks = device_->session().settings().checks;
    for (const Diagnostic& d : result.warnings)
        std::cerr << to_text(d, checks.finds(d.code) ? "error" : "warning");
    bool deadlock = false;
    for (const Diagnostic& d : result.diagnostics) {
        report(d);
        deadlock = deadlock || d.category == Category::kDeadlock;
    }
    if (result.finished) return;
    // Effects of the interrupted cores are not undone.
    streams_->set_broken(deadlock ? ACL_ERROR_RT_AICORE_TIMEOUT : ACL_ERROR_RT_AICORE_EXCEPTION);
    for (size_t i = 0; i < launches.size(); ++i) {
        if (launches.size() > 1 && result.parts[i].finished) continue;
        failed_ = launches[i].name;
        streams_->fail(launches[i].stream, streams_->broken());
    }
}

void AclDevice::launch(const ptosim_launch_request& request) {
    const std::lock_guard lock(mutex());
    try {
        if (capture(request)) return;
        admit(request);
        if (!streams_->several() && !all_.may_be_several()) run_pending();
    } catch (HostError& failure) {
        failed_ = request.name;
        Diagnostic& d = failure.diagnostic;
        if (d.file.empty() && request.where.file != nullptr) {
            d.file = request.where.file;
            d.location.line = request.where.line;
        }
        report(d);
        device_->session().add_finding(d);
        streams_->fail(request.stream, failure.code);
    } catch (const std::exception& failure) {
        std::cerr << "internal error: " << failure.what() << "\n";
        std::_Exit(3);
    }
}

}  // namespace ptosim

void ptosim_launch(const ptosim_launch_request* request) {
    ptosim::AclDevice::get().launch(*request);
}
