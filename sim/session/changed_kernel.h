// Kernels whose order differs from that of their code in a few places, at the level of the
// instructions that they issue: mends and advice can be tried without compiling anything again.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "isa/core/forwarding_port.h"
#include "sim/check/mend.h"
#include "traces/analyse/trial.h"

namespace ptosim {

// With the steps of a mend.
class ChangedKernel final : public DerivedKernel {
 public:
    ChangedKernel(const Kernel& kernel, std::vector<check::MendStep> steps)
        : DerivedKernel{kernel}, steps_{std::move(steps)} {}
    void run(KernelPort& port, KernelArguments arguments) const override;

 private:
    const std::vector<check::MendStep> steps_;
};

// With the steps of a trial.
class TrialKernel final : public DerivedKernel {
 public:
    TrialKernel(const Kernel& kernel, std::vector<TrialStep> steps)
        : DerivedKernel{kernel}, steps_{std::move(steps)} {}
    void run(KernelPort& port, KernelArguments arguments) const override;

 private:
    const std::vector<TrialStep> steps_;
};

std::string pack(const Trial& trial);
Trial unpack_trial(const std::string& text);

// The cycles of changes that have been simulated, next to a recording, so that reports made from it
// later agree with those of the run.
class TrialResults {
 public:
    static constexpr const char* kFile = "trials.tsv";
    void add(const Trial& trial, std::optional<Cycle> cycles);
    void write(const std::filesystem::path& folder) const;
    static TrialResults read(const std::filesystem::path& folder);
    // Looks results up; empty if there are none. This object must outlive it.
    TryChange attempt() const;

 private:
    std::map<std::string, Cycle> results_;  // 0: the changed kernel does not end or is wrong
};

}  // namespace ptosim
