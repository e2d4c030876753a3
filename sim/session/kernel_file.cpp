#include "sim/session/kernel_file.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/program/block_use.h"
#include "isa/assembly/sync/explicit_form.h"
#include "isa/assembly/verify/spelling.h"
#include "isa/core/arch.h"
#include "sim/compile/build.h"
#include "sim/files/files.h"
#include "sim/native/kernel.h"
#include "sim/session/mend_text.h"

namespace ptosim {
namespace {

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
    if (choice.report_branches) words.emplace_back("--report-branches");
    if (!choice.cores.empty()) words.insert(words.end(), {"--core", choice.cores});
    return build_kernels(parse_build(words));
}

// Keeps the libraries alive as long as the kernel.
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
    std::string_view unrecorded_source() const override { return kernel_->unrecorded_source(); }
    void run(KernelPort& port, KernelArguments arguments) const override {
        kernel_->run(port, arguments);
    }

 private:
    std::unique_ptr<NativeModules> modules_;
    std::unique_ptr<NativeKernel> kernel_;
};

// Names of kernels in modules that were built from the file `choice` or are that file itself.
std::vector<std::string> names_for(const NativeModules& modules, const std::string& choice,
                                   const ChipModel& chip) {
    std::vector<std::string> names = modules.names();
    if (names.empty())
        fail_input(
            "H01", choice + ": contains no kernels",
            "a kernel is a __global__ function; a template needs a launch in the file, or an "
            "explicit instantiation: template __global__ void name<...>(...);");
    if (modules.arch() != chip.arch)
        fail_input(
            "H01",
            choice + ": was built for " + std::string(name(modules.arch())) + ", and " + chip.name +
                " is " + std::string(name(chip.arch)),
            traits_of(chip.arch).compiles_kernels
                ? "choose another --chip, or build it with --arch " + std::string(name(chip.arch))
                : "C++ kernels are compiled for a2a3 and a5 only: choose another --chip");
    return names;
}

// Loads from the content of the file `choice`, or of its build.
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

// Only text can be rewritten.
void check_text(const KernelChoice& choice) {
    if (choice.insert_flags || !choice.emit.empty())
        fail_input("I18",
                   choice.path + " is not a .pto file: " +
                       (choice.emit.empty() ? "--sync insert" : "--emit") +
                       " has no text to insert flags into",
                   "add the flags in its source");
}

// Rejects options that do not apply to the kernel's form.
void check_options(KernelSource& source) {
    const KernelChoice& choice = source.choice();
    const std::string& path = choice.path;
    if (is_source(path) && !choice.text) check_text(choice);
    if (source.kind() == KernelSource::Kind::kCpp) {
        if (!choice.parameters.empty())
            fail_input("I50", path + " is C++ and has no parameters for --param",
                       "--define " + choice.parameters.front() + " defines a macro");
        return;
    }
    if (!choice.defines.empty() || !choice.includes.empty() || !choice.cores.empty())
        fail_input("I50",
                   path + " is not C++ source, so it ignores " +
                       (!choice.defines.empty()    ? "--define"
                        : !choice.includes.empty() ? "--include"
                                                   : "--core"),
                   path.ends_with(".pto") ? "set its declared parameters with --param NAME=VALUE"
                                          : "give --define to the build, or run the source");
    if (source.kind() == KernelSource::Kind::kBinary) check_text(choice);
}

// The kernel with the lines of a mend.
std::unique_ptr<Kernel> load_mended(KernelChoice choice, const std::string& text,
                                    const ChipModel& chip,
                                    const std::vector<check::MendLine>& mend) {
    const MendedText mended = with_mend(text, choice.path, mend);
    choice.text = mended.text;
    LoadedKernel loaded = load_kernel(choice, chip);
    if (auto* const kernel = dynamic_cast<assembly::AssemblyKernel*>(loaded.kernel.get())) {
        SourceMap sources;
        sources.add(choice.path, text);
        kernel->relocate(mended.lines, std::make_shared<const SourceMap>(std::move(sources)));
    }
    return std::move(loaded.kernel);
}

// Also collects the assembler's errors: of spelling, and of the bound program.
LoadedKernel load_assembly(const KernelChoice& choice, const assembly::Module& module,
                           const ChipModel& chip) {
    assembly::BindOptions options;
    options.entry = choice.entry;
    options.arch = chip.arch;
    options.verify = true;
    std::copy(chip.buffer_bytes.begin(), chip.buffer_bytes.end(), options.budgets.begin());
    options.plan = choice.plan;
    options.saturation = choice.saturation;
    LoadedKernel loaded;
    std::unique_ptr<assembly::AssemblyKernel> kernel;
    std::vector<Diagnostic> refused;
    if (choice.insert_flags || !choice.emit.empty()) {
        assembly::ExplicitForm form = assembly::make_explicit(module, options, choice.insert_flags);
        if (!choice.emit.empty()) write_file(choice.emit, form.text);
        loaded.inserted = {form.sets, form.waits, form.barriers, form.had_flags,
                           std::move(form.notes)};
        kernel = assembly::bind_explicit(module, options, form);
        refused = std::move(form.refused);
    } else {
        assembly::BindRecord record;
        kernel = assembly::bind(module, options, &record);
        refused = std::move(record.refused);
    }
    loaded.asks_for_block = assembly::asks_for_block(kernel->program());
    loaded.refused = assembly::spelling_problems(module);
    std::move(refused.begin(), refused.end(), std::back_inserter(loaded.refused));
    loaded.can_insert = true;
    loaded.kernel = std::move(kernel);
    return loaded;
}

}  // namespace

assembly::PlanPolicy plan_policy(const std::string& word) {
    return word == "modern" ? assembly::PlanPolicy::kLargestFirst : assembly::PlanPolicy::kInOrder;
}

Saturation assembler_saturation(const std::string& word) {
    return word == "v0.63" ? Saturation::kOn : Saturation::kOff;
}

LoadedKernel load_kernel(KernelSource& source, const ChipModel& chip) {
    const KernelChoice& choice = source.choice();
    check_options(source);
    switch (source.kind()) {
        case KernelSource::Kind::kCpp:
            return load_native(build_source(choice, chip.arch), choice.path, choice.entry, chip);
        case KernelSource::Kind::kBinary:
            return load_native(read_file(choice.path), choice.path, choice.entry, chip);
        case KernelSource::Kind::kAssembly:
            break;
    }
    LoadedKernel loaded = load_assembly(choice, source.module(chip), chip);
    if (!choice.insert_flags && choice.emit.empty())
        loaded.remake = [choice, text = source.text(),
                         &chip](const std::vector<check::MendLine>& mend) {
            return load_mended(choice, text, chip, mend);
        };
    return loaded;
}

LoadedKernel load_kernel(const KernelChoice& choice, const ChipModel& chip) {
    KernelSource source(choice);
    return load_kernel(source, chip);
}

std::vector<std::unique_ptr<Kernel>> load_native_kernels(const KernelChoice& choice,
                                                         const ChipModel& chip) {
    check_text(choice);
    const std::string& path = choice.path;
    const std::string content = KernelSource(choice).kind() == KernelSource::Kind::kCpp
                                    ? build_source(choice, chip.arch)
                                    : read_file(path);
    std::vector<std::unique_ptr<Kernel>> kernels;
    for (const std::string& entry :
         names_for(NativeModules(read_elf_images(content, path), path), path, chip))
        kernels.push_back(load_native(content, path, entry, chip).kernel);
    return kernels;
}

}  // namespace ptosim
