#include "sim/session/simulated_device.h"

#include <cstdlib>
#include <iostream>

namespace ptosim {

void misused(std::string what, std::string hint) {
    fail_input("I61", std::move(what), std::move(hint));
}

std::string printed_line(CoreId core, std::string_view line) {
    return "[" + name(core) + "] " + std::string(line);
}

void print_line(CoreId core, std::string_view line) {
    std::cout << printed_line(core, line) << "\n" << std::flush;
}

namespace {

SessionOptions without_banner(SessionOptions options) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return options;
}

}  // namespace

SimulatedDevice::SimulatedDevice(SessionOptions options, OptionSource source,
                                 std::unique_ptr<Chip> chip, Observer* observer)
    : session_{without_banner(std::move(options)), source, std::move(chip)} {
    if (observer != nullptr) session_.attach(observer);
    if (session_.settings().checks.any()) session_.observe();
}

void SimulatedDevice::require_running() const {
    if (ended_) misused("the device has finished", "call finish() last");
}

// ---- arrays -------------------------------------------------------------------------------

uint64_t SimulatedDevice::allocate(uint64_t bytes, const std::string& name, Allocation allocation) {
    if (bytes == 0) misused("an array of 0 bytes");
    const uint64_t room = allocation.room == 0 ? bytes : allocation.room;
    const uint64_t address = memory().allocate(room, name);
    if (checkers() != nullptr) checkers()->host_allocates(address, bytes, name, allocation.fresh);
    return address;
}

void SimulatedDevice::release(uint64_t address) {
    bytes_of(address, 0, 0);
    memory().release(address);
    if (checkers() != nullptr) checkers()->host_releases(address);
}

std::byte* SimulatedDevice::bytes_of(uint64_t address, uint64_t offset, uint64_t bytes,
                                     std::optional<uint64_t> size) {
    const GlobalMemory::Allocation* const found = memory().find(address);
    if (found == nullptr || found->address != address || found->size < size.value_or(0))
        misused("not a device array, or already freed");
    const uint64_t end = size.value_or(found->size);
    if (offset > end || bytes > end - offset)
        misused(std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                " of an array of " + std::to_string(end) + " bytes");
    return GlobalMemory::host(address) + offset;
}

void SimulatedDevice::host_wrote(const void* to, uint64_t bytes) {
    if (checkers() != nullptr) checkers()->host_writes(to, bytes);
}

void SimulatedDevice::host_read(const void* from, uint64_t bytes) {
    if (!ended_ && checkers() != nullptr) checkers()->host_reads(from, bytes);
}

// ---- kernels ------------------------------------------------------------------------------

const LoadedKernel& SimulatedDevice::load(KernelChoice choice) {
    require_running();
    choice.insert_flags = session_.options().sync == "insert";
    choice.report_accesses = session_.settings().checks.follows_pointers();
    return *kernels_.emplace_back(
        std::make_unique<const LoadedKernel>(load_kernel(choice, session_.model())));
}

void SimulatedDevice::require_launchable(const Kernel& kernel) const {
    require_running();
    // Effects of the interrupted cores are not undone.
    if (broken_)
        misused("kernel " + std::string(kernel.name()) +
                " is not run, because the device failed earlier");
}

LaunchResult SimulatedDevice::launch(const LoadedKernel& loaded,
                                     std::span<const ArgumentValue> arguments,
                                     Session::LaunchChoice choice, unsigned warm) {
    require_launchable(*loaded.kernel);
    choice.asks_for_block = loaded.asks_for_block;
    choice.remake = loaded.remake;
    return launch(*loaded.kernel, argument_words(*loaded.kernel, arguments), choice, warm);
}

LaunchResult SimulatedDevice::launch(const Kernel& kernel, KernelArguments words,
                                     const Session::LaunchChoice& choice, unsigned warm) {
    require_launchable(kernel);
    LaunchResult done;
    done.finished = true;
    for (unsigned i = 0; i < warm && done.finished; ++i)
        done = session_.rehearse(kernel, words, choice);
    if (done.finished) done = session_.launch(kernel, words, choice);
    broken_ = !done.finished;
    return done;
}

LaunchResult SimulatedDevice::launch(std::span<const LaunchPart> parts,
                                     const Session::LaunchChoice& choice) {
    for (const LaunchPart& part : parts) require_launchable(*part.kernel);
    LaunchResult done = session_.launch(parts, choice);
    broken_ = !done.finished;
    return done;
}

void SimulatedDevice::begin(std::span<const LaunchPart> parts,
                            const Session::LaunchChoice& choice) {
    for (const LaunchPart& part : parts) require_launchable(*part.kernel);
    session_.begin(parts, choice);
}

LaunchResult SimulatedDevice::end(std::span<const LaunchPart> parts) {
    LaunchResult done = session_.end(parts);
    broken_ = !done.finished;
    return done;
}

Result SimulatedDevice::finish() {
    require_running();
    ended_ = true;
    session_.observe();
    return session_.finish();
}

void SimulatedDevice::write_files(Result& result) {
    session_.write_files(result);
    session_.require_memory(result);
}

}  // namespace ptosim
