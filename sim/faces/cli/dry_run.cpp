#include "sim/faces/cli/dry_run.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/assembly/verify/resource_usage.h"
#include "isa/assembly/verify/spelling.h"
#include "sim/check/findings_output.h"
#include "sim/faces/cli/commands.h"
#include "sim/files/json.h"
#include "sim/machine/chip/chip.h"
#include "sim/session/arguments.h"
#include "sim/session/kernel_file.h"

namespace ptosim::cli {
namespace {

namespace fs = std::filesystem;
// A kernel of a file: a function, or the two halves for a cluster.
struct Unit {
    std::string name;
    std::unique_ptr<assembly::AssemblyKernel> kernel;
    bool launchable = false;
    std::string why_not;
    assembly::ResourceUsage usage;
};

struct FileResult {
    std::string chip;
    std::vector<Unit> units;
    std::vector<Diagnostic> problems;
    std::vector<Diagnostic> warnings;  // accepted by the assembler, but the run fails
    std::vector<Diagnostic> refused;   // refused by the assembler, but the run works
};

// Because chips are large, each is made only once.
class Chips {
 public:
    explicit Chips(const RunOptions& options) : options_{options} {}

    const ChipModel& of(const std::string& name) {
        const auto [at, added] = models_.try_emplace(name);
        if (added) at->second = load_chip(name, options_.overrides);
        return at->second;
    }

 private:
    const RunOptions& options_;
    std::map<std::string, ChipModel> models_;
};

// Errors that two functions share are reported once.
void add_problems(std::vector<Diagnostic>& all, const std::vector<Diagnostic>& found) {
    for (const Diagnostic& d : found) {
        const bool already_listed =
            std::any_of(all.begin(), all.end(), [&](const Diagnostic& other) {
                return other.code == d.code && other.location == d.location &&
                       other.message == d.message;
            });
        if (!already_listed) all.push_back(d);
    }
}

FileResult read(const std::string& path, const RunOptions& options, Chips& chips) {
    FileResult result;
    result.chip = options.chip;
    try {
        KernelSource source(
            {.path = path, .entry = options.entry, .parameters = options.parameters});
        const ChipChoice chosen = chip_for(source, options.chip, options.overrides);
        const ChipModel& chip = chips.of(chosen.chip);
        result.chip = chip.name;
        const assembly::Module& module = source.module(chip);
        if (module.operations.empty())
            fail_input("K08", "'" + path + "' contains no function",
                       "a kernel is a func.func; 'ptosim isa func.func' shows one");
        assembly::BindOptions bind_options;
        bind_options.arch = chip.arch;
        std::copy(chip.buffer_bytes.begin(), chip.buffer_bytes.end(), bind_options.budgets.begin());
        bind_options.plan = plan_policy(options.plan);
        bind_options.saturation = assembler_saturation(options.assembler);
        add_problems(options.strict ? result.problems : result.refused,
                     assembly::spelling_problems(module));
        const assembly::FunctionTable functions = assembly::functions_of(module);
        bind_options.functions = &functions;
        bind_options.keep_text = false;
        std::vector<std::string> names{options.entry};
        if (options.entry.empty()) names = assembly::compile_units(module);
        for (std::string& name : names) {
            Unit unit;
            try {
                bind_options.entry = name;
                bind_options.launch = false;
                bind_options.verify = true;
                assembly::BindRecord record;
                unit.kernel = assembly::bind(module, bind_options, &record);
                add_problems(result.warnings, record.warnings);
            } catch (const DiagnosticError& error) {
                add_problems(result.problems, error.diagnostics());
                continue;
            }
            try {
                bind_options.launch = true;
                bind_options.verify = false;
                unit.kernel = assembly::bind(module, bind_options);
                unit.launchable = true;
            } catch (const DiagnosticError& error) {
                unit.why_not = error.diagnostics()[0].message;
            }
            unit.name = std::move(name);
            unit.usage = assembly::resource_usage_of(unit.kernel->program());
            result.units.push_back(std::move(unit));
        }
    } catch (const DiagnosticError& error) {
        add_problems(result.problems, error.diagnostics());
    }
    return result;
}

std::string cores_text(const Kernel& kernel) {
    std::string text;
    if (kernel.runs_on(CoreType::kAIC)) text = "AIC";
    if (kernel.runs_on(CoreType::kAIV)) text += text.empty() ? "AIV" : "+AIV";
    return text;
}

std::string sync_text(const Unit& unit) {
    return unit.kernel->has_explicit_sync() ? "explicit" : "auto";
}

std::string ids_text(const std::set<unsigned>& ids) {
    std::string text;
    for (const unsigned id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
    return text.empty() ? "computed" : text;
}

void print_unit(const Unit& unit, const ChipModel& chip) {
    const assembly::ResourceUsage& usage = unit.usage;
    std::cout << "kernel " << unit.name << "\n  cores   " << cores_text(*unit.kernel);
    const auto clusters = static_cast<uint64_t>(chip.clusters);
    const bool cube = unit.kernel->runs_on(CoreType::kAIC);
    std::cout << ", at most "
              << (cube ? clusters : clusters * static_cast<uint64_t>(chip.cluster.aivs))
              << " blocks at once on " << chip.name << "\n  sync    " << sync_text(unit)
              << "\n  program " << usage.instructions << " instructions, " << usage.steps
              << " steps\n";
    for (size_t i = 0; i < kSpaceCount; ++i)
        if (usage.bytes[i] > 0)
            std::cout << "  buffer  " << name(static_cast<Space>(i)) << " " << usage.bytes[i]
                      << " of " << chip.buffer_bytes[i] << " bytes\n";
    if (usage.computed_addresses) std::cout << "  buffer  and tiles at computed addresses\n";
    for (const auto& [pipes, ids] : usage.flags)
        std::cout << "  flag    " << name(pipes.first) << " -> " << name(pipes.second) << ": "
                  << ids_text(ids) << "\n";
    if (!usage.cross_flags.empty())
        std::cout << "  flag    between cores: " << ids_text(usage.cross_flags) << "\n";
    if (!usage.buffer_ids.empty())
        std::cout << "  buffer  ids: " << ids_text(usage.buffer_ids) << "\n";
    for (const auto& [shape, global] : usage.fifos)
        std::cout << "  fifo    "
                  << (shape.producer == CoreType::kAIC ? "AIC to AIV" : "AIV to AIC") << ", "
                  << shape.slots << " slots of " << shape.slot_bytes << " bytes"
                  << (global ? " in global memory, " : " on chip, ") << shape.local_slots
                  << " local\n";
    if (!unit.launchable) std::cout << "  cannot be launched alone: " << unit.why_not << "\n";
    for (const Parameter& parameter : unit.kernel->parameters()) {
        std::cout << "  %" << parameter.name << ": " << type_text(parameter);
        if (parameter.elements > 0) std::cout << ", " << parameter.elements << " elements";
        std::cout << "\n";
    }
}

Json unit_json(const Unit& unit) {
    Json json{{"name", unit.name},
              {"launchable", unit.launchable},
              {"cores", cores_text(*unit.kernel)},
              {"sync", sync_text(unit)},
              {"instructions", unit.usage.instructions}};
    json["parameters"] = Json::array();
    for (const Parameter& parameter : unit.kernel->parameters())
        json["parameters"].push_back(
            {{"name", parameter.name},
             {"kind", parameter.kind == Parameter::Kind::kPointer ? "pointer" : "scalar"},
             {"dtype", name(parameter.dtype)},
             {"elements", parameter.elements}});
    json["bytes"] = Json::object();
    for (size_t i = 0; i < kSpaceCount; ++i)
        if (unit.usage.bytes[i] > 0)
            json["bytes"][std::string(name(static_cast<Space>(i)))] = unit.usage.bytes[i];
    json["flags"] = Json::array();
    for (const auto& [pipes, ids] : unit.usage.flags)
        json["flags"].push_back(
            {{"from", name(pipes.first)}, {"to", name(pipes.second)}, {"ids", ids}});
    json["cross_flags"] = unit.usage.cross_flags;
    json["buffer_ids"] = unit.usage.buffer_ids;
    json["fifos"] = Json::array();
    for (const auto& [shape, global] : unit.usage.fifos)
        json["fifos"].push_back({{"from", shape.producer == CoreType::kAIC ? "AIC" : "AIV"},
                                 {"slots", shape.slots},
                                 {"slot_bytes", shape.slot_bytes},
                                 {"local_slots", shape.local_slots},
                                 {"global", global}});
    return json;
}

Json file_json(const std::string& path, const FileResult& result) {
    Json json{{"file", path}, {"chip", result.chip}, {"accepted", result.problems.empty()}};
    json["kernels"] = Json::array();
    for (const Unit& unit : result.units) json["kernels"].push_back(unit_json(unit));
    json["diagnostics"] = Json::array();
    for (const Diagnostic& d : result.problems) json["diagnostics"].push_back(check::as_json(d));
    json["warnings"] = Json::array();
    for (const auto* list : {&result.refused, &result.warnings})
        for (const Diagnostic& d : *list) json["warnings"].push_back(check::as_json(d));
    return json;
}

int one_file(const RunOptions& options, Chips& chips) {
    const FileResult result = read(options.kernel, options, chips);
    if (options.json != "-")
        for (const Unit& unit : result.units) print_unit(unit, chips.of(result.chip));
    if (!options.json.empty())
        write_result(options.json, dump_json(file_json(options.kernel, result), 2) + "\n");
    for (Diagnostic warning : result.refused) {
        warning.notes.push_back(
            "the assembler rejects this, but ptosim runs it (an error with --strict)");
        std::cerr << to_text(warning, "warning");
    }
    for (Diagnostic warning : result.warnings) {
        warning.notes.push_back("the assembler accepts this, but a run rejects it");
        std::cerr << to_text(warning, "warning");
    }
    if (!result.problems.empty()) throw DiagnosticError(result.problems);
    return kOk;
}

// ---- a folder -----------------------------------------------------------------------------

// Prints one line of the table, with the greatest usage of the file's kernels.
void print_row(std::ostream& out, const std::string& file, size_t width, const FileResult& result) {
    out << std::left << std::setw(static_cast<int>(width)) << file << "  " << std::setw(11)
        << result.chip << std::right;
    std::array<uint64_t, kSpaceCount> bytes{};
    size_t parameters = 0, instructions = 0, flags = 0, fifos = 0;
    std::string cores;
    for (const Unit& unit : result.units) {
        parameters = std::max(parameters, unit.kernel->parameters().size());
        instructions += unit.usage.instructions;
        size_t ids = 0;
        for (const auto& [pipes, used] : unit.usage.flags) ids += std::max<size_t>(used.size(), 1);
        flags = std::max(flags, ids + unit.usage.cross_flags.size());
        fifos = std::max(fifos, unit.usage.fifos.size());
        for (size_t i = 0; i < kSpaceCount; ++i) bytes[i] = std::max(bytes[i], unit.usage.bytes[i]);
        const std::string own = cores_text(*unit.kernel);
        if (cores.find(own) == std::string::npos) cores += (cores.empty() ? "" : ",") + own;
    }
    const auto space = [&](Space which) { return bytes[static_cast<size_t>(which)]; };
    out << std::setw(8) << result.units.size() << std::setw(8) << parameters << "  " << std::left
        << std::setw(8) << cores << std::right << std::setw(7) << instructions << std::setw(8)
        << space(Space::kUB) << std::setw(8) << space(Space::kL1) << std::setw(8)
        << space(Space::kL0C) << std::setw(6) << flags << std::setw(6) << fifos << "  ";
    if (result.problems.empty()) {
        out << "accepted";
        if (!result.warnings.empty())
            out << ", will not run: line " << result.warnings[0].location.line << ": "
                << result.warnings[0].message << " [" << result.warnings[0].code << "]";
        out << "\n";
        return;
    }
    const Diagnostic& first = result.problems[0];
    out << "line " << first.location.line << ": " << first.message << " [" << first.code << "]";
    if (result.problems.size() > 1) out << " and " << result.problems.size() - 1 << " more";
    out << "\n";
}

int folder(const RunOptions& options, Chips& chips) {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(options.kernel))
        if (entry.is_regular_file() && has_assembly_name(entry.path()))
            files.push_back(entry.path().lexically_relative(options.kernel).string());
    std::sort(files.begin(), files.end());
    if (files.empty())
        fail_input("I01", "'" + options.kernel + "' contains no .pto file, nor do its subfolders",
                   "name a .pto file, or a folder that contains some");
    size_t width = 4;
    for (const std::string& file : files) width = std::max(width, file.size());
    std::ostream& out = options.json == "-" ? std::cerr : std::cout;
    out << std::left << std::setw(static_cast<int>(width)) << "file"
        << "  " << std::setw(11) << "chip" << std::right << std::setw(8) << "kernels"
        << std::setw(8) << "params"
        << "  " << std::left << std::setw(8) << "cores" << std::right << std::setw(7) << "instrs"
        << std::setw(8) << "UB" << std::setw(8) << "L1" << std::setw(8) << "L0C" << std::setw(6)
        << "flags" << std::setw(6) << "fifos"
        << "  result\n";
    Json json = Json::array();
    size_t accepted = 0;
    for (const std::string& file : files) {
        const std::string path = (fs::path(options.kernel) / file).string();
        const FileResult result = read(path, options, chips);
        accepted += result.problems.empty();
        print_row(out, file, width, result);
        if (!options.json.empty()) json.push_back(file_json(path, result));
    }
    out << accepted << " of " << files.size() << " files accepted\n";
    if (!options.json.empty()) write_result(options.json, dump_json(json, 2) + "\n");
    return accepted == files.size() ? kOk : kInputUnusable;
}

}  // namespace

int dry_run(const RunOptions& options) {
    Chips chips(options);
    return fs::is_directory(options.kernel) ? folder(options, chips) : one_file(options, chips);
}

}  // namespace ptosim::cli
