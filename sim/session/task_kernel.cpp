#include "sim/session/task_kernel.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>

#include "isa/core/arch.h"
#include "isa/core/input_file.h"
#include "isa/core/relayed_port.h"
#include "sim/compile/build.h"
#include "sim/machine/event/cycle.h"
#include "sim/native/kernel.h"

namespace ptosim {
namespace {

namespace fs = std::filesystem;

// A signal that has not come for so long is set by another task or chip.
constexpr uint64_t kAwaitedMilliseconds = 20;

// The position on its core, and the end of waits that nothing in this task ends.
class KeptTaskPort : public RelayedPort {
 public:
    KeptTaskPort(KernelPort& port, const BlockIdentity& identity, const NativeKernel& kernel, uint64_t clock_hz)
        : RelayedPort(port, identity), kernel_{kernel}, limit_{clock_hz / 1000 * kAwaitedMilliseconds} {}

    void issue(const Instruction& instruction) override {
        no_longer_awaits();
        RelayedPort::issue(instruction);
    }
    void awaits(const AwaitedSignal& signal) override {
        const Cycle now = port_.cycle();
        if (!awaited_ || awaited_->address != signal.address || awaited_->present != signal.present) since_ = now;
        awaited_ = signal;
        if (now - since_ > limit_) fail_waiting(signal);
    }
    void no_longer_awaits() override { awaited_.reset(); }
    // Compiled code may also poll a word itself.
    uint64_t load_global(uint64_t address, DType type, ScalarPath path, SourceLocation where) override {
        const uint64_t bits = RelayedPort::load_global(address, type, path, where);
        if (path != ScalarPath::kThroughCache) {
            if (address == polled_ && bits == seen_)
                awaits({address, static_cast<int32_t>(bits), awaited_ ? awaited_->condition : "", where});
            polled_ = address;
            seen_ = bits;
        }
        return bits;
    }

 private:
    [[noreturn]] void fail_waiting(const AwaitedSignal& signal) {
        const CoreId core{identity().core, static_cast<uint16_t>(core_index())};
        Diagnostic d = make_diagnostic(
            "E05", Category::kDeadlock,
            "deadlock: " + std::string(kernel_.name()) + " on " + name(core) + " waits for a word of global memory that is " +
                std::to_string(signal.present) +
                (signal.condition.empty() ? "" : ", and continues when it " + signal.condition) +
                "; nothing in this task sets it",
            "a kept task runs alone: find the task or chip that sets the word in a run of the whole program");
        d.core = name(core);
        kernel_.sources().locate(d, signal.where);
        throw DiagnosticError(std::move(d));
    }

    const NativeKernel& kernel_;
    const Cycle limit_;
    std::optional<AwaitedSignal> awaited_;
    Cycle since_ = 0;
    uint64_t polled_ = 0, seen_ = 0;
};

struct RunPart {
    CoreId core;  // of the launch
    BlockIdentity identity;
    uint64_t arguments = 0;
    std::unique_ptr<NativeModules> modules;
    std::unique_ptr<NativeKernel> kernel;
};

class TaskKernel : public Kernel {
 public:
    TaskKernel(const KeptTask& task, std::vector<RunPart> parts, std::shared_ptr<SourceMap> sources, uint64_t clock_hz)
        : name_{task.kernel}, parts_{std::move(parts)}, sources_{std::move(sources)}, clock_hz_{clock_hz} {
        for (const KeptTask::Array& array : task.arrays) {
            Parameter& parameter = parameters_.emplace_back();
            parameter.name = array.name;
            parameter.dtype = array.dtype;
        }
    }

    std::string_view name() const override { return name_; }
    const SourceMap& sources() const override { return *sources_; }
    std::span<const Parameter> parameters() const override { return parameters_; }
    bool runs_on(CoreType core) const override {
        const bool cluster = parts_.size() > 1;
        return cluster || parts_.front().core.type == core;
    }
    bool has_explicit_sync() const override { return true; }
    bool follows_pointers() const override { return true; }
    std::string_view unrecorded_source() const override {
        for (const RunPart& part : parts_)
            if (const std::string_view source = part.kernel->unrecorded_source(); !source.empty()) return source;
        return {};
    }
    void run(KernelPort& port, KernelArguments) const override {
        const CoreId core{port.identity().core, static_cast<uint16_t>(port.core_index())};
        for (const RunPart& part : parts_) {
            if (part.core != core) continue;
            KeptTaskPort own(port, part.identity, *part.kernel, clock_hz_);
            const uint64_t words[] = {part.arguments};
            part.kernel->run(own, words);
        }
    }

    const std::vector<RunPart>& parts() const { return parts_; }

 private:
    std::string name_;
    std::vector<RunPart> parts_;
    std::shared_ptr<SourceMap> sources_;
    std::vector<Parameter> parameters_;
    uint64_t clock_hz_;
};

// The images of a part, made again with the options of this run.
std::string built_again(const KeptTask::Part& part, const std::string& folder, const KernelChoice& choice) {
    std::vector<std::string> words{(fs::path(folder) / part.build.front()).string(), "-o", "kernels.so"};
    words.insert(words.end(), part.build.begin() + 1, part.build.end());
    if (choice.report_accesses) words.emplace_back("--report-accesses");
    if (choice.report_branches) words.emplace_back("--report-branches");
    if (choice.for_debugger) words.insert(words.end(), {"-g", "-O0"});
    return build_kernels(parse_build(words));
}

std::vector<NativeImage> images_of(const KeptTask::Part& part, const std::string& folder, const KernelChoice& choice) {
    if (!part.source.empty() && !part.build.empty()) {
        std::error_code error;
        if (fs::is_regular_file(part.source, error)) {
            const std::string library = built_again(part, folder, choice);
            return read_elf_images(library, part.source);
        }
        std::cerr << "warning: " << part.source << " is no longer there: the code of " << part.kernel
                  << " that has run is taken, whose lines may be unknown\n";
    }
    const std::string file = (fs::path(folder) / part.file).string();
    const std::string content = read_file(file, "I70");
    return read_images(std::as_bytes(std::span(content)), file);
}

// The position of a task on a core of the program (docs/programs.md): tasks of a2a3 do not know their sub-block.
BlockIdentity identity_of(CoreId core, unsigned aivs, Arch arch) {
    BlockIdentity identity;
    identity.core = core.type;
    if (core.type == CoreType::kAIC) return identity;
    identity.subblock = traits_of(arch).tasks_know_subblock ? core.index % aivs : 0;
    identity.subblocks = aivs;
    return identity;
}

}  // namespace

LoadedKernel load_task(const KernelChoice& choice, const ChipModel& chip) {
    const std::string& folder = choice.path;
    auto task = std::make_shared<const KeptTask>(read_task(folder));
    if (!choice.defines.empty() || !choice.includes.empty() || !choice.parameters.empty() || !choice.entry.empty() ||
        !choice.cores.empty() || choice.insert_flags || !choice.emit.empty())
        fail_input("I50", folder + " is a kept task: --define, --include, --param, --entry, --core, --sync insert and --emit do not apply",
                   "its kernels are compiled as in their program");
    const auto sources = std::make_shared<SourceMap>();
    const auto aivs = static_cast<unsigned>(chip.cluster.aivs.value());
    std::vector<RunPart> parts;
    LoadedKernel loaded;
    for (const KeptTask::Part& part : task->parts) {
        RunPart& made = parts.emplace_back();
        made.modules = std::make_unique<NativeModules>(images_of(part, folder, choice), part.kernel);
        made.kernel = made.modules->only(part.kernel, sources);
        if (!made.kernel || !made.kernel->runs_on(part.core.type))
            fail_input("I70", folder + ": " + part.kernel + " has no code for " + name(part.core), "keep the task again");
        if (made.modules->arch() != chip.arch)
            fail_input("H01", folder + ": was kept on " + std::string(name(made.modules->arch())) + ", and " + chip.name + " is " +
                                  std::string(name(chip.arch)),
                       "choose another --chip");
        made.identity = identity_of(part.core, aivs, chip.arch);
        // Alone, it runs on the first core.
        const bool second = task->parts.size() > 1 && part.core.type == CoreType::kAIV;
        made.core = {part.core.type, static_cast<uint16_t>(second ? part.core.index % aivs : 0)};
        made.arguments = part.arguments;
        loaded.compiled.push_back({made.core, made.kernel.get()});
    }
    loaded.asks_for_block = false;
    loaded.task = task;
    loaded.folder = folder;
    loaded.kernel = std::make_unique<TaskKernel>(*task, std::move(parts), sources, chip.clock.value());
    return loaded;
}

std::vector<Argument> restore_arguments(const LoadedKernel& loaded, std::span<const std::string> words, GlobalMemory& memory) {
    const KeptTask& task = *loaded.task;
    if (!words.empty())
        fail_input("I11", "--arg " + words.front() + ": a kept task has its own arguments", "remove --arg; --golden N=FILE compares one");
    restore_memory(loaded.folder, task, memory);
    std::vector<Argument> arguments;
    for (const KeptTask::Array& array : task.arrays) {
        Argument& argument = arguments.emplace_back();
        argument.spec = array.name;
        argument.output = array.written;
        argument.dtype = array.dtype;
        argument.shape = array.shape;
        argument.value = array.address;
    }
    return arguments;
}

}  // namespace ptosim
