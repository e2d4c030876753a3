// Runs a bound `.pto` function on a core.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/assembly/program/program.h"
#include "isa/assembly/program/step_counts.h"
#include "isa/core/kernel.h"

namespace ptosim::assembly {

class StepListener;

class AssemblyKernel final : public Kernel {
 public:
    struct Traits {
        std::string name;
        bool on_aic = false;
        bool on_aiv = false;
        bool explicit_sync = false;
    };

    AssemblyKernel(Traits traits, SourceMap sources, std::vector<Parameter> parameters,
                   Program program)
        : traits_{std::move(traits)},
          sources_{std::make_shared<const SourceMap>(std::move(sources))},
          parameters_{std::move(parameters)},
          program_{std::move(program)} {}

    // Returns the kernel with other steps, and the same sources.
    AssemblyKernel with_program(Program program) const {
        return {traits_, sources_, parameters_, std::move(program)};
    }

    std::string_view name() const override { return traits_.name; }
    const SourceMap& sources() const override { return *sources_; }
    std::span<const Parameter> parameters() const override { return parameters_; }
    bool runs_on(CoreType core) const override {
        return core == CoreType::kAIC ? traits_.on_aic : traits_.on_aiv;
    }
    bool has_explicit_sync() const override { return traits_.explicit_sync; }
    bool keeps_clusters_apart() const override;
    // Throws DiagnosticError for errors of the control flow itself: a division by zero, a trap, an index outside a
    // local array, a negative shape.
    void run(KernelPort& port, KernelArguments arguments) const override;

    const Program& program() const { return program_; }
    KernelForm form() const override { return KernelForm::kSteps; }
    // From now on, counts the executed steps in the given array, which has room for all of them; null ends the
    // counting.
    void count_steps(StepCounts* counts) const { counts_ = counts; }
    // From now on, calls the listener at each step, instead of counting; null ends it.
    void tell_steps(StepListener* listener) const { listener_ = listener; }
    // Makes the messages of the kernel refer to another text than the one it was read from: `lines`
    // has the line of `sources` for each line of that text; its files begin with number
    // `first_file` there.
    void relocate(std::span<const uint32_t> lines, std::shared_ptr<const SourceMap> sources,
                  uint16_t first_file = 0);

 private:
    AssemblyKernel(const Traits& traits, std::shared_ptr<const SourceMap> sources,
                   const std::vector<Parameter>& parameters, Program program)
        : traits_{traits},
          sources_{std::move(sources)},
          parameters_{parameters},
          program_{std::move(program)} {}

    Traits traits_;
    std::shared_ptr<const SourceMap> sources_;
    std::vector<Parameter> parameters_;
    Program program_;
    mutable StepListener* listener_ = nullptr;
    mutable StepCounts* counts_ = nullptr;  // does not change what the kernel does
};

// The kernel as a program of steps; null if it is code.
inline const AssemblyKernel* steps_of(const Kernel& kernel) {
    return kernel.form() == KernelForm::kSteps ? static_cast<const AssemblyKernel*>(&kernel) : nullptr;
}

}  // namespace ptosim::assembly
