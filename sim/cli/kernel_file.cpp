#include "sim/cli/kernel_file.h"

#include "isa/assembly/binder.h"
#include "isa/assembly/parser.h"
#include "sim/runtime/files.h"
#include "sim/sweep/kernel_parameters.h"

namespace ptosim::cli {
namespace {

std::string with_parameters(const std::string& path, std::string text,
                            const std::vector<std::string>& words, const ChipModel& chip) {
    const sweep::GivenParameters given = sweep::parse_parameters(words);
    if (given.empty() && text.find("//!") == std::string::npos) return text;
    try {
        return sweep::expand_parameters(path, text, given, sweep::chip_values(chip)).text;
    } catch (const sweep::RequirementError& error) {
        fail_input("I50", std::string(error.what()) + " with " + error.values,
                   "choose other values with --param NAME=VALUE");
    }
}

}  // namespace

std::unique_ptr<Kernel> load_kernel(const std::string& path, const std::string& entry,
                                    const std::vector<std::string>& parameters,
                                    const ChipModel& chip) {
    std::string text = read_file(path);
    if (text.starts_with("PTOBC"))
        fail_input("I04", path + ": is PTO bytecode, not text", "decode it first: ptobc decode " + path);
    text = with_parameters(path, std::move(text), parameters, chip);
    const std::unique_ptr<assembly::Module> module = assembly::parse(path, std::move(text));
    assembly::BindOptions options;
    options.entry = entry;
    options.arch = chip.arch;
    options.budgets = chip.buffer_bytes;
    return assembly::bind(*module, options);
}

}  // namespace ptosim::cli
