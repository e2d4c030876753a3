#include "isa/assembly/paths/dry_run.h"

#include <set>

namespace ptosim::assembly {
namespace {

struct TooMuch {};

class DryPort final : public KernelPort {
 public:
    DryPort(const DryLaunch& launch, const BlockIdentity& identity)
        : launch_{launch}, identity_{identity} {}

    uint64_t operations() const { return done_; }

    const BlockIdentity& identity() const override { return identity_; }
    Arch arch() const override { return launch_.arch; }
    void issue(const Instruction&) override { work(1); }
    void scalar_work(unsigned operations, SourceLocation) override { work(operations); }
    uint64_t load_global(uint64_t address, DType type, ScalarPath, SourceLocation) override {
        work(1);
        return launch_.load ? launch_.load(address, type) : 0;
    }
    void store_global(uint64_t, DType, uint64_t, ScalarPath, SourceLocation) override { work(1); }
    void store_line(uint64_t, DType, uint64_t, SourceLocation) override { work(1); }
    uint64_t atomic_global(uint64_t, DType, AtomicMode, uint64_t, SourceLocation) override {
        work(1);
        return 0;
    }
    uint64_t load_local(const Tile&, int64_t, SourceLocation) override {
        work(1);
        return 0;
    }
    void store_local(const Tile&, int64_t, uint64_t, SourceLocation) override { work(1); }
    void print(std::string_view) override {}
    uint64_t cycle() override { return done_; }
    unsigned core_index() const override { return identity_.block; }
    uint64_t system_counter() override { return done_; }
    std::optional<uint64_t> call_external(std::string_view, std::span<const uint64_t>) override {
        return 0;
    }

 private:
    void work(uint64_t operations) {
        done_ += operations;
        if (done_ > launch_.most_operations) throw TooMuch{};
    }

    const DryLaunch& launch_;
    const BlockIdentity identity_;
    uint64_t done_ = 0;
};

std::set<uint32_t> sample(uint32_t blocks) {
    std::set<uint32_t> chosen;
    for (const uint32_t block : {0u, 1u, blocks / 2, blocks - 2, blocks - 1})
        if (block < blocks) chosen.insert(block);
    return chosen;
}

}  // namespace

DryRun dry_run(const AssemblyKernel& kernel, KernelArguments arguments, const DryLaunch& launch) {
    constexpr uint32_t kVectorCores = 2;  // of a cluster
    DryRun run;
    run.counts.executed.resize(kernel.program().steps.size());
    run.counts.jumped.resize(kernel.program().steps.size());
    const bool aic = kernel.runs_on(CoreType::kAIC), aiv = kernel.runs_on(CoreType::kAIV);
    std::vector<BlockIdentity> identities;
    for (const uint32_t block : sample(launch.blocks)) {
        if (aic) identities.push_back({CoreType::kAIC, block, launch.blocks, 0, 1});
        const uint32_t subblocks = aic ? kVectorCores : 1;
        for (uint32_t i = 0; aiv && i < subblocks; ++i)
            identities.push_back({CoreType::kAIV, block, launch.blocks, i, subblocks});
    }
    kernel.count_steps(&run.counts);
    for (const BlockIdentity& identity : identities) {
        DryPort port(launch, identity);
        try {
            kernel.run(port, arguments);
        } catch (const TooMuch&) {
            run.ended = false;
        } catch (const DiagnosticError&) {
            run.failed = true;
        }
        run.operations += port.operations();
    }
    kernel.count_steps(nullptr);
    return run;
}

}  // namespace ptosim::assembly
