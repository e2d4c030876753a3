#include "sim/session/path_run.h"

#include <algorithm>
#include <cstring>

#include "isa/assembly/program/interpreter.h"
#include "sim/check/checkers.h"
#include "sim/check/findings.h"
#include "sim/files/json.h"
#include "sim/session/diagnostic_json.h"
#include "sim/session/scope.h"

namespace ptosim {
namespace {

using assembly::StepCode;

constexpr uint64_t kTimesMore = 16;  // factor for the room of an array, which is at least kLeastRoom
constexpr uint64_t kLeastRoom = uint64_t{64} << 20;
constexpr uint64_t kMostCopied = uint64_t{64} << 20;  // bytes of all arrays; larger ones are not moved

// Without data, elements of tiles cannot be read, and elements of global memory keep their initial values.
bool needs_data(const assembly::Program& program) {
    return std::any_of(program.steps.begin(), program.steps.end(), [](const assembly::Step& step) {
        return step.code == StepCode::kLoadLocal || step.code == StepCode::kLoadGlobal ||
               step.code == StepCode::kSignal;
    });
}

void give_room(const Kernel& kernel, GlobalMemory& memory, std::vector<uint64_t>& arguments) {
    uint64_t all = 0;
    for (const auto& [address, allocation] : memory.allocations()) all += allocation.size;
    if (all > kMostCopied) return;
    const std::span<const Parameter> parameters = kernel.parameters();
    std::map<uint64_t, uint64_t> moved;
    for (size_t i = 0; i < arguments.size() && i < parameters.size(); ++i) {
        if (parameters[i].kind != Parameter::Kind::kPointer) continue;
        const GlobalMemory::Allocation* const found = memory.find(arguments[i]);
        if (found == nullptr || arguments[i] != found->address) continue;
        const GlobalMemory::Allocation array = *found;
        const auto [entry, is_new] = moved.try_emplace(array.address);
        if (is_new) {
            const uint64_t room = std::max(kLeastRoom, kTimesMore * array.size);
            entry->second = memory.allocate(room, array.name);
            std::memcpy(GlobalMemory::host(entry->second), GlobalMemory::host(array.address),
                        array.size);
        }
        arguments[i] = entry->second;
    }
}

}  // namespace

std::string pack(const PathRun& run) {
    return dump_json(Json{{"launch", pack(run.findings, run.finished)},
                          {"instructions", run.instructions},
                          {"lines", run.lines},
                          {"executed", run.counts.executed},
                          {"jumped", run.counts.jumped}});
}

std::string pack(const assembly::PathChoice& choice) {
    Json forced = Json::array();
    for (const assembly::ForcedStep& one : choice.forced) forced.push_back({one.step, one.value});
    return dump_json(
        Json{{"arguments", choice.arguments}, {"blocks", choice.blocks}, {"forced", forced}});
}

assembly::PathChoice unpack_path_choice(std::string_view text) {
    const auto json = parse_json(text);
    assembly::PathChoice choice;
    json.at("arguments").get_to(choice.arguments);
    json.at("blocks").get_to(choice.blocks);
    for (const auto& one : json.at("forced")) choice.forced.push_back({one.at(0), one.at(1)});
    return choice;
}

PathRun unpack_path_run(std::string_view text) {
    const auto json = parse_json(text);
    PathRun run;
    run.findings = unpack_diagnostics(json.at("launch").get<std::string>(), run.finished);
    json.at("instructions").get_to(run.instructions);
    json.at("lines").get_to(run.lines);
    json.at("executed").get_to(run.counts.executed);
    json.at("jumped").get_to(run.counts.jumped);
    return run;
}

DryLaunch dry_launch(Chip& chip) {
    DryLaunch launch;
    launch.arch = chip.model().arch;
    launch.load = [&chip](uint64_t address, DType type) {
        uint64_t value = 0;
        const uint64_t size = bits(type) / 8;
        if (chip.global().contains(address, size))
            std::memcpy(&value, GlobalMemory::host(address), size);
        return value;
    };
    return launch;
}

PathRun run_path(Chip& chip, const Kernel& kernel, const assembly::PathChoice& choice,
                 LaunchOptions options, const check::CheckOptions& checks) {
    PathRun run;
    std::optional<assembly::AssemblyKernel> forced;
    const auto* const assembly = assembly::steps_of(kernel);
    if (assembly != nullptr) {
        forced.emplace(assembly->with_program(with_forced(assembly->program(), choice.forced)));
        run.counts.executed.resize(forced->program().steps.size());
        run.counts.jumped.resize(forced->program().steps.size());
        forced->count_steps(&run.counts);
        options.mode = needs_data(assembly->program()) ? RunMode::kFull : RunMode::kTiming;
    }
    const Kernel& chosen = forced ? *forced : kernel;
    std::vector<uint64_t> arguments = choice.arguments;
    give_room(kernel, chip.global(), arguments);
    options.blocks = choice.blocks;
    options.choices = false;
    check::Checkers checkers(checks, chip.global(), [](const Diagnostic&) {});
    chip.attach(&checkers);
    ScopeMeter meter;
    meter.begin(kernel);
    if (assembly == nullptr) chip.attach(&meter);
    const LaunchResult result = chip.launch(chosen, arguments, options);
    run.finished = result.finished;
    run.instructions = result.instructions;
    run.findings = result.diagnostics;
    std::vector<Diagnostic> found = checkers.findings();
    check::explain_by_overlaps(found);
    run.findings.insert(run.findings.end(), found.begin(), found.end());
    if (assembly == nullptr)
        for (const Scope::Point& point : meter.scope().points)
            run.lines.emplace_back(point.file, point.line);
    if (assembly != nullptr) {
        const size_t steps = assembly->program().steps.size();
        run.counts.executed.resize(steps);
        run.counts.jumped.resize(steps);
    }
    return run;
}

}  // namespace ptosim
