// A core for tests: keeps the issued instructions, and a small global memory.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "isa/assembly/bind/binder.h"
#include "isa/assembly/context/module_functions.h"
#include "isa/assembly/syntax/parser.h"

namespace ptosim::assembly {

class RecordingPort : public KernelPort {
 public:
    // Thrown when a kernel does not end without help.
    struct Stopped : std::runtime_error {
        Stopped() : std::runtime_error("too much work") {}
    };

    const BlockIdentity& identity() const override { return block; }
    Arch arch() const override { return Arch::kA2A3; }
    void issue(const Instruction& instruction) override { issued.push_back(instruction); }
    void scalar_work(unsigned operations, SourceLocation) override {
        work += operations;
        if (work > work_limit) throw Stopped();
    }
    uint64_t load_global(uint64_t address, DType, ScalarPath, SourceLocation) override {
        return memory[address];
    }
    void store_global(uint64_t address, DType, uint64_t bits, ScalarPath, SourceLocation) override {
        memory[address] = bits;
    }
    void store_line(uint64_t address, DType, uint64_t bits, SourceLocation) override {
        memory[address] = bits;
    }
    uint64_t atomic_global(uint64_t address, DType, AtomicMode, uint64_t bits,
                           SourceLocation) override {
        return std::exchange(memory[address], memory[address] + bits);
    }
    uint64_t load_local(const Tile& tile, int64_t offset, SourceLocation) override {
        return local[tile.address + static_cast<uint64_t>(offset) * bits(tile.dtype) / 8];
    }
    void store_local(const Tile& tile, int64_t offset, uint64_t value, SourceLocation) override {
        local[tile.address + static_cast<uint64_t>(offset) * bits(tile.dtype) / 8] = value;
    }
    void print(std::string_view text) override { printed += text; }
    uint64_t cycle() override { return 0; }
    uint64_t system_counter() override { return 0; }
    unsigned core_index() const override { return 0; }

    BlockIdentity block{CoreType::kAIV, 0, 1, 0, 1};
    std::vector<Instruction> issued;
    std::map<uint64_t, uint64_t> memory, local;
    std::string printed;
    uint64_t work = 0;
    uint64_t work_limit = 1 << 24;
};

inline BindOptions test_options() {
    BindOptions options;
    // Ascend 910B, in the order of Space.
    options.budgets = {192 * 1024, 512 * 1024, 64 * 1024, 64 * 1024, 128 * 1024, 1024, 2048, 0, 0};
    return options;
}

inline std::unique_ptr<AssemblyKernel> bind_text(const std::string& text,
                                                 BindOptions options = test_options()) {
    const auto module = parse("k.pto", text);
    return bind(*module, options);
}

// Runs a body that stores i64 results through %out, and returns element `index`.
struct Result {
    RecordingPort port;
    int64_t at(uint64_t index) { return static_cast<int64_t>(port.memory.at(4096 + 8 * index)); }
};

inline std::string kernel_text(const std::string& body, const std::string& parameters = "") {
    return "module {\nfunc.func @k(%out: !pto.ptr<i64>" + parameters + ") {\n" + body +
           "\nreturn\n}\n}\n";
}

inline Result run_body(const std::string& body, const std::string& parameters = "",
                       std::vector<uint64_t> arguments = {}) {
    Result result;
    arguments.insert(arguments.begin(), 4096);
    bind_text(kernel_text(body, parameters))->run(result.port, arguments);
    return result;
}

inline std::string code_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const DiagnosticError& error) {
        return error.diagnostics()[0].code;
    }
    return "";
}

}  // namespace ptosim::assembly
