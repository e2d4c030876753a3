// A KernelPort that passes every call on, for ports that change some of them.
#pragma once

#include "isa/core/kernel.h"
#include "isa/core/thread_run.h"

namespace ptosim {

class ForwardingPort : public KernelPort {
 public:
    explicit ForwardingPort(KernelPort& port) : port_{port} {}
    const BlockIdentity& identity() const override { return port_.identity(); }
    Arch arch() const override { return port_.arch(); }
    void issue(const Instruction& instruction) override { port_.issue(instruction); }
    void scalar_work(unsigned operations, SourceLocation where) override {
        port_.scalar_work(operations, where);
    }
    void scalar_code(uint64_t instructions) override { port_.scalar_code(instructions); }
    CachedLines cached_lines() const override { return port_.cached_lines(); }
    uint64_t image_data(std::span<const std::byte> data, const std::string& name) override {
        return port_.image_data(data, name);
    }
    std::pair<uint64_t, uint64_t> global_range() const override { return port_.global_range(); }
    void load_line(uint64_t address) override { port_.load_line(address); }
    uint64_t load_global(uint64_t address, DType type, ScalarPath path,
                         SourceLocation where) override {
        touch(where);
        return port_.load_global(address, type, path, where);
    }
    void store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                      SourceLocation where) override {
        touch(where);
        port_.store_global(address, type, bits, path, where);
    }
    void store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where) override {
        touch(where);
        port_.store_line(address, type, bits, where);
    }
    uint64_t atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                           SourceLocation where) override {
        touch(where);
        return port_.atomic_global(address, type, mode, bits, where);
    }
    void read_signals(const GlobalView& view, SourceLocation where) override {
        touch(where);
        port_.read_signals(view, where);
    }
    void use_cache(const CacheUse& use) override { port_.use_cache(use); }
    void follow_pointer(const CacheUse& use) override { port_.follow_pointer(use); }
    void follow_local(uint64_t address, uint64_t size, bool writes, SourceLocation where) override {
        port_.follow_local(address, size, writes, where);
    }
    WatchedMemory watched() const override { return port_.watched(); }
    CoreRegisters* registers() override { return port_.registers(); }
    void use_left_register(unsigned number, std::string_view instruction,
                           SourceLocation where) override {
        port_.use_left_register(number, instruction, where);
    }
    void note_masked_write(const MaskedWrite& write) override { port_.note_masked_write(write); }
    uint64_t local_size(Space space) const override { return port_.local_size(space); }
    uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation where) override {
        touch(where);
        return port_.load_local(tile, offset, where);
    }
    void store_local(const Tile& tile, int64_t offset, uint64_t bits,
                     SourceLocation where) override {
        touch(where);
        port_.store_local(tile, offset, bits, where);
    }
    uint64_t result_register(unsigned which, SourceLocation where) override {
        touch(where);
        return port_.result_register(which, where);
    }
    std::byte* local_bytes(Space space) override { return port_.local_bytes(space); }
    std::unique_ptr<ThreadRun> begin_threads(const ThreadLaunch& launch) override { return port_.begin_threads(launch); }
    void warn(Diagnostic d) override { port_.warn(std::move(d)); }
    void print(std::string_view text) override { port_.print(text); }
    uint64_t cycle() override { return port_.cycle(); }
    unsigned core_index() const override { return port_.core_index(); }
    uint64_t system_counter() override { return port_.system_counter(); }
    bool shares_launch() const override { return port_.shares_launch(); }
    std::optional<uint64_t> call_external(std::string_view function,
                                          std::span<const uint64_t> words) override {
        return port_.call_external(function, words);
    }

 protected:
    // The scalar unit is about to access memory itself.
    virtual void touch(SourceLocation) {}

    KernelPort& port_;
};

// A kernel with another control flow, which is code; everything else is that of the kernel, which must outlive it.
class DerivedKernel : public Kernel {
 public:
    explicit DerivedKernel(const Kernel& kernel) : kernel_{kernel} {}
    std::string_view name() const override { return kernel_.name(); }
    const SourceMap& sources() const override { return kernel_.sources(); }
    std::span<const Parameter> parameters() const override { return kernel_.parameters(); }
    bool runs_on(CoreType core) const override { return kernel_.runs_on(core); }
    bool has_explicit_sync() const override { return kernel_.has_explicit_sync(); }
    bool follows_pointers() const override { return kernel_.follows_pointers(); }
    std::string_view unrecorded_source() const override { return kernel_.unrecorded_source(); }

 protected:
    const Kernel& kernel_;
};

}  // namespace ptosim
