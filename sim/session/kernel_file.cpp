#include "sim/session/kernel_file.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/program/block_use.h"
#include "isa/assembly/sync/explicit_form.h"
#include "isa/assembly/verify/spelling.h"
#include "isa/core/arch.h"
#include "isa/core/forwarding_port.h"
#include "sim/compile/build.h"
#include "sim/files/files.h"
#include "sim/native/kernel.h"
#include "sim/session/mend_text.h"
#include "sim/session/task_kernel.h"

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
    if (choice.for_debugger) words.insert(words.end(), {"-g", "-O0"});
    if (!choice.cores.empty()) words.insert(words.end(), {"--core", choice.cores});
    return build_kernels(parse_build(words));
}

// Keeps the libraries alive as long as the kernel.
class ModulesKernel : public DerivedKernel {
 public:
    ModulesKernel(std::unique_ptr<NativeModules> modules, std::unique_ptr<NativeKernel> kernel)
        : DerivedKernel{*kernel}, modules_{std::move(modules)}, own_{std::move(kernel)} {}
    void run(KernelPort& port, KernelArguments arguments) const override {
        own_->run(port, arguments);
    }

 private:
    std::unique_ptr<NativeModules> modules_;
    std::unique_ptr<NativeKernel> own_;
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
    LoadedKernel loaded;
    loaded.asks_for_block = kernel->asks_for_block();
    loaded.compiled.push_back({{}, kernel.get()});
    loaded.kernel = std::make_unique<ModulesKernel>(std::move(modules), std::move(kernel));
    return loaded;
}

// Rejects the options that rewrite a text.
void check_text(const KernelChoice& choice) {
    if (choice.insert_flags || !choice.emit.empty())
        fail_input("I18",
                   choice.path + " is not a .pto file: " +
                       (choice.emit.empty() ? "--sync insert" : "--emit") +
                       " has no text to insert flags into",
                   "add the flags in its source");
}

// Rejects options of C++ sources; `remedy` depends on the kernel's form.
void check_no_source(const KernelChoice& choice, const char* remedy) {
    if (choice.defines.empty() && choice.includes.empty() && choice.cores.empty()) return;
    fail_input("I50",
               choice.path + " is not C++ source, so it ignores " +
                   (!choice.defines.empty()    ? "--define"
                    : !choice.includes.empty() ? "--include"
                                               : "--core"),
               remedy);
}

// A bound program, with what the assembler would refuse of it.
struct BoundText {
    std::unique_ptr<assembly::AssemblyKernel> kernel;
    std::vector<Diagnostic> refused;
    InsertedFlags inserted;
};

// Also collects the assembler's errors: of spelling, and of the bound program.
BoundText bind_text(const KernelChoice& choice, const assembly::Module& module,
                    const ChipModel& chip) {
    assembly::BindOptions options;
    options.entry = choice.entry;
    options.arch = chip.arch;
    options.verify = true;
    options.keep_names = choice.for_debugger;
    std::copy(chip.buffer_bytes.begin(), chip.buffer_bytes.end(), options.budgets.begin());
    options.plan = choice.plan;
    options.saturation = choice.saturation;
    BoundText bound;
    std::vector<Diagnostic> refused;
    if (choice.insert_flags || !choice.emit.empty()) {
        assembly::ExplicitForm form = assembly::make_explicit(module, options, choice.insert_flags);
        if (!choice.emit.empty()) write_file(choice.emit, form.text);
        bound.inserted = {form.sets, form.waits, form.barriers, form.had_flags,
                          std::move(form.notes)};
        bound.kernel = assembly::bind_explicit(module, options, form);
        refused = std::move(form.refused);
    } else {
        assembly::BindRecord record;
        bound.kernel = assembly::bind(module, options, &record);
        refused = std::move(record.refused);
    }
    bound.refused = assembly::spelling_problems(module);
    std::move(refused.begin(), refused.end(), std::back_inserter(bound.refused));
    return bound;
}

// The kernel with the lines of a mend. Messages refer to the lines of the text without them.
std::unique_ptr<Kernel> load_mended(KernelChoice choice, const std::string& text,
                                    const ChipModel& chip,
                                    const std::vector<check::MendLine>& mend) {
    MendedText mended = with_mend(text, choice.path, mend);
    choice.text = std::move(mended.text);
    KernelSource source(std::move(choice));
    BoundText bound = bind_text(source.choice(), source.module(chip), chip);
    SourceMap sources;
    sources.add(source.choice().path, text, SourceLanguage::kAssembly);
    bound.kernel->relocate(mended.lines, std::make_shared<const SourceMap>(std::move(sources)));
    return std::move(bound.kernel);
}

LoadedKernel load_text(KernelSource& source, const ChipModel& chip) {
    const KernelChoice& choice = source.choice();
    check_no_source(choice, "set its declared parameters with --param NAME=VALUE");
    BoundText bound = bind_text(choice, source.module(chip), chip);
    LoadedKernel loaded;
    loaded.inserted = std::move(bound.inserted);
    loaded.refused = std::move(bound.refused);
    loaded.asks_for_block = assembly::asks_for_block(bound.kernel->program());
    loaded.can_insert = true;
    loaded.kernel = std::move(bound.kernel);
    if (!choice.insert_flags && choice.emit.empty())
        loaded.remake = [choice, text = source.text(),
                         &chip](const std::vector<check::MendLine>& mend) {
            return load_mended(choice, text, chip, mend);
        };
    return loaded;
}

LoadedKernel load_source(const KernelChoice& choice, const ChipModel& chip) {
    check_text(choice);
    if (!choice.parameters.empty())
        fail_input("I50", choice.path + " is C++ and has no parameters for --param",
                   "--define " + choice.parameters.front() + " defines a macro");
    return load_native(build_source(choice, chip.arch), choice.path, choice.entry, chip);
}

LoadedKernel load_built(const KernelChoice& choice, const ChipModel& chip) {
    check_no_source(choice, "give --define to the build, or run the source");
    check_text(choice);
    return load_native(read_file(choice.path), choice.path, choice.entry, chip);
}

}  // namespace

assembly::PlanPolicy plan_policy(const std::string& word) {
    return word == "modern" ? assembly::PlanPolicy::kLargestFirst : assembly::PlanPolicy::kInOrder;
}

Saturation assembler_saturation(const std::string& word) {
    return word == "v0.63" ? Saturation::kOn : Saturation::kOff;
}

LoadedKernel load_kernel(KernelSource& source, const ChipModel& chip) {
    switch (source.kind()) {
        case KernelSource::Kind::kCpp:
            return load_source(source.choice(), chip);
        case KernelSource::Kind::kBinary:
            return load_built(source.choice(), chip);
        case KernelSource::Kind::kTask:
            return load_task(source.choice(), chip);
        case KernelSource::Kind::kAssembly:
            break;
    }
    return load_text(source, chip);
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
