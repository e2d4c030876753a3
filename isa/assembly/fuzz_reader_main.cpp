// A fuzzing target (libFuzzer) for everything between text and instructions. It reads any bytes as a `.pto` file, binds
// it for each architecture, runs bound programs on a core that only records, and inserts addresses and flags, after
// which it must bind again.
//
// It finds crashes, hangs, leaks, and errors reported by the sanitizers. A DiagnosticError is the right answer to
// nearly every input.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "isa/assembly/bind/recording_port.h"
#include "isa/assembly/sync/explicit_form.h"
#include "tests/fuzz/time_limit.h"

namespace ptosim::assembly {
namespace {

constexpr uint64_t kMostWork = 1 << 13;
constexpr uint64_t kArgument = 4096;
constexpr size_t kMostSteps = 1000;  // flags for more take longer than a try should

void run_on(const AssemblyKernel& kernel, CoreType core) {
    if (!kernel.runs_on(core)) return;
    RecordingPort port;
    port.block = {core, 0, 1, 0, core == CoreType::kAIV ? 2u : 1u};
    port.work_limit = kMostWork;
    const std::vector<uint64_t> arguments(kernel.parameters().size(), kArgument);
    try {
        kernel.run(port, arguments);
    } catch (const DiagnosticError&) {
    } catch (const RecordingPort::Stopped&) {
    }
}

void bind_and_run(const Module& module, const std::string& entry, Arch arch) {
    BindOptions options = test_options();
    options.arch = arch;
    options.entry = entry;
    ExplicitForm form;
    try {
        const auto kernel = bind(module, options);
        run_on(*kernel, CoreType::kAIC);
        run_on(*kernel, CoreType::kAIV);
        if (kernel->program().steps.size() > kMostSteps) return;
        form = make_explicit(module, options, true);
    } catch (const DiagnosticError&) {
        return;
    }
    bind_explicit(module, options, form);
}

void read(std::string text) {
    std::unique_ptr<Module> module;
    try {
        module = parse("fuzz.pto", std::move(text));
    } catch (const DiagnosticError&) {
        return;
    }
    declared_arch(*module);
    std::vector<std::string> entries = entry_names(*module);
    entries.resize(std::min<size_t>(entries.size(), 2));
    entries.emplace_back();
    for (const std::string& entry : entries) {
        bind_and_run(*module, entry, Arch::kA2A3);
        bind_and_run(*module, entry, Arch::kA5);
    }
}

}  // namespace
}  // namespace ptosim::assembly

extern "C" __attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t* data,
                                                                             size_t size) {
    const ptosim::fuzz::TimeLimit limit;
    ptosim::assembly::read(std::string(reinterpret_cast<const char*>(data), size));
    return 0;
}
