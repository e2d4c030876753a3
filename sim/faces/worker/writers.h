// Finds the instruction that last wrote a byte of global memory, and the arrays that a kernel reads and writes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/check/written_bytes.h"
#include "sim/machine/memory/global_memory.h"
#include "sim/machine/observe/observer.h"

namespace ptosim::worker {

class Writers : public Observer {
 public:
    // Must be called before the launch with a device address.
    void watch(uint64_t address) { watched_.push_back({address, {}}); }

    struct Writer {
        bool found = false;
        std::string core, pipe, instruction, file;
        uint32_t line = 0;
        uint64_t block = 0;
        uint64_t cycle = 0;     // when its data were written
        uint64_t sequence = 0;  // of the instruction, on its core
        std::string tile;       // the stored tile: "UB 0x400 16x64 f32"; empty: a scalar store
        std::string source;     // the text of the line
    };
    // Numbers of instructions, and of loads and stores of scalar units, by the address of the array.
    struct Uses {
        uint64_t reads = 0, writes = 0;
        // Bytes of an initially undefined array that changed without an instruction: the host code in a compiled kernel
        // stored them, which takes no simulated time.
        uint64_t stored_by_host = 0;
    };
    void set_memory(const GlobalMemory& memory) { memory_ = &memory; }
    // Declares an array undefined: every byte of it holds `fresh`.
    void undefined(uint64_t address, uint64_t size, std::byte fresh) {
        undefined_[address] = {size, fresh, {}};
    }
    // A launch follows; `compiled`: its code may itself store to memory.
    void launches(bool compiled) { compiled_ = compiled_ || compiled; }
    // Must be called after the last launch.
    const std::map<uint64_t, Uses>& finish();

    // Lines of instructions that ran, by file.
    std::map<std::string, std::vector<uint32_t>> lines() const;

    struct Watched {
        uint64_t address = 0;
        Writer writer;
    };
    const std::vector<Watched>& watched() const { return watched_; }

    bool follows_instructions() const override { return false; }
    unsigned needs() const override { return 1u << kSynchronised | 1u << kAccesses; }
    void on_launch(const LaunchEvent& event) override { sources_ = event.sources; }
    void on_block_begin(const RunEvent& event) override;
    void on_complete(const InstructionEvent& event) override;
    void on_scalar_access(const ScalarAccessEvent& event) override;

 private:
    void note(Watched& watched, CoreId core, std::string pipe, SourceLocation location, Cycle time);
    uint32_t& block_of(CoreId core);
    void count(const Access& access);
    void keep_stored(const Access& access, const Instruction* instruction);

    std::vector<Watched> watched_;
    std::vector<uint32_t> blocks_[2];  // by core type and core: its current block
    const GlobalMemory* memory_ = nullptr;
    std::map<uint64_t, Uses> uses_;
    struct Undefined {
        uint64_t size = 0;
        std::byte fresh{};
        check::WrittenBytes stored;  // by instructions; offsets in the array
    };
    std::map<uint64_t, Undefined> undefined_;  // by address
    bool compiled_ = false;
    std::vector<std::vector<bool>> executed_;  // by file and line
    const SourceMap* sources_ = nullptr;
};

}  // namespace ptosim::worker
