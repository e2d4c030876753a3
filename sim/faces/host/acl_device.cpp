#include "sim/faces/host/acl_device.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "acl/acl.h"
#include "sim/check/findings_output.h"
#include "sim/faces/host/acl_devices.h"
#include "sim/faces/host/host_error.h"
#include "sim/machine/model/installation.h"
#include "sim/session/chip_messages.h"
#include "sim/session/findings_folder.h"
#include "sim/session/result_text.h"

namespace ptosim {
namespace {

unsigned rank_of_environment() {
    const char* const rank = std::getenv("PMI_RANK");
    return rank == nullptr ? 0 : static_cast<unsigned>(std::strtoul(rank, nullptr, 10));
}

}  // namespace

// ---- life ---------------------------------------------------------------------------------

std::string AclDevice::add_binary(std::string_view content) {
    std::vector<NativeImage> images = read_elf_images(content, "a device binary");
    if (images.empty())
        fail_input("H01", "a device binary has no kernels for this simulator",
                   "compile it with the toolkit's bisheng and link it with its ld.lld");
    static unsigned binaries = 0;  // of all devices
    const std::string module = "binary" + std::to_string(binaries++);
    for (NativeImage& image : images) image.module = module;
    all_.modules().add(std::move(images), "a device binary");
    return module;
}

std::string AclDevice::kernel_of_key(const std::string& module, uint64_t key) const {
    return all_.modules().name_of_key(module, key);
}

bool AclDevice::has_kernel(const std::string& module, std::string_view name) const {
    return all_.modules().has_kernel(module, name);
}

AclDevice& AclDevice::get() { return AclDevices::get().current(); }

std::mutex& AclDevice::mutex() { return all_.mutex(); }

AclDevice::AclDevice(AclDevices& all, unsigned number, SessionOptions options, std::unique_ptr<Chip> chip,
                     std::optional<SystemModel> system)
    : all_{all},
      number_{number},
      device_{std::make_unique<SimulatedDevice>(std::move(options), OptionSource::kEnvironment, std::move(chip))},
      memory_{std::make_unique<DeviceMemory>(*device_)},
      streams_{std::make_unique<Streams>(*device_)},
      communicators_{std::make_unique<Communicators>(*device_, *memory_, std::move(system))} {
    device_->session().observe();
    device_->memory().close();
}

void AclDevice::end() {
    run_pending();
    if (!servers_.empty())
        report(host_error(ACL_ERROR_RT_PARAM_INVALID, "a server on the AICPU was not run",
                          "it runs next to a kernel, which was not launched")
                   .diagnostic);
    ended_ = true;
    communicators_->end_links();
}

// Standard output belongs to the program, so reports go to standard error.
ExitCode AclDevice::write_results(std::span<const RemoteWindows::Traffic> messages) {
    Session& session = device_->session();
    const SessionOptions& options = session.options();
    Result result = device_->finish();
    std::cerr << check::as_text(result.of_checkers, "PTOSIM_REPORT=FILE.json")
              << wasted_text(result) << count_text(result);
    if (!options.report.empty()) write_findings(result, options, std::cout, program_file());
    session.write_files(result);
    if (messages.empty()) messages = communicators_->traffic();
    write_messages(messages, number_ == 0 ? rank_of_environment() : number_, result, options.trace);
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

}  // namespace ptosim
