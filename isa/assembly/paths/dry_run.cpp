#include "isa/assembly/paths/dry_run.h"

#include <set>

namespace ptosim {

std::vector<BlockIdentity> dry_cores(const Kernel& kernel, uint32_t blocks) {
    constexpr uint32_t kVectorCores = 2;  // of a cluster
    std::set<uint32_t> chosen;
    for (const uint32_t block : {0u, 1u, blocks / 2, blocks - 2, blocks - 1})
        if (block < blocks) chosen.insert(block);
    const bool aic = kernel.runs_on(CoreType::kAIC), aiv = kernel.runs_on(CoreType::kAIV);
    std::vector<BlockIdentity> cores;
    for (const uint32_t block : chosen) {
        if (aic) cores.push_back({CoreType::kAIC, block, blocks, 0, 1});
        const uint32_t subblocks = aic ? kVectorCores : 1;
        for (uint32_t i = 0; aiv && i < subblocks; ++i)
            cores.push_back({CoreType::kAIV, block, blocks, i, subblocks});
    }
    return cores;
}

namespace assembly {

DryRun dry_run(const AssemblyKernel& kernel, KernelArguments arguments, const DryLaunch& launch) {
    DryRun run;
    run.counts.executed.resize(kernel.program().steps.size());
    run.counts.jumped.resize(kernel.program().steps.size());
    kernel.count_steps(&run.counts);
    for (const BlockIdentity& identity : dry_cores(kernel, launch.blocks)) {
        DryPort port(launch, identity);
        try {
            kernel.run(port, arguments);
        } catch (const DryPort::TooMuch&) {
            run.ended = false;
        } catch (const DiagnosticError&) {
            run.failed = true;
        }
        run.operations += port.operations();
    }
    kernel.count_steps(nullptr);
    return run;
}

}  // namespace assembly
}  // namespace ptosim
