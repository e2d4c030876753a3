// A core for the control flow of a kernel alone: nothing that it issues is executed.
#pragma once

#include <cstdint>
#include <functional>

#include "isa/core/kernel.h"

namespace ptosim {

// The launch in which it runs.
struct DryLaunch {
    Arch arch = Arch::kA2A3;
    uint32_t blocks = 1;
    uint64_t most_operations = 20'000;  // scalar operations and instructions of a core
    // An element of global memory as it is before the launch.
    std::function<uint64_t(uint64_t address, DType type)> load;
};

class DryPort final : public KernelPort {
 public:
    // Thrown when a core has done DryLaunch::most_operations.
    struct TooMuch {};

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
    unsigned core_index() const override { return 0; }
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

// The cores of a launch whose control flow is run: of its first and last blocks, and of one in the
// middle.
std::vector<BlockIdentity> dry_cores(const Kernel& kernel, uint32_t blocks);

}  // namespace ptosim
