#include "sim/host/acl_device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "acl/acl.h"
#include "isa/core/arch.h"
#include "sim/check/findings_output.h"
#include "sim/files/output_file.h"
#include "sim/host/host_error.h"
#include "sim/model/installation.h"
#include "sim/model/variables.h"
#include "sim/native/crash_guard.h"
#include "sim/session/findings_folder.h"
#include "sim/session/result_text.h"

namespace ptosim {
namespace {

std::vector<NativeImage>& known_images() {
    static auto& images = *new std::vector<NativeImage>;
    return images;
}

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

}  // namespace

// ---- life ---------------------------------------------------------------------------------

namespace {
AclDevice* made_device = nullptr;
}

void AclDevice::add_images(std::vector<NativeImage> images) {
    if (made_device != nullptr) {
        const std::lock_guard lock(made_device->mutex_);
        made_device->modules_->add(std::move(images), "a library of this program");
        return;
    }
    for (NativeImage& image : images) known_images().push_back(std::move(image));
}

// Each rank has files of its own.
void AclDevice::name_files_by_rank(SessionOptions& options) {
    const char* const rank = std::getenv("PMI_RANK");
    if (rank == nullptr || devices() == 1) return;
    const std::string chip = std::string("chip") + rank;
    if (!options.trace.empty()) options.trace = (std::filesystem::path(options.trace) / chip).string();
    for (std::string* const file : {&options.json, &options.report}) {
        if (file->empty() || *file == "-") continue;
        const std::filesystem::path path = *file;
        *file = (path.parent_path() / (path.stem().string() + "." + chip + path.extension().string())).string();
    }
}

AclDevice* AclDevice::made() { return made_device; }

AclDevice& AclDevice::get() {
    // Lives until the process ends: other objects of the program may still use it while they go.
    static AclDevice* const device = [] {
        try {
            return made_device = new AclDevice;
        } catch (const DiagnosticError& failure) {
            for (const Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
            std::exit(2);
        }
    }();
    return *device;
}

AclDevice::AclDevice() {
    std::cerr << unknown_variables();
    modules_ = std::make_unique<NativeModules>(std::move(known_images()), "this program");
    SessionOptions options = options_from_environment();
    name_files_by_rank(options);
    std::optional<SystemModel> system;
    if (const char* const name = std::getenv("PTOSIM_SYSTEM"); name != nullptr && *name != 0)
        system = load_system(name, options.overrides);
    if (options.chip.empty() && system) options.chip = system->chip;
    if (options.chip.empty()) options.chip = traits_of(modules_->arch()).default_chip;
    device_ = std::make_unique<SimulatedDevice>(std::move(options), OptionSource::kEnvironment);
    device_->session().observe();
    memory_ = std::make_unique<DeviceMemory>(*device_);
    streams_ = std::make_unique<Streams>(*device_);
    if (system && device_->session().settings().mode == RunMode::kFunctional)
        fail_input("H20", "PTOSIM_SYSTEM: a common clock needs time, which PTOSIM_MODE=functional has none of",
                   "unset one of the two");
    communicators_ = std::make_unique<Communicators>(*device_, *memory_, std::move(system));
    device_->memory().close();
    explained_memory = &device_->memory();
    set_crash_explanation(&explain_crash);
    on_exit([](int status, void*) { AclDevice::get().finish(status); }, nullptr);
}

// The process ends: what was recorded is written, what was found decides.
void AclDevice::finish(int status) {
    const SizeSignalHeld held;
    ended_ = true;
    communicators_->end_links();
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
ExitCode AclDevice::write_results() {
    Session& session = device_->session();
    const SessionOptions& options = session.options();
    Result result = device_->finish();
    std::cerr << check::as_text(result.of_checkers, "PTOSIM_REPORT=FILE.json")
              << wasted_text(result) << count_text(result);
    if (!options.report.empty()) write_findings(result, options, std::cout, program_file());
    session.write_files(result);
    std::cerr << files_text(result, options);
    write_json(result, options);
    const bool wrong = result.checked && !result.findings.empty();
    if (wrong) add_to_findings_folder(findings_document(result.findings, current_test()));
    session.require_memory(result);
    // Also where the program has not asked how its launches went.
    if (!failed_.empty())
        std::cerr << "error: a launch of kernel " << failed_
                  << " has failed, and this program's results cannot be relied on [H21]\n";
    return wrong ? kKernelWrong : kOk;
}

void AclDevice::report_leaks() {
    if (const std::optional<Diagnostic> leaks = memory_->leaks()) report(*leaks);
}

void AclDevice::report(const Diagnostic& diagnostic) {
    message_ = diagnostic.message;
    std::cerr << to_text(diagnostic);
}

const char* AclDevice::recent_message() {
    taken_ = std::exchange(message_, {});
    return taken_.empty() ? nullptr : taken_.c_str();
}

uint32_t AclDevice::devices() {
    const char* const ranks = std::getenv("PMI_SIZE");  // as mpirun sets it
    const long count = ranks == nullptr ? 1 : std::strtol(ranks, nullptr, 10);
    return static_cast<uint32_t>(std::clamp<long>(count, 1, MeetingPages::kMostRanks));
}

void AclDevice::require_device(int32_t number, const char* call) {
    const uint32_t count = devices();
    if (number >= 0 && static_cast<uint32_t>(number) < count) return;
    throw host_error(ACL_ERROR_RT_INVALID_DEVICEID,
                     std::string(call) + ": there is no device " + std::to_string(number) + "; " +
                         (count == 1 ? "this process has device 0"
                                     : "there are devices 0 to " + std::to_string(count - 1)),
                     "there are as many devices as ranks: start more with mpirun -n");
}

void AclDevice::set_number(int32_t number, const char* call) {
    require_device(number, call);
    if (number_.value_or(number) != number)
        throw host_error(ACL_ERROR_RT_INVALID_DEVICEID,
                         std::string(call) + ": this process has device " + std::to_string(*number_) +
                             ", and cannot have device " + std::to_string(number) + ", too",
                         "start a process for each device");
    number_ = number;
}

// ---- launches -----------------------------------------------------------------------------

NativeKernel& AclDevice::kernel(const ptosim_launch_request& request) {
    std::unique_ptr<NativeKernel>& kernel =
        kernels_[std::string(request.module) + "/" +
                 (*request.site != 0 ? request.site : request.name)];
    if (!kernel) kernel = modules_->find_launch(request.module, request.site, request.name);
    if (!kernel)
        throw host_error(
            ACL_ERROR_RT_PARAM_INVALID,
            std::string("kernel ") + request.name + " is in no device image of this program",
            "build the file that launches it with 'ptosim build'", "H21");
    return *kernel;
}

// Throws HostError unless the device runs a launch of this kind.
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
            kernel + " is not run: the program is ending, its results have been written",
            "launch before main returns, not in the destructor of a static object", "H21");
    if (const int broken = streams_->broken(); broken != 0) {
        where.error = broken;
        throw host_error(broken, kernel + " is not run: the device has failed before", {}, "H21");
    }
}

void AclDevice::run(const ptosim_launch_request& request) {
    check_launch(request);
    NativeKernel& kernel = this->kernel(request);
    if (modules_->arch() != model().arch)
        throw host_error(ACL_ERROR_RT_PARAM_INVALID,
                         std::string("kernel ") + request.name + " was built for " +
                             std::string(ptosim::name(modules_->arch())) + ", and " + model().name +
                             " is " + std::string(ptosim::name(model().arch)),
                         "choose another chip with PTOSIM_CHIP, or build with another --arch",
                         "H21");
    memory_->check_arguments(request);
    check::HostOrder* const order = order_of(*device_);
    if (order != nullptr) {
        Site site;
        if (request.where.file != nullptr) site.file = request.where.file;
        site.location.line = request.where.line;
        order->begin(request.stream, std::string("kernel ") + request.name, site);
    }
    LaunchResult result;
    {
        const Opened opened(device_->memory());
        result = device_->launch(
            windowed(kernel), {request.words, request.word_count},
            {.blocks = static_cast<uint32_t>(request.blocks), .print = &print_line});
    }
    if (order != nullptr) order->end();
    judge(result, request);
}

// The kernel as it runs where chips share windows.
const Kernel& AclDevice::windowed(const NativeKernel& kernel) {
    if (communicators_->mapped().empty()) return kernel;
    std::unique_ptr<WindowedKernel>& made = windowed_[&kernel];
    if (!made)
        made = std::make_unique<WindowedKernel>(kernel, communicators_->mapped(), device_->session().chip());
    return *made;
}

// Prints what a launch has found; a launch that did not finish breaks the device.
void AclDevice::judge(const LaunchResult& result, const ptosim_launch_request& request) {
    const check::CheckOptions& checks = device_->session().settings().checks;
    for (const Diagnostic& d : result.warnings)
        std::cerr << to_text(d, checks.finds(d.code) ? "error" : "warning");
    bool deadlock = false;
    for (const Diagnostic& d : result.diagnostics) {
        report(d);
        deadlock = deadlock || d.category == Category::kDeadlock;
    }
    if (result.finished) return;
    failed_ = request.name;
    // What the cores were doing is not undone.
    streams_->set_broken(deadlock ? ACL_ERROR_RT_AICORE_TIMEOUT : ACL_ERROR_RT_AICORE_EXCEPTION);
    streams_->fail(request.stream, streams_->broken());
}

void AclDevice::launch(const ptosim_launch_request& request) {
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

void ptosim_register_images(const void* begin, const void* end) {
    const auto* first = static_cast<const std::byte*>(begin);
    const auto* last = static_cast<const std::byte*>(end);
    try {
        ptosim::AclDevice::add_images(ptosim::read_images({first, last}, "this program"));
    } catch (const ptosim::DiagnosticError& failure) {
        for (const ptosim::Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
        std::_Exit(2);
    }
}
