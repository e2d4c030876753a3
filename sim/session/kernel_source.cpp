#include "sim/session/kernel_source.h"

#include <array>
#include <filesystem>
#include <span>

#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/core/arch.h"
#include "isa/core/input_file.h"
#include "sim/files/files.h"
#include "sim/native/kernel.h"
#include "sim/session/kernel_parameters.h"
#include "sim/session/kept_task.h"

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

}  // namespace

bool is_source(const std::string& path) {
    for (const char* ending : {".cpp", ".cc", ".cxx", ".cce", ".asc"})
        if (path.ends_with(ending)) return true;
    return false;
}

bool has_assembly_name(const std::string& path) { return path.ends_with(".pto"); }

bool is_assembly(const std::string& path) {
    if (is_source(path)) return false;
    std::array<char, 64> begin{};
    InputFile(path).read(begin.data(), begin.size());
    return !is_elf(std::as_bytes(std::span(begin)));
}

KernelSource::Kind KernelSource::kind() {
    if (kind_) return *kind_;
    const bool source = is_source(choice_.path);
    std::error_code error;
    // A sandboxed worker runs a library, and may not look for it.
    if (!choice_.text && !choice_.path.ends_with(".so") && std::filesystem::is_directory(choice_.path, error))
        kind_ = Kind::kTask;
    else if (choice_.text || is_assembly(choice_.path))
        kind_ = Kind::kAssembly;
    else
        kind_ = source && std::filesystem::exists(choice_.path) ? Kind::kCpp : Kind::kBinary;
    return *kind_;
}

const std::string& KernelSource::text() {
    if (choice_.text) return *choice_.text;
    if (!text_) text_ = read_text(choice_.path);
    return *text_;
}

const assembly::Module& KernelSource::module(const ChipModel& chip) {
    const std::string& path = choice_.path;
    if (text().starts_with("PTOBC"))
        fail_input("I04", path + ": is PTO bytecode, not text",
                   "decode it first: ptobc decode " + path);
    std::string expanded = with_parameters(path, text(), choice_.parameters, chip);
    if (module_ == nullptr || module_->text != expanded)
        module_ = assembly::parse(path, std::move(expanded));
    return *module_;
}

ChipChoice chip_for(KernelSource& source, const std::string& chosen,
                    const std::vector<std::string>& overrides) {
    ChipChoice result;
    result.chip = !chosen.empty() ? chosen : std::string(traits_of(Arch::kA2A3).default_chip);
    const std::string& path = source.choice().path;
    if (source.kind() == KernelSource::Kind::kTask) {
        if (chosen.empty()) result.chip = read_task(path).chip;
        return result;
    }
    if (source.kind() != KernelSource::Kind::kAssembly) {
        if (chosen.empty() && !is_source(path))
            result.chip =
                traits_of(NativeModules(read_elf_images(read_file(path), path), path).arch())
                    .default_chip;
        return result;
    }
    if (source.text().find("target_arch") == std::string::npos) return result;
    const ChipModel& chip = result.model.emplace(load_chip(result.chip, overrides));
    const assembly::Module& module = source.module(chip);
    const std::string word = assembly::declared_arch_word(module);
    const std::optional<Arch> arch = assembly::declared_arch(module);
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
                     : "'" + word + "' is not an architecture";
    d.hint = arch ? "choose a chip of that architecture with --chip"
                  : "architectures are a2a3 (or a3), a5 and kirin9030";
    return result;
}

}  // namespace ptosim
