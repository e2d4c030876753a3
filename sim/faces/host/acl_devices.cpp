#include "sim/faces/host/acl_devices.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <list>
#include <utility>

#include "acl/acl.h"
#include "isa/core/arch.h"
#include "sim/faces/host/host_error.h"
#include "sim/files/output_file.h"
#include "sim/native/crash_guard.h"
#include "sim/session/variables.h"
#include "traces/write/chips_trace.h"

namespace ptosim {
namespace {

AclDevices* made_devices = nullptr;
thread_local unsigned current_of_thread = 0;

std::vector<NativeImage>& known_images() {
    static auto& images = *new std::vector<NativeImage>;
    return images;
}

// If the host has used an address of a device, explains that.
void explain_crash(uint64_t address) {
    if (made_devices == nullptr ||
        made_devices->device_of(reinterpret_cast<const void*>(address)) == nullptr)
        return;
    constexpr char kText[] =
        "error: the host dereferenced a device pointer [H23]\n  help: copy the data with "
        "aclrtMemcpy; only kernels can "
        "use device memory directly\n";
    if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) return;
}

// As mpirun sets it; 1 without ranks.
uint32_t ranks_of_environment() {
    const char* const ranks = std::getenv("PMI_SIZE");
    const long count = ranks == nullptr ? 1 : std::strtol(ranks, nullptr, 10);
    return static_cast<uint32_t>(std::clamp<long>(count, 1, MeetingPages::kMostRanks));
}

}  // namespace

// ---- life ---------------------------------------------------------------------------------

AclDevices* AclDevices::made() { return made_devices; }

AclDevices& AclDevices::get() {
    // Live until the process ends, because other objects of the program may still use them during
    // their destruction.
    static AclDevices* const devices = [] {
        try {
            auto* const all = new AclDevices;
            made_devices = all;
            return all;
        } catch (const DiagnosticError& failure) {
            for (const Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
            std::exit(2);
        }
    }();
    return *devices;
}

void AclDevices::add_images(std::vector<NativeImage> images) {
    if (made_devices != nullptr) {
        const std::lock_guard lock(made_devices->mutex_);
        made_devices->modules_->add(std::move(images), "a library of this program");
        return;
    }
    for (NativeImage& image : images) known_images().push_back(std::move(image));
}

AclDevices::AclDevices()
    : modules_{std::make_unique<NativeModules>(std::move(known_images()), "this program")},
      options_{options_from_environment()},
      has_ranks_{std::getenv("PMI_RANK") != nullptr},
      count_{ranks_of_environment()} {
    std::cerr << unknown_variables();
    if (const char* const name = std::getenv("PTOSIM_SYSTEM"); name != nullptr && *name != 0)
        system_ = load_system(name, options_.overrides);
    // One device: its launches can be repeated by processes that fork from this one.
    if (!system_ && !has_ranks_ && count_ <= 1) {
        options_.causes = true;
        options_.rerun = !options_.trace.empty() && options_.mode != "functional";
    }
    if (options_.chip.empty() && system_) options_.chip = system_->chip;
    if (options_.chip.empty()) options_.chip = traits_of(modules_->arch()).default_chip;
    if (system_ && options_.mode == "functional")
        fail_input(
            "H20",
            "PTOSIM_SYSTEM: a common clock needs time, which PTOSIM_MODE=functional has none of",
            "unset one of the two");
    if (system_ && !has_ranks_ && system_->devices() > 1) {
        count_ =
            std::min<uint32_t>(static_cast<uint32_t>(system_->devices()), MeetingPages::kMostRanks);
        setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
        event_queue_ = std::make_unique<EventQueue>("event_queue");
        chips_ = make_chips(options_, count_, *event_queue_);
        for (const auto& chip : chips_) all_chips_.push_back(chip.get());
    }
    make(0);
    set_crash_explanation(&explain_crash);
    on_exit([](int status, void*) { AclDevices::get().finish(status); }, nullptr);
}

// Each rank and each of several devices has separate files.
SessionOptions AclDevices::options_of(unsigned number) const {
    SessionOptions options = options_;
    const char* const rank = std::getenv("PMI_RANK");
    if (count_ == 1 || (rank == nullptr && !may_be_several())) return options;
    const std::string chip =
        "chip" + (rank == nullptr ? std::to_string(number) : std::string(rank));
    if (!options.trace.empty())
        options.trace = (std::filesystem::path(options.trace) / chip).string();
    for (std::string* const file : {&options.json, &options.report}) {
        if (file->empty() || *file == "-") continue;
        const std::filesystem::path path = *file;
        *file =
            (path.parent_path() / (path.stem().string() + "." + chip + path.extension().string()))
                .string();
    }
    return options;
}

AclDevice& AclDevices::make(unsigned number) {
    std::unique_ptr<AclDevice>& device = devices_[number];
    std::unique_ptr<Chip> chip = chips_.empty() ? nullptr : std::move(chips_[number]);
    device =
        std::make_unique<AclDevice>(*this, number, options_of(number), std::move(chip), system_);
    return *device;
}

void AclDevices::join(AclDevice& device) {
    device.device().session().join(&group_->windows(device.number()));
    if (!options_.trace.empty()) group_->windows(device.number()).note_traffic();
    device.memory().join(*group_, device.number());
}

// The process ends: writes the recordings; the findings determine the status.
void AclDevices::finish(int status) {
    const SizeSignalHeld held;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [number, device] : devices_) device->end();
    }
    ExitCode code = kOk;
    bool failed = false;
    for (const auto& [number, device] : devices_) {
        try {
            device->report_leaks();
            const std::span<const RemoteWindows::Traffic> traffic =
                group_ ? group_->windows(number).traffic()
                       : std::span<const RemoteWindows::Traffic>();
            code = std::max(code, device->write_results(traffic));
        } catch (const DiagnosticError& failure) {
            for (const Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
            code = kInputUnusable;
        }
        failed = failed || device->failed();
    }
    if (group_ && !options_.trace.empty())
        write_chips_trace(options_.trace, static_cast<unsigned>(devices_.size()));
    if (code == kOk && failed) code = kKernelWrong;
    if (code == kOk || (status != 0 && code != kInputUnusable)) return;
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    _exit(code);
}

// ---- devices ------------------------------------------------------------------------------

AclDevice& AclDevices::current() {
    threads_.come();
    return *devices_.at(current_of_thread);
}

int32_t AclDevices::current_number() const {
    return has_ranks_ ? number_.value_or(0) : static_cast<int32_t>(current_of_thread);
}

void AclDevices::require(int32_t number, const char* call) const {
    if (number >= 0 && static_cast<uint32_t>(number) < count_) return;
    const bool one = count_ == 1;
    throw host_error(
        ACL_ERROR_RT_INVALID_DEVICEID,
        std::string(call) + ": no device " + std::to_string(number) + "; " +
            (one ? "this process has device 0"
                 : "there are devices 0 to " + std::to_string(count_ - 1)),
        has_ranks_
            ? "each device is a process, one for each rank: start more ranks with mpirun -n"
            : "choose a system with more of them, e.g. PTOSIM_SYSTEM=host910b, or start a process "
              "for each rank with mpirun -n");
}

void AclDevices::set_current(int32_t number, const char* call) {
    require(number, call);
    if (!may_be_several()) {
        if (number_.value_or(number) != number)
            throw host_error(ACL_ERROR_RT_INVALID_DEVICEID,
                             std::string(call) + ": this process has device " +
                                 std::to_string(*number_) + ", and cannot have device " +
                                 std::to_string(number) + ", too",
                             "start a process for each device");
        number_ = number;
        return;
    }
    const auto wanted = static_cast<unsigned>(number);
    if (!devices_.contains(wanted)) {
        make(wanted);
        if (!group_) {
            group_.emplace(*event_queue_, all_chips_, *system_);
            for (const auto& [other, device] : devices_) join(*device);
        } else {
            join(*devices_[wanted]);
        }
    }
    current_of_thread = wanted;
}

AclDevice* AclDevices::device_of(const void* pointer) {
    for (const auto& [number, device] : devices_)
        if (device->device_memory().reserves(reinterpret_cast<uint64_t>(pointer)))
            return device.get();
    return nullptr;
}

AclDevice* AclDevices::other_device_with_event(void* event) {
    for (const auto& [number, device] : devices_)
        if (number != current_of_thread && device->streams().has_event(event)) return device.get();
    return nullptr;
}

void AclDevices::set_access(int32_t peer, bool usable, const char* call) {
    require(peer, call);
    const unsigned own = current_of_thread;
    const auto other = static_cast<unsigned>(peer);
    if (has_ranks_)
        throw host_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                         std::string(call) + ": device " + std::to_string(peer) +
                             " belongs to the process of another rank",
                         "kernels use the windows of other ranks: HcclAllocComResourceByTiling");
    if (other == own)
        throw host_error(ACL_ERROR_RT_INVALID_DEVICEID,
                         std::string(call) + ": device " + std::to_string(peer) + " is this one",
                         "pass the number of another device of this process");
    if (!devices_.contains(
            other)) {  // its memory, in which kernels of this device may look, exists from now on
        set_current(peer, call);
        current_of_thread = own;
    }
    group_->set_access(own, other, usable);
}

bool AclDevices::can_access(int32_t device, int32_t peer, const char* call) const {
    require(device, call);
    require(peer, call);
    return device != peer && may_be_several();
}

// ---- launches -----------------------------------------------------------------------------

// Takes the results of launches that have ended, or of all.
void AclDevices::end_launches(bool all) {
    for (const auto& [number, device] : devices_)
        if (device->launched() && (all || device->device().session().chip().ended())) {
            device->end_launched();
            threads_.release(device.get());
        }
}

// Runs launches of all devices until one of them has ended. Returns false if nothing moves any
// more.
bool AclDevices::run_launches() {
    std::list<Opened> opened;
    for (const auto& [number, device] : devices_) opened.emplace_back(device->device_memory());
    for (const auto& [number, device] : devices_) device->begin_pending();
    catch_kernel_faults();
    if (!group_->run()) return false;
    do end_launches(false);
    while (group_->settle());
    return true;
}

// Launches of other devices may still run afterwards.
void AclDevices::run_until_ended(AclDevice& wanted) {
    HostThreads::Wait waiting(threads_, &wanted);
    for (; wanted.launched() || wanted.has_pending(); waiting.resume()) {
        if (!threads_.all_wait(mutex_)) continue;
        if (!run_launches() && !threads_.await_call(mutex_)) {
            group_->fail();
            end_launches(true);
        }
        threads_.notify();
    }
    group_->note_wait(wanted.number());
}

}  // namespace ptosim

void ptosim_register_images(const void* begin, const void* end) {
    const auto* first = static_cast<const std::byte*>(begin);
    const auto* last = static_cast<const std::byte*>(end);
    try {
        ptosim::AclDevices::add_images(ptosim::read_images({first, last}, "this program"));
    } catch (const ptosim::DiagnosticError& failure) {
        for (const ptosim::Diagnostic& d : failure.diagnostics()) std::cerr << to_text(d);
        std::_Exit(2);
    }
}
