// Kernels in PTO assembly inside compiled ones (include/ptosim/assembly.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "isa/assembly/program/interpreter.h"
#include "isa/core/kernel.h"
#include "ptosim/assembly.h"

namespace ptosim {

class AssemblyKernels {
 public:
    // Locations refer to `sources`.
    explicit AssemblyKernels(std::shared_ptr<SourceMap> sources) : sources_{std::move(sources)} {}
    // Must be called before the launch begins, because observers read the sources then.
    void add(const ptosim_assembly& kernel);
    // Reads and binds the kernel on first use. Throws DiagnosticError for a text that does not bind on the
    // architecture.
    const assembly::AssemblyKernel& get(const ptosim_assembly& kernel, Arch arch);

 private:
    struct Added {
        uint16_t first_file = 0;
        std::unique_ptr<assembly::AssemblyKernel> kernel;
    };

    std::shared_ptr<SourceMap> sources_;
    std::map<std::string, Added, std::less<>> added_;  // by id
};

// Runs the kernel as the given part of a launch. `externals` are the functions that its text declares without a body;
// `call` calls them as code of the kernel.
using CallExternal =
    std::function<uint64_t(const ptosim_external_function& function, const uint64_t* words)>;
void run_assembly(const assembly::AssemblyKernel& kernel, const ptosim_part& part, KernelPort& port,
                  KernelArguments arguments, const ptosim_external_function* externals,
                  const CallExternal& call);

}  // namespace ptosim
