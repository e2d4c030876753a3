// A core's port for a kernel that gets another position in the launch than the core's own.
#pragma once

#include "isa/core/kernel.h"
#include "isa/core/signal_listener.h"

namespace ptosim {

class RelayedPort : public KernelPort, public SignalListener {
 public:
    // The port must outlive this one.
    RelayedPort(KernelPort& port, const BlockIdentity& identity)
        : port_{port}, identity_{identity} {}

    const BlockIdentity& identity() const override { return identity_; }
    Arch arch() const override { return port_.arch(); }
    void issue(const Instruction& instruction) override { port_.issue(instruction); }
    void scalar_work(unsigned operations, SourceLocation where) override {
        port_.scalar_work(operations, where);
    }
    void scalar_code(uint64_t instructions) override { port_.scalar_code(instructions); }
    CachedLines cached_lines() const override { return port_.cached_lines(); }
    void load_line(uint64_t address) override { port_.load_line(address); }
    uint64_t load_global(uint64_t address, DType type, ScalarPath path,
                         SourceLocation where) override {
        return port_.load_global(address, type, path, where);
    }
    void store_global(uint64_t address, DType type, uint64_t bits, ScalarPath path,
                      SourceLocation where) override {
        port_.store_global(address, type, bits, path, where);
    }
    void store_line(uint64_t address, DType type, uint64_t bits, SourceLocation where) override {
        port_.store_line(address, type, bits, where);
    }
    uint64_t atomic_global(uint64_t address, DType type, AtomicMode mode, uint64_t bits,
                           SourceLocation where) override {
        return port_.atomic_global(address, type, mode, bits, where);
    }
    void read_signals(const GlobalView& view, SourceLocation where) override {
        port_.read_signals(view, where);
    }
    void use_cache(const CacheUse& use) override { port_.use_cache(use); }
    void follow_pointer(const CacheUse& use) override { port_.follow_pointer(use); }
    void follow_local(uint64_t address, uint64_t size, bool writes, SourceLocation where) override {
        port_.follow_local(address, size, writes, where);
    }
    WatchedMemory watched() const override { return port_.watched(); }
    uint64_t local_size(Space space) const override { return port_.local_size(space); }
    void note_masked_write(const MaskedWrite& write) override { port_.note_masked_write(write); }
    CoreRegisters* registers() override { return port_.registers(); }
    void use_left_register(unsigned number, std::string_view instruction, SourceLocation where) override {
        port_.use_left_register(number, instruction, where);
    }
    uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation where) override {
        return port_.load_local(tile, offset, where);
    }
    void store_local(const Tile& tile, int64_t offset, uint64_t bits,
                     SourceLocation where) override {
        port_.store_local(tile, offset, bits, where);
    }
    uint64_t result_register(unsigned which, SourceLocation where) override {
        return port_.result_register(which, where);
    }
    std::byte* local_bytes(Space space) override { return port_.local_bytes(space); }
    void warn(Diagnostic diagnostic) override { port_.warn(std::move(diagnostic)); }
    void print(std::string_view text) override { port_.print(text); }
    uint64_t cycle() override { return port_.cycle(); }
    uint64_t system_counter() override { return port_.system_counter(); }
    unsigned core_index() const override { return port_.core_index(); }
    void awaits(const AwaitedSignal& signal) override {
        if (auto* const listener = dynamic_cast<SignalListener*>(&port_)) listener->awaits(signal);
    }
    void no_longer_awaits() override {
        if (auto* const listener = dynamic_cast<SignalListener*>(&port_))
            listener->no_longer_awaits();
    }

 private:
    KernelPort& port_;
    BlockIdentity identity_;
};

}  // namespace ptosim
