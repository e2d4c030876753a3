#include "sim/session/kernel_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "isa/arch.h"
#include "isa/assembly/bind/binder.h"
#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/program/block_use.h"
#include "isa/assembly/sync/explicit_form.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/assembly/verify/spelling.h"
#include "isa/input_file.h"
#include "sim/files/files.h"
#include "sim/native/build.h"
#include "sim/native/kernel.h"
#include "sim/session/kernel_parameters.h"

namespace ptosim {
namespace {

std::string with_parameters(const std::string& path, std::string text,
                            const std::vector<std::string>& words, const ChipModel& chip) {
    const GivenParameters given = parse_parameters(words);
    if (given.empty() && text.find("//!") == std::string::npos) return text;
    try {
        return expand_parameters(path, text, given, chip_values(chip)).text;
    } catch (const RequirementError& error) {
        fail_input("I50", std::string(error.what()) + " with " + error.values,
                   "choose other values with --param NAME=VALUE");
    }
}

namespace fs = std::filesystem;

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string build_source(const KernelChoice& choice, Arch arch) {
    std::vector<std::string> words{choice.path, "-o", "kernels.so", "--arch",
                                   std::string(name(arch))};
    for (const std::string& define : choice.defines) words.push_back("-D" + define);
    for (const std::string& folder : choice.includes)
        words.push_back("-I" + fs::absolute(folder).lexically_normal().string());
    if (choice.report_accesses) words.emplace_back("--report-accesses");
    if (!choice.cores.empty()) words.insert(words.end(), {"--core", choice.cores});
    return build_kernels(parse_build(words));
}

// The libraries must live as long as the kernel.
class ModulesKernel : public Kernel {
 public:
    ModulesKernel(std::unique_ptr<NativeModules> modules, std::unique_ptr<NativeKernel> kernel)
        : modules_{std::move(modules)}, kernel_{std::move(kernel)} {}
    std::string_view name() const override { return kernel_->name(); }
    const SourceMap& sources() const override { return kernel_->sources(); }
    std::span<const Parameter> parameters() const override { return kernel_->parameters(); }
    bool runs_on(CoreType core) const override { return kernel_->runs_on(core); }
    bool has_explicit_sync() const override { return kernel_->has_explicit_sync(); }
    bool follows_pointers() const override { return kernel_->follows_pointers(); }
    void run(KernelPort& port, KernelArguments arguments) const override {
        kernel_->run(port, arguments);
    }

 private:
    std::unique_ptr<NativeModules> modules_;
    std::unique_ptr<NativeKernel> kernel_;
};

// Those of a file that was built from the file `choice` or is that file itself.
std::vector<std::string> names_for(const NativeModules& modules, const std::string& choice,
                                   const ChipModel& chip) {
    std::vector<std::string> names = modules.names();
    if (names.empty())
        fail_input(
            "H01", choice + ": has no kernels in it",
            "a kernel is a __global__ function; a template needs a launch in the file, or an "
            "explicit instantiation: template __global__ void name<...>(...);");
    if (modules.arch() != chip.arch)
        fail_input(
            "H01",
            choice + ": was built for " + std::string(name(modules.arch())) + ", and " + chip.name +
                " is " + std::string(name(chip.arch)),
            traits_of(chip.arch).compiles_kernels
                ? "choose another --chip, or build it with --arch " + std::string(name(chip.arch))
                : "kernels in C++ are compiled for a2a3 and a5 alone: choose another --chip");
    return names;
}

// From the content of the file `choice`, or of what was built from it.
LoadedKernel load_native(const std::string& content, const std::string& choice,
                         const std::string& entry, const ChipModel& chip) {
    auto modules = std::make_unique<NativeModules>(read_elf_images(content, choice), choice);
    const std::vector<std::string> names = names_for(*modules, choice, chip);
    if (entry.empty() && names.size() > 1)
        fail_input("H05", choice + ": has several kernels: " + listed(names),
                   "choose one with --entry");
    bool several = false;
    std::unique_ptr<NativeKernel> kernel =
        modules->find(entry.empty() ? names.front() : entry, several);
    if (!kernel)
        fail_input("H05",
                   choice + (several ? ": several kernels are called '" : ": has no kernel '") +
                       entry + "'",
                   "it has: " + listed(names));
    const bool asks = kernel->asks_for_block();
    return {std::make_unique<ModulesKernel>(std::move(modules), std::move(kernel)), asks};
}

bool is_source(const std::string& path) {
    for (const char* ending : {".cpp", ".cc", ".cxx", ".cce"})
        if (path.ends_with(ending)) return true;
    return false;
}

std::unique_ptr<assembly::AssemblyKernel> load_explicit(const assembly::Module& module,
                                                        const assembly::BindOptions& options,
                                                        const KernelChoice& choice,
                                                        InsertedFlags& inserted) {
    const assembly::ExplicitForm form =
        assembly::make_explicit(module, options, choice.insert_flags);
    if (!choice.emit.empty()) write_file(choice.emit, form.text);
    inserted = {form.sets, form.waits, form.barriers, form.had_flags};
    return assembly::bind_explicit(module, options, form);
}

// Only text can be rewritten.
void check_text(const KernelChoice& choice) {
    if (choice.insert_flags || !choice.emit.empty())
        fail_input("I18",
                   choice.path +
                       " is no .pto file: " + (choice.emit.empty() ? "--sync insert" : "--emit") +
                       " has no text to put flags into",
                   "order its pipes in its source");
}

}  // namespace

ChipChoice chip_for(const KernelChoice& choice, const std::string& chosen,
                    const std::vector<std::string>& overrides) {
    ChipChoice result;
    result.chip = !chosen.empty() ? chosen : std::string(traits_of(Arch::kA2A3).default_chip);
    const std::string& path = choice.path;
    if (!choice.text && (is_source(path) || !is_assembly(path))) {
        if (chosen.empty() && !is_source(path))
            result.chip =
                traits_of(NativeModules(read_elf_images(read_file(path), path), path).arch())
                    .default_chip;
        return result;
    }
    const std::string text = choice.text ? *choice.text : read_text(path);
    if (text.find("target_arch") == std::string::npos) return result;
    const ChipModel& chip = result.model.emplace(load_chip(result.chip, overrides));
    const auto module = load_module(choice, chip);
    const std::string word = assembly::declared_arch_word(*module);
    const std::optional<Arch> arch = assembly::declared_arch(*module);
    if (word.empty() || arch == chip.arch) return result;
    if (chosen.empty() && arch) {
        result.chip = traits_of(*arch).default_chip;
        result.model.reset();
        return result;
    }
    Diagnostic& d = result.warning.emplace();
    d.code = "K09";
    d.file = path;
    d.message = arch ? "the module is made for " + std::string(name(*arch)) + ", and " + chip.name +
                           " is " + std::string(name(chip.arch))
                     : "'" + word + "' is no architecture";
    d.hint = arch ? "choose a chip of that architecture with --chip"
                  : "architectures are a2a3 (or a3), a5 and kirin9030";
    return result;
}

assembly::PlanPolicy plan_policy(const std::string& word) {
    return word == "modern" ? assembly::PlanPolicy::kLargestFirst : assembly::PlanPolicy::kInOrder;
}

bool is_assembly(const std::string& path) {
    if (is_source(path)) return false;
    std::array<char, 64> begin{};
    InputFile(path).read(begin.data(), begin.size());
    return !is_elf(std::as_bytes(std::span(begin)));
}

std::unique_ptr<assembly::Module> load_module(const KernelChoice& choice, const ChipModel& chip) {
    const std::string& path = choice.path;
    std::string text = choice.text ? *choice.text : read_text(path);
    if (text.starts_with("PTOBC"))
        fail_input("I04", path + ": is PTO bytecode, not text",
                   "decode it first: ptobc decode " + path);
    text = with_parameters(path, std::move(text), choice.parameters, chip);
    return assembly::parse(path, std::move(text));
}

std::vector<Diagnostic> assembler_problems(const assembly::Module& module,
                                           assembly::BindOptions options) {
    std::vector<Diagnostic> problems = assembly::spelling_problems(module);
    options.verify = true;
    options.keep_text = false;
    try {
        assembly::bind(module, options);
    } catch (const DiagnosticError& error) {
        problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
    return problems;
}

LoadedKernel load_kernel(const KernelChoice& choice, const ChipModel& chip) {
    const std::string& path = choice.path;
    const bool is_text = choice.text.has_value();
    if (is_source(path) && !is_text) check_text(choice);
    if (is_source(path) && !is_text && fs::exists(path)) {
        if (!choice.parameters.empty())
            fail_input("I50", path + " is C++: it has no parameters that --param could set",
                       "--define " + choice.parameters.front() + " defines a macro");
        return load_native(build_source(choice, chip.arch), path, choice.entry, chip);
    }
    if (!choice.defines.empty() || !choice.includes.empty() || !choice.cores.empty())
        fail_input("I50",
                   path + " is not C++ source: there is nothing for " +
                       (!choice.defines.empty()    ? "--define"
                        : !choice.includes.empty() ? "--include"
                                                   : "--core"),
                   path.ends_with(".pto") ? "--param NAME=VALUE sets a parameter that it declares"
                                          : "give --define to the build, or run the source");
    if (!is_text && !is_assembly(path)) {
        check_text(choice);
        return load_native(read_file(path), path, choice.entry, chip);
    }
    const std::unique_ptr<assembly::Module> module = load_module(choice, chip);
    assembly::BindOptions options;
    options.entry = choice.entry;
    options.arch = chip.arch;
    std::copy(chip.buffer_bytes.begin(), chip.buffer_bytes.end(), options.budgets.begin());
    options.plan = choice.plan;
    LoadedKernel loaded;
    std::unique_ptr<assembly::AssemblyKernel> kernel =
        choice.insert_flags || !choice.emit.empty()
            ? load_explicit(*module, options, choice, loaded.inserted)
            : assembly::bind(*module, options);
    loaded.asks_for_block = assembly::asks_for_block(kernel->program());
    loaded.refused = assembler_problems(*module, options);
    loaded.can_insert = true;
    loaded.kernel = std::move(kernel);
    return loaded;
}

std::vector<std::unique_ptr<Kernel>> load_native_kernels(const KernelChoice& choice,
                                                         const ChipModel& chip) {
    check_text(choice);
    const std::string& path = choice.path;
    const std::string content =
        is_source(path) && fs::exists(path) ? build_source(choice, chip.arch) : read_file(path);
    std::vector<std::unique_ptr<Kernel>> kernels;
    for (const std::string& entry :
         names_for(NativeModules(read_elf_images(content, path), path), path, chip))
        kernels.push_back(load_native(content, path, entry, chip).kernel);
    return kernels;
}

}  // namespace ptosim
