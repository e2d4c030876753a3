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
#include "sim/session/chip_messages.h"
#include "sim/session/findings_folder.h"
#include "sim/session/result_text.h"

namespace ptosim {
namespace {

std::vector<NativeImage>& known_images() {
    static auto& images = *new std::vector<NativeImage>;
    return images;
}

const GlobalMemory* explained_memory = nullptr;

// If the host has used an address of the device, explains that.
void explain_crash(uint64_t address) {
    if (explained_memory == nullptr || !explained_memory->reserves(address)) return;
    constexpr char kText[] =
        "error: the host dereferenced a device pointer [H23]\n  help: copy the data with aclrtMemcpy; only kernels can "
        "use device memory directly\n";
    if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) return;
}

}  // namespace

// ---- life ---------------------------------------------------------------------------------

namespace {

AclDevice* made_device = nullptr;

unsigned rank_of_environment() {
    const char* const rank = std::getenv("PMI_RANK");
    return rank == nullptr ? 0 : static_cast<unsigned>(std::strtoul(rank, nullptr, 10));
}

}  // namespace

void AclDevice::add_images(std::vector<NativeImage> images) {
    if (made_device != nullptr) {
        const std::lock_guard lock(made_device->mutex_);
        made_device->modules_->add(std::move(images), "a library of this program");
        return;
    }
    for (NativeImage& image : images) known_images().push_back(std::move(image));
}

std::string AclDevice::add_binary(std::string_view content) {
    std::vector<NativeImage> images = read_elf_images(content, "a device binary");
    if (images.empty())
        fail_input("H01", "a device binary has no kernels for this simulator",
                   "compile it with the toolkit's bisheng and link it with its ld.lld");
    const std::string module = "binary" + std::to_string(binaries_++);
    for (NativeImage& image : images) image.module = module;
    modules_->add(std::move(images), "a device binary");
    return module;
}

// Each rank has separate files.
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
    // Lives until the process ends, because other objects of the program may still use it during their destruction.
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

// The process ends: writes the recording; the findings determine the status.
void AclDevice::finish(int status) {
    const SizeSignalHeld held;
    {
        const std::lock_guard lock(mutex_);
        run_pending();
        if (!servers_.empty())
            report(host_error(ACL_ERROR_RT_PARAM_INVALID, "a server on the AICPU was not run",
                              "it runs next to a kernel, which was not launched")
                       .diagnostic);
    }
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

// Standard output belongs to the program, so reports go to standard error. Returns kKernelWrong if findings were
// requested and there are some.
ExitCode AclDevice::write_results() {
    Session& session = device_->session();
    const SessionOptions& options = session.options();
    Result result = device_->finish();
    std::cerr << check::as_text(result.of_checkers, "PTOSIM_REPORT=FILE.json")
              << wasted_text(result) << count_text(result);
    if (!options.report.empty()) write_findings(result, options, std::cout, program_file());
    session.write_files(result);
    write_messages(communicators_->traffic(), rank_of_environment(), result, options.trace);
    std::cerr << files_text(result, options);
    write_json(result, options);
    const bool wrong = result.checked && !result.findings.empty();
    if (wrong) add_to_findings_folder(findings_document(result.findings, current_test()));
    session.require_memory(result);
    // Printed even if the program has ignored the results of its launches.
    if (!failed_.empty())
        std::cerr << "error: a launch of kernel " << failed_
                  << " failed, so the results of this program are invalid [H21]\n";
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
                     std::string(call) + ": no device " + std::to_string(number) + "; " +
                         (count == 1 ? "this process has device 0"
                                     : "there are devices 0 to " + std::to_string(count - 1)),
                     "each device is a process, one for each rank: start more ranks with mpirun -n");
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

}  // namespace ptosim

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
