// Fixture for unit tests of the machine: a tiny chip with round numbers, kernels that are scripts, and a log of the
// times of each instruction. A SYSTEMC_TEST may build one Machine, and launch on it any number of times.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/chip/chip.h"
#include "sim/machine/event/systemc_test.h"

namespace ptosim {

// One cluster of an a2a3: an AIC and two AIVs. In cycles, at 1 GHz:
//   a block's control flow begins 10 after the block; an instruction takes 1 to issue, a scalar
//   operation 1, a scalar load 50
//   TLOAD and TSTORE: 100 bytes a cycle, the result 20 after the last byte (TSTORE: 30)
//   TABS: a cycle for 256 bytes, the result 5 after them
//   TMATMUL of f16: 16 x 16 x 16 a cycle; TSTORE of L0C: 10 bytes a cycle, the result 30 after them
//   a cross-core signal: 100
//   a queue holds 4; shared memory is never a bottleneck
ChipModel tiny_chip();

// Builders of instructions. Tiles lie in UB; `slot` n begins at byte n * 16 KiB. Lines are 1, 2, 3...
Instruction load(unsigned slot, uint64_t address, int bytes);
Instruction store(uint64_t address, unsigned slot, int bytes);
Instruction absolute(unsigned destination, unsigned source, int bytes);
Instruction set_flag(Pipe source, Pipe destination, unsigned id);
Instruction wait_flag(Pipe source, Pipe destination, unsigned id);
Instruction barrier(Pipe pipe);
Instruction cross_set(Pipe pipe, unsigned id, unsigned mode = 2);
Instruction cross_wait(unsigned id);
Instruction get_buffer(Pipe pipe, unsigned id, unsigned mode = 0);
Instruction release_buffer(Pipe pipe, unsigned id, unsigned mode = 0);
// A product of 16 x 256 and 256 x 128 f16 at byte 0 of L0A, L0B and L0C (8192 bytes, 16 units), and its store; both
// with this phase.
Instruction product(UnitFlagPhase phase);
Instruction store_product(uint64_t address, UnitFlagPhase phase);
inline Instruction at_line(Instruction instruction, uint32_t line) {
    instruction.location.line = line;
    return instruction;
}

// The actions of a core in a block.
using Script = std::function<void(KernelPort&)>;

class ScriptKernel : public Kernel {
 public:
    ScriptKernel(Script aic, Script aiv) : aic_{std::move(aic)}, aiv_{std::move(aiv)} {
        sources_.add("script.pto", "", SourceLanguage::kAssembly);
    }
    std::string_view name() const override { return "script"; }
    const SourceMap& sources() const override { return sources_; }
    std::span<const Parameter> parameters() const override { return {}; }
    bool runs_on(CoreType core) const override { return static_cast<bool>(script(core)); }
    bool has_explicit_sync() const override { return true; }
    void run(KernelPort& port, KernelArguments) const override {
        script(port.identity().core)(port);
    }

 private:
    const Script& script(CoreType core) const { return core == CoreType::kAIC ? aic_ : aiv_; }

    Script aic_, aiv_;
    SourceMap sources_;
};

// Times of an instruction, as observers receive them.
struct Times {
    Cycle issued = 0, started = 0, pipe_free = 0, complete = 0;
    friend bool operator==(const Times&, const Times&) = default;
};
std::ostream& operator<<(std::ostream& out, const Times& times);

struct Stall {
    std::string pipe;  // "AIV00/MTE2"
    BlockReason reason{};
    Cycle begin = 0, end = 0;
    uint64_t released_by = 0;
    friend bool operator==(const Stall&, const Stall&) = default;
};
std::ostream& operator<<(std::ostream& out, const Stall& stall);

class Machine : private Observer {
 public:
    explicit Machine(ChipModel model = tiny_chip(), const MakeMemory& memory = one_domain);

    Chip& chip() { return chip_; }
    // Allocates bytes of global memory.
    uint64_t memory(uint64_t bytes);
    // Runs a script on the AIVs (one block, so one of them), or on a cluster.
    LaunchResult run(Script aiv, LaunchOptions options = one_block());
    LaunchResult run_cluster(Script aic, Script aiv, LaunchOptions options = one_block());
    static LaunchOptions one_block();

    // Times in the last launch, in cycles since its begin. Instructions of a core are numbered in the order of issue,
    // from 0.
    Times times(CoreId core, unsigned instruction) const;
    Times aiv(unsigned instruction) const { return times({CoreType::kAIV, 0}, instruction); }
    // The first stall of a lane ("AIV00/MTE2").
    Stall first_stall(const std::string& lane) const;
    const std::vector<Stall>& stalls() const { return stalls_; }  // in the order of their ends
    // Begin and end of each block, by block; for kernels of one core type.
    struct Block {
        CoreId core;
        Cycle begin = 0, end = 0;
    };
    const std::map<unsigned, Block>& blocks() const { return blocks_; }

 private:
    void on_launch(const LaunchEvent& event) override;
    void on_block_begin(const RunEvent& event) override;
    void on_block_end(const RunEvent& event) override;
    void on_complete(const InstructionEvent& event) override;
    void on_block(const BlockEvent& event) override;
    void on_unblock(const BlockEvent& event) override;

    Chip chip_;
    Cycle begin_ = 0;  // of the launch
    std::map<std::pair<CoreType, uint16_t>, std::vector<std::pair<uint64_t, Times>>> completed_;
    std::map<std::string, Stall> open_;
    std::vector<Stall> stalls_;
    std::map<unsigned, Block> blocks_;
};

}  // namespace ptosim
