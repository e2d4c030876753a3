// The embedding API: an interface to the device. The simulator's own types first get other names, because types of the
// API hide them.
#include <cstring>

#include "sim/session/cost_process.h"
#include "sim/session/option_rows.h"
#include "sim/session/result_text.h"
#include "sim/session/simulated_device.h"

namespace ptosim::inside {
using Parameter = ptosim::Parameter;
using Result = ptosim::Result;
using Fragment = ptosim::Fragment;
using CostOracle = ptosim::CostOracle;
using OptionRow = ptosim::OptionRow;
using CommandOptions = ptosim::CommandOptions;
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

// Converts exceptions of the simulator to Error.
template <class F>
auto translated(F&& function) {
    try {
        return function();
    } catch (const DiagnosticError& error) {
        throw Error(findings_of(error.diagnostics()));
    }
}

// Takes the members of ptosim::Options over. Its members are the rows that options.def marks as embedded.
template <class Given>
SessionOptions session_options(const Chip& chip, const Given& options) {
    SessionOptions result;
    result.chip = chip.file();
    result.overrides = chip.overrides();
#define PTOSIM_OPTION(type, member_name, value, ...)                                      \
    {                                                                                     \
        constexpr inside::OptionRow row{.name = #member_name,                             \
                                        .member = &inside::CommandOptions::member_name,   \
                                        .of_session = true,                               \
                                        __VA_ARGS__};                                     \
        static_assert(row.embedded == requires { options.member_name; }, #member_name);   \
        if constexpr (row.embedded) result.member_name = options.member_name;             \
    }
#include "sim/session/options.def"
    return result;
}

// ---- arguments ----------------------------------------------------------------------------

ArgumentValue value_of(const Argument& argument) {
    const uint64_t integer = argument.integer();
    switch (argument.kind()) {
        case Argument::Kind::kAddress:
            return ArgumentValue::pointer(integer);
        case Argument::Kind::kReal:
            return ArgumentValue::scalar(Number::real(argument.real()));
        case Argument::Kind::kSigned:
            return ArgumentValue::scalar(Number::signed_integer(static_cast<int64_t>(integer)));
        default:
            return ArgumentValue::scalar(Number::unsigned_integer(integer));
    }
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
    explicit Loaded(const LoadedKernel& loaded)
        : machine{loaded}, name{loaded.kernel->name()} {
        for (const inside::Parameter& parameter : loaded.kernel->parameters())
            parameters.push_back({parameter.name,
                                  parameter.kind == inside::Parameter::Kind::kPointer,
                                  std::string(ptosim::name(parameter.dtype)), parameter.elements,
                                  parameter.untyped});
    }

    const LoadedKernel& machine;  // lives as long as the device
    std::string name;
    std::vector<Parameter> parameters;
};

const std::string& Kernel::name() const noexcept { return loaded_->name; }
const std::vector<Parameter>& Kernel::parameters() const noexcept { return loaded_->parameters; }

// ---- the device ---------------------------------------------------------------------------

struct Device::State {
    explicit State(SessionOptions options) : device(std::move(options), OptionSource::kProgram) {}

    std::byte* bytes_of(const Array& array, uint64_t bytes, uint64_t offset) {
        return device.bytes_of(array.address, offset, bytes, array.bytes);
    }

    SimulatedDevice device;
    unsigned arrays = 0;
};

Device::Device(const Chip& chip, const Options& options) {
    translated([&] { state_ = std::make_unique<State>(session_options(chip, options)); });
}

Device::~Device() = default;

Kernel Device::load(const std::string& file, const KernelOptions& options) {
    return translated([&] {
        KernelChoice choice;
        choice.path = file;
        choice.entry = options.entry;
        choice.parameters = options.parameters;
        choice.defines = options.defines;
        choice.includes = options.includes;
        choice.cores = options.cores;
        Kernel kernel;
        kernel.loaded_ =
            std::make_shared<const Kernel::Loaded>(state_->device.load(std::move(choice)));
        return kernel;
    });
}

Kernel Device::load_text(const std::string& text, const KernelOptions& options) {
    return translated([&] {
        KernelChoice choice;
        choice.path = options.name;
        choice.text = text;
        choice.entry = options.entry;
        choice.parameters = options.parameters;
        Kernel kernel;
        kernel.loaded_ =
            std::make_shared<const Kernel::Loaded>(state_->device.load(std::move(choice)));
        return kernel;
    });
}

Array Device::allocate(uint64_t bytes) {
    return translated([&]() -> Array {
        state_->device.require_running();
        const std::string name = "array " + std::to_string(state_->arrays + 1);
        const uint64_t address = state_->device.allocate(bytes, name);
        ++state_->arrays;
        return {address, bytes};
    });
}

void Device::release(const Array& array) {
    translated([&] {
        state_->bytes_of(array, 0, 0);
        state_->device.release(array.address);
    });
}

void Device::write(const Array& array, const void* from, uint64_t bytes, uint64_t offset) {
    translated([&] {
        state_->device.require_running();
        std::byte* const to = state_->bytes_of(array, bytes, offset);
        std::memcpy(to, from, bytes);
        state_->device.host_wrote(to, bytes);
    });
}

void Device::read(const Array& array, void* to, uint64_t bytes, uint64_t offset) const {
    translated([&] {
        const std::byte* const from = state_->bytes_of(array, bytes, offset);
        std::memcpy(to, from, bytes);
        state_->device.host_read(from, bytes);
    });
}

Launch Device::launch(const Kernel& kernel, const std::vector<Argument>& arguments,
                      unsigned blocks) {
    return translated([&] {
        std::vector<ArgumentValue> values;
        for (const Argument& argument : arguments) values.push_back(value_of(argument));
        SimulatedDevice& device = state_->device;
        const LaunchResult done = device.launch(kernel.loaded_->machine, values,
                                                {.blocks = blocks, .print = &print_line});
        Launch launch = launch_of(
            {kernel.name(), done.blocks, done.cycles, done.instructions, done.finished},
            device.model().clock);
        launch.findings = findings_of(done.diagnostics);
        return launch;
    });
}

Result Device::finish() {
    return translated([&] {
        inside::Result found = state_->device.finish();
        state_->device.write_files(found);
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

// ---- fragments ------------------------------------------------------------------------------

struct CostOracle::State {
    explicit State(const SessionOptions& options) : oracle{options} {}
    inside::CostOracle oracle;
};

CostOracle::CostOracle(const Chip& chip)
    : state_{translated([&] {
          return std::make_unique<State>(session_options(chip, Options{}));
      })} {}
CostOracle::~CostOracle() = default;

Cost CostOracle::cost(const Fragment& fragment) {
    return translated([&] {
        if (fragment.memory != "l2" && fragment.memory != "hbm")
            fail_input("I61", "the memory of a fragment is '" + fragment.memory + "', not l2 or hbm");
        inside::Fragment asked{fragment.text,   fragment.tiles, fragment.arrays,
                               fragment.values, fragment.core,  fragment.repeat};
        asked.from_l2 = fragment.memory == "l2";
        const FragmentCost found = state_->oracle.cost(asked);
        return Cost{found.cycles, microseconds(found.cycles, state_->oracle.model().clock),
                    found.instructions};
    });
}

std::string CostOracle::answer(const std::string& line) {
    return translated([&] { return state_->oracle.answer(line); });
}

}  // namespace v1
}  // namespace ptosim
