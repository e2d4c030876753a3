// The device of a program: a session with arrays, kernels, launches and a result. The acl calls (sim/faces/host), the
// embedding API and Python's devices are interfaces to it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/session/argument_words.h"
#include "sim/session/kernel_file.h"
#include "sim/session/session.h"

namespace ptosim {

// Throws DiagnosticError (I61) for a call that the caller should not have made.
[[noreturn]] void misused(std::string what, std::string hint = {});

// A line printed by a kernel: "[core] line".
std::string printed_line(CoreId core, std::string_view line);
// Prints it to standard output.
void print_line(CoreId core, std::string_view line);

class SimulatedDevice {
 public:
    // `chip`: made before by make_chip(), or null. `observer`: a further observer of all launches, or null. Checkers
    // observe memory from its allocation; without them the first launch begins to observe.
    SimulatedDevice(SessionOptions options, OptionSource source,
                    std::unique_ptr<Chip> chip = nullptr, Observer* observer = nullptr);

    Session& session() { return session_; }
    const Session& session() const { return session_; }
    const ChipModel& model() const { return session_.model(); }
    GlobalMemory& memory() { return session_.memory(); }
    // Null unless checkers were chosen.
    check::Checkers* checkers() { return session_.checkers(); }

    bool ended() const { return ended_; }    // finish() was called
    bool broken() const { return broken_; }  // a launch did not finish, so no further one starts
    // Throws DiagnosticError (I61) after finish().
    void require_running() const;

    // ---- arrays: addresses in device memory. All throw DiagnosticError (I61).

    struct Allocation {
        std::byte fresh{};  // initial value of its bytes, which are undefined for checkers
        uint64_t room = 0;  // bytes to allocate, at least the array's size; 0: its size
    };
    uint64_t allocate(uint64_t bytes, const std::string& name, Allocation allocation);
    uint64_t allocate(uint64_t bytes, const std::string& name) {
        return allocate(bytes, name, {});
    }
    void release(uint64_t address);
    // The host's pointer to bytes of an array. `size`: of the array, if the caller knows it.
    std::byte* bytes_of(uint64_t address, uint64_t offset, uint64_t bytes,
                        std::optional<uint64_t> size = {});
    // These report an access of the host to checkers.
    void host_wrote(const void* to, uint64_t bytes);
    void host_read(const void* from, uint64_t bytes);

    // ---- kernels

    // Sets the options of `choice` that follow from the session's. The kernel lives as long as the device, because
    // recordings refer to its lines.
    const LoadedKernel& load(KernelChoice choice);
    // One argument for each parameter. `warm`: number of preceding rehearsals. Throws DiagnosticError (I61) for
    // arguments that do not fit, and on a device that is broken or has finished.
    LaunchResult launch(const LoadedKernel& loaded, std::span<const ArgumentValue> arguments,
                        Session::LaunchChoice choice, unsigned warm = 0);
    LaunchResult launch(const Kernel& kernel, KernelArguments words,
                        const Session::LaunchChoice& choice, unsigned warm = 0);
    // Runs several kernels that may run at once.
    LaunchResult launch(std::span<const LaunchPart> parts, const Session::LaunchChoice& choice);
    // The same in steps, for devices that share an event queue.
    void begin(std::span<const LaunchPart> parts, const Session::LaunchChoice& choice);
    LaunchResult end(std::span<const LaunchPart> parts);

    // The last call except reads. There is a result even if nothing was launched.
    Result finish();
    // Writes the files that are made from the recording. Throws DiagnosticError (I31) if the checkers ran out of
    // memory.
    void write_files(Result& result);

 private:
    void require_launchable(const Kernel& kernel) const;

    Session session_;
    bool ended_ = false;
    bool broken_ = false;
    std::vector<std::unique_ptr<const LoadedKernel>> kernels_;
};

}  // namespace ptosim
