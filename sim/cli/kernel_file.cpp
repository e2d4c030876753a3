#include "sim/cli/kernel_file.h"

#include "isa/assembly/binder.h"
#include "isa/assembly/parser.h"
#include "sim/runtime/files.h"

namespace ptosim::cli {

std::unique_ptr<Kernel> load_kernel(const std::string& path, const std::string& entry,
                                    const ChipModel& chip) {
    std::string text = read_file(path);
    if (text.starts_with("PTOBC"))
        fail_input("I04", path + ": is PTO bytecode, not text", "decode it first: ptobc decode " + path);
    const std::unique_ptr<assembly::Module> module = assembly::parse(path, std::move(text));
    assembly::BindOptions options;
    options.entry = entry;
    options.arch = chip.arch;
    options.budgets = chip.buffer_bytes;
    return assembly::bind(*module, options);
}

}  // namespace ptosim::cli
