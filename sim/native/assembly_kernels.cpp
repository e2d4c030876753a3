#include "sim/native/assembly_kernels.h"

#include <limits>
#include <span>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/core/input_file.h"
#include "isa/core/relayed_port.h"
#include "sim/native/watchdog.h"

namespace ptosim {
namespace {

BlockIdentity given_identity(const KernelPort& port, const ptosim_part& part) {
    BlockIdentity identity = port.identity();
    const auto give = [](uint32_t& own, int64_t given) {
        if (given >= 0) own = static_cast<uint32_t>(given);
    };
    give(identity.block, part.block);
    give(identity.blocks, part.blocks);
    give(identity.subblock, part.subblock);
    give(identity.subblocks, part.subblocks);
    return identity;
}

class PartOfLaunch final : public RelayedPort {
 public:
    PartOfLaunch(KernelPort& port, const ptosim_part& part,
                 const ptosim_external_function* externals, const CallExternal& call)
        : RelayedPort{port, given_identity(port, part)}, externals_{externals}, call_{call} {}
    void issue(const Instruction& instruction) override {
        note_progress();
        RelayedPort::issue(instruction);
    }
    bool shares_launch() const override { return true; }
    std::optional<uint64_t> call_external(std::string_view function,
                                          std::span<const uint64_t> words) override {
        for (const ptosim_external_function* at = externals_; at != nullptr && at->name != nullptr;
             ++at)
            if (at->name == function) return call_(*at, words.data());
        fail_input("H13", "the function '" + std::string(function) + "' was not handed on",
                   "assemble the kernel with the ptoas of this toolkit");
    }

 private:
    const ptosim_external_function* externals_;
    const CallExternal& call_;
};

// Reads the file that was assembled, if it still exists, so that findings show its lines.
std::string text_of(const char* file) {
    try {
        return read_text(file);
    } catch (const DiagnosticError&) {
        return {};
    }
}

}  // namespace

void AssemblyKernels::add(const ptosim_assembly& kernel) {
    const auto [at, added] = added_.try_emplace(kernel.id);
    if (!added) return;
    for (const char* const* file = kernel.files; *file != nullptr; ++file) {
        const bool own = file == kernel.files;
        const uint16_t number =
            sources_->add(*file, own ? text_of(*file) : std::string(), SourceLanguage::kAssembly);
        if (own) at->second.first_file = number;
    }
}

const assembly::AssemblyKernel& AssemblyKernels::get(const ptosim_assembly& kernel, Arch arch) {
    const auto found = added_.find(std::string_view(kernel.id));
    if (found == added_.end())
        fail_input("H13", std::string("the assembly of '") + kernel.entry + "' was not registered",
                   "assemble it with the ptoas of this toolkit");
    Added& added = found->second;
    if (added.kernel) return *added.kernel;
    const auto module = assembly::parse(kernel.files[0], kernel.text);
    assembly::BindOptions options;
    options.entry = kernel.entry;
    options.arch = arch;
    options.keep_text = false;
    options.external_functions = true;
    // All addresses are already assigned; the core checks them.
    options.budgets.fill(std::numeric_limits<uint32_t>::max());
    added.kernel = assembly::bind(*module, options);
    added.kernel->relocate(std::span(kernel.lines, kernel.line_count), sources_, added.first_file);
    return *added.kernel;
}

void run_assembly(const assembly::AssemblyKernel& kernel, const ptosim_part& part, KernelPort& port,
                  KernelArguments arguments, const ptosim_external_function* externals,
                  const CallExternal& call) {
    PartOfLaunch own(port, part, externals, call);
    kernel.run(own, arguments);
}

}  // namespace ptosim
