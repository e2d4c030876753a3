#include "sim/native/assembly_kernels.h"

#include <limits>
#include <span>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/program/shared_launch.h"
#include "isa/assembly/syntax/parser.h"
#include "isa/input_file.h"
#include "sim/native/watchdog.h"

namespace ptosim {
namespace {

// A core's port, for a kernel that is given another part of the launch.
class PartOfLaunch final : public KernelPort, public assembly::SharedLaunch {
 public:
    PartOfLaunch(KernelPort& port, const ptosim_part& part)
        : port_{port}, identity_{port.identity()} {
        const auto give = [](uint32_t& own, int64_t given) {
            if (given >= 0) own = static_cast<uint32_t>(given);
        };
        give(identity_.block, part.block);
        give(identity_.blocks, part.blocks);
        give(identity_.subblock, part.subblock);
        give(identity_.subblocks, part.subblocks);
    }
    const BlockIdentity& identity() const override { return identity_; }
    Arch arch() const override { return port_.arch(); }
    void issue(const Instruction& instruction) override {
        note_progress();
        port_.issue(instruction);
    }
    void scalar_work(unsigned operations, SourceLocation where) override {
        port_.scalar_work(operations, where);
    }
    uint64_t load_global(uint64_t address, DType type, SourceLocation where) override {
        return port_.load_global(address, type, where);
    }
    void store_global(uint64_t address, DType type, uint64_t bits, SourceLocation where) override {
        port_.store_global(address, type, bits, where);
    }
    uint64_t atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                           SourceLocation where) override {
        return port_.atomic_global(address, type, mode, bits, where);
    }
    void use_cache(const CacheUse& use) override { port_.use_cache(use); }
    uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation where) override {
        return port_.load_local(tile, offset, where);
    }
    void store_local(const Tile& tile, int64_t offset, uint64_t bits,
                     SourceLocation where) override {
        port_.store_local(tile, offset, bits, where);
    }
    void print(std::string_view text) override { port_.print(text); }
    uint64_t cycle() override { return port_.cycle(); }
    uint64_t system_counter() override { return port_.system_counter(); }
    unsigned core_index() const override { return port_.core_index(); }

 private:
    KernelPort& port_;
    BlockIdentity identity_;
};

// Of the file that was assembled, if it is still there: findings then show its lines.
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
        const uint16_t number = sources_->add(*file, own ? text_of(*file) : std::string());
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
    // All addresses are there already; the core checks them.
    options.budgets.fill(std::numeric_limits<uint32_t>::max());
    added.kernel = assembly::bind(*module, options);
    added.kernel->relocate(std::span(kernel.lines, kernel.line_count), sources_, added.first_file);
    return *added.kernel;
}

void run_assembly(const assembly::AssemblyKernel& kernel, const ptosim_part& part, KernelPort& port,
                  KernelArguments arguments) {
    PartOfLaunch own(port, part);
    kernel.run(own, arguments);
}

}  // namespace ptosim
