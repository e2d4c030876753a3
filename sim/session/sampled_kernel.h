// A kernel whose time is sampled (sim/machine/sample/sampler.h).
#pragma once

#include "isa/core/forwarding_port.h"
#include "sim/machine/sample/sampled_port.h"

namespace ptosim {

class SampledKernel final : public DerivedKernel {
 public:
    SampledKernel(const Kernel& kernel, Sampler& sampler)
        : DerivedKernel{kernel}, sampler_{sampler} {}

    void run(KernelPort& port, KernelArguments arguments) const override {
        SampledPort sampled(port, sampler_);
        try {
            kernel_.run(sampled, arguments);
        } catch (const DiagnosticError&) {
            sampled.end();
            throw;
        }
        sampled.end();
    }

 private:
    Sampler& sampler_;
};

}  // namespace ptosim
