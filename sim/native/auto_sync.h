// Synchronisation that the device's compiler inserts into Ascend C (--cce-auto-sync=on, its default): on vector cores
// barriers between instructions of pipe V, and flags between the scalar unit and the pipes V, MTE2 and MTE3 (asc-devkit
// docs/zh/api, key features of synchronisation within a core, table 3). The compiler decides by the tensors in the
// source. This class decides by the bytes of each instruction: a conflict that is not yet ordered gets its barrier or
// flag.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "isa/core/instruction.h"
#include "isa/table/access.h"

namespace ptosim {

class AutoSync {
 public:
    using Emit = std::function<void(const Instruction&)>;

    // Emits the synchronisation before an instruction of the kernel, and records the instruction.
    void before(const Instruction& instruction, Arch arch, const Emit& emit);
    // The same for an access of the scalar unit.
    void before_scalar(const Access& access, SourceLocation where, const Emit& emit);
    // The same for reading a register that pipe V writes.
    void before_result(SourceLocation where, const Emit& emit);

 private:
    // Accesses of pipe `from` that are not ordered before pipe `to`.
    struct Edge {
        Pipe from, to;
        std::vector<Access> open{};
        std::array<size_t, 8> flagged{};  // number of accesses ordered by a flag that is not yet awaited
        std::array<bool, 8> set{};        // flags that are set
    };
    static constexpr size_t kMostOpen = 48;

    void order(Edge& edge, SourceLocation where, const Emit& emit);
    void add(Edge& edge, const Access& access);
    void note_sync(const Instruction& instruction);
    static bool conflicts(const Edge& edge, const Access& access);

    std::array<Edge, 7> edges_{{{Pipe::kV, Pipe::kV},
                                {Pipe::kV, Pipe::kS},
                                {Pipe::kS, Pipe::kV},
                                {Pipe::kMTE2, Pipe::kS},
                                {Pipe::kS, Pipe::kMTE2},
                                {Pipe::kMTE3, Pipe::kS},
                                {Pipe::kS, Pipe::kMTE3}}};
};

}  // namespace ptosim
