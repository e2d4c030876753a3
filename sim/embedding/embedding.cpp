// The embedding API: a face of the session. The simulator's own types come first, by other names:
// those of the API hide them.
#include <iostream>

#include "sim/session/kernel_file.h"
#include "sim/session/result_text.h"
#include "sim/session/scalar_words.h"
#include "sim/session/session.h"

namespace ptosim::inside {
using Parameter = ptosim::Parameter;
using Result = ptosim::Result;
}  // namespace ptosim::inside

#include "ptosim/ptosim.hpp"

namespace ptosim {
inline namespace v1 {
namespace {

Finding finding_of(const Diagnostic& d) {
    Finding finding;
    finding.code = d.code;
    finding.category = ptosim::name(d.category);
    finding.message = d.message;
    finding.hint = d.hint;
    finding.file = d.file;
    finding.line = d.location.line;
    finding.column = d.location.column;
    finding.core = d.core;
    finding.pipe = d.pipe;
    finding.instruction = d.instruction;
    finding.operand = d.operand;
    finding.cycle = d.cycle;
    finding.count = d.count;
    finding.text = to_text(d);
    return finding;
}

std::vector<Finding> findings_of(const std::vector<Diagnostic>& diagnostics) {
    std::vector<Finding> findings;
    for (const Diagnostic& d : diagnostics) findings.push_back(finding_of(d));
    return findings;
}

// What is thrown inside is an Error outside.
template <class F>
auto translated(F&& function) {
    try {
        return function();
    } catch (const DiagnosticError& error) {
        throw Error(findings_of(error.diagnostics()));
    }
}

[[noreturn]] void misused(std::string what, std::string hint = {}) {
    fail_input("I61", std::move(what), std::move(hint));
}

SessionOptions session_options(const Chip& chip, const Options& options) {
    SessionOptions result;
    result.chip = chip.file();
    result.overrides = chip.overrides();
    result.mode = options.mode;
    result.numerics = options.numerics;
    result.sync = options.sync;
    result.check = options.check;
    result.check_memory = options.check_memory;
    result.suppress = options.suppress;
    result.threads = options.threads;
    result.trace = options.trace;
    result.trace_formats = options.trace_formats;
    result.keep_data = options.keep_data;
    return result;
}

// ---- arguments ----------------------------------------------------------------------------

uint64_t word_of(const inside::Parameter& parameter, size_t index, const Argument& argument) {
    const bool pointer = parameter.kind == inside::Parameter::Kind::kPointer;
    const bool address = argument.kind() == Argument::Kind::kAddress;
    if (pointer && !address) require_array(parameter, index);
    if (!pointer && address) require_number(parameter, index);
    if (pointer) return argument.integer();
    switch (argument.kind()) {
        case Argument::Kind::kReal:
            return scalar_word(parameter, index, Number::real(argument.real()));
        case Argument::Kind::kSigned:
            return scalar_word(parameter, index,
                               Number::signed_integer(static_cast<int64_t>(argument.integer())));
        default:
            return scalar_word(parameter, index, Number::unsigned_integer(argument.integer()));
    }
}

std::vector<uint64_t> words_of(const ptosim::LoadedKernel& loaded,
                               const std::vector<Argument>& arguments) {
    const auto parameters = loaded.kernel->parameters();
    require_count(*loaded.kernel, arguments.size());
    std::vector<uint64_t> words;
    for (size_t i = 0; i < arguments.size(); ++i)
        words.push_back(word_of(parameters[i], i, arguments[i]));
    return words;
}

Launch launch_of(const LaunchSummary& summary, uint64_t clock_hz) {
    Launch launch;
    launch.kernel = summary.kernel;
    launch.blocks = summary.blocks;
    launch.cycles = summary.cycles;
    launch.time_us = microseconds(summary.cycles, clock_hz);
    launch.instructions = summary.instructions;
    launch.finished = summary.finished;
    return launch;
}

}  // namespace

Error::Error(std::vector<Finding> findings)
    : std::runtime_error(findings.empty() ? std::string("ptosim") : findings.front().message),
      findings_(std::move(findings)) {}
Error::~Error() = default;

// ---- chips --------------------------------------------------------------------------------

Chip::Chip(std::string name_or_file) : file_{std::move(name_or_file)} { read({}); }

void Chip::read(const std::vector<std::string>& overrides) {
    translated([&] {
        const ChipModel model = load_chip(file_, overrides);
        name_ = model.name;
        clock_hz_ = model.clock;
        clusters_ = static_cast<unsigned>(model.clusters);
        aivs_per_cluster_ = static_cast<unsigned>(model.cluster.aivs);
    });
    overrides_ = overrides;
}

Chip& Chip::set(const std::string& path, const std::string& value) {
    std::vector<std::string> overrides = overrides_;
    overrides.push_back(path + "=" + value);
    read(overrides);
    return *this;
}

std::vector<std::string> Chip::names() {
    return translated([] { return chip_names(); });
}

// ---- kernels ------------------------------------------------------------------------------

struct Kernel::Loaded {
    LoadedKernel machine;
    std::string name;
    std::vector<Parameter> parameters;
};

const std::string& Kernel::name() const noexcept { return loaded_->name; }
const std::vector<Parameter>& Kernel::parameters() const noexcept { return loaded_->parameters; }

// ---- the device ---------------------------------------------------------------------------

struct Device::State {
    explicit State(SessionOptions options) : session(std::move(options), OptionSource::kProgram) {
        // Memory is watched from its allocation; without checkers the first launch decides.
        if (session.settings().checks.any()) session.observe();
    }

    std::shared_ptr<const Kernel::Loaded> load(KernelChoice choice) {
        auto loaded = std::make_shared<Kernel::Loaded>();
        choice.insert_flags = session.options().sync == "insert";
        choice.report_accesses = session.settings().checks.follows_pointers();
        loaded->machine = load_kernel(choice, session.model());
        loaded->name = loaded->machine.kernel->name();
        for (const inside::Parameter& parameter : loaded->machine.kernel->parameters())
            loaded->parameters.push_back({parameter.name,
                                          parameter.kind == inside::Parameter::Kind::kPointer,
                                          std::string(ptosim::name(parameter.dtype)),
                                          parameter.elements, parameter.untyped});
        return loaded;
    }

    void require_running() const {
        if (ended) misused("the device has finished", "call finish() last");
    }

    std::byte* bytes_of(const Array& array, uint64_t bytes, uint64_t offset) const {
        const GlobalMemory::Allocation* const found = memory().find(array.address);
        if (found == nullptr || found->address != array.address || found->size < array.bytes)
            misused("this is no array of the device, or has been released");
        if (offset > array.bytes || bytes > array.bytes - offset)
            misused(std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                    " of an array of " + std::to_string(array.bytes) + " bytes");
        return GlobalMemory::host(array.address) + offset;
    }
    GlobalMemory& memory() const { return const_cast<Session&>(session).memory(); }

    Session session;
    bool ended = false;
    bool broken = false;  // a launch did not finish
    unsigned arrays = 0;
    std::vector<std::shared_ptr<const Kernel::Loaded>> kernels;  // recordings name their lines
};

Device::Device(const Chip& chip, const Options& options) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    translated([&] { state_ = std::make_unique<State>(session_options(chip, options)); });
}

Device::~Device() = default;

Kernel Device::load(const std::string& file, const KernelOptions& options) {
    return translated([&] {
        state_->require_running();
        KernelChoice choice;
        choice.path = file;
        choice.entry = options.entry;
        choice.parameters = options.parameters;
        choice.defines = options.defines;
        choice.includes = options.includes;
        choice.cores = options.cores;
        Kernel kernel;
        kernel.loaded_ = state_->kernels.emplace_back(state_->load(std::move(choice)));
        return kernel;
    });
}

Kernel Device::load_text(const std::string& text, const KernelOptions& options) {
    return translated([&] {
        state_->require_running();
        KernelChoice choice;
        choice.path = options.name;
        choice.text = text;
        choice.entry = options.entry;
        choice.parameters = options.parameters;
        Kernel kernel;
        kernel.loaded_ = state_->kernels.emplace_back(state_->load(std::move(choice)));
        return kernel;
    });
}

Array Device::allocate(uint64_t bytes) {
    return translated([&]() -> Array {
        state_->require_running();
        if (bytes == 0) misused("an array of 0 bytes");
        const std::string name = "array " + std::to_string(++state_->arrays);
        const uint64_t address = state_->memory().allocate(bytes, name);
        if (auto* checkers = state_->session.checkers())
            checkers->host_allocates(address, bytes, name);
        return {address, bytes};
    });
}

void Device::release(const Array& array) {
    translated([&] {
        state_->bytes_of(array, 0, 0);
        state_->memory().release(array.address);
        if (auto* checkers = state_->session.checkers()) checkers->host_releases(array.address);
    });
}

void Device::write(const Array& array, const void* from, uint64_t bytes, uint64_t offset) {
    translated([&] {
        state_->require_running();
        std::byte* const to = state_->bytes_of(array, bytes, offset);
        std::memcpy(to, from, bytes);
        if (auto* checkers = state_->session.checkers()) checkers->host_writes(to, bytes);
    });
}

void Device::read(const Array& array, void* to, uint64_t bytes, uint64_t offset) const {
    translated([&] {
        const std::byte* const from = state_->bytes_of(array, bytes, offset);
        std::memcpy(to, from, bytes);
        if (state_->ended) return;
        if (auto* checkers = state_->session.checkers()) checkers->host_reads(from);
    });
}

Launch Device::launch(const Kernel& kernel, const std::vector<Argument>& arguments,
                      unsigned blocks) {
    return translated([&] {
        state_->require_running();
        const LoadedKernel& loaded = kernel.loaded_->machine;
        // What the cores were doing is not undone.
        if (state_->broken)
            misused("kernel " + kernel.name() + " is not run: the device has failed before");
        const std::vector<uint64_t> words = words_of(loaded, arguments);
        const auto print = [](CoreId core, std::string_view line) {
            std::cout << "[" << ptosim::name(core) << "] " << line << "\n" << std::flush;
        };
        const LaunchResult done = state_->session.launch(
            *loaded.kernel, words,
            {.blocks = blocks, .asks_for_block = loaded.asks_for_block, .print = print});
        state_->broken = !done.finished;
        Launch launch = launch_of({std::string(loaded.kernel->name()), done.blocks, done.cycles,
                                   done.instructions, done.finished},
                                  state_->session.model().clock);
        launch.findings = findings_of(done.diagnostics);
        return launch;
    });
}

Result Device::finish() {
    return translated([&] {
        state_->require_running();
        state_->ended = true;
        state_->session.observe();  // nothing was launched: there is a result all the same
        inside::Result found = state_->session.finish();
        state_->session.write_files(found);
        state_->session.require_memory(found);
        Result result;
        result.chip = found.chip;
        for (const LaunchSummary& launch : found.launches)
            result.launches.push_back(launch_of(launch, found.clock_hz));
        result.cycles = found.cycles;
        result.time_us = microseconds(found.cycles, found.clock_hz);
        result.instructions = found.instructions();
        result.findings = findings_of(found.findings);
        result.assumed = found.assumed;
        for (const std::filesystem::path& file : found.files) result.files.push_back(file.string());
        result.summary = summary_text(found);
        result.json = to_json(found);
        result.exit_code = exit_code(found);
        return result;
    });
}

}  // namespace v1
}  // namespace ptosim
