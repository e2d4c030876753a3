// A vector function as one instruction of pipe V: the trace of its control flow.
//
// The executor of the control flow (a C++ kernel, a `.pto` text) numbers results from 1 on, each once, and names them
// as sources of later operations. A program has the bytes of UB that it reads and writes; of loaded data only the lanes
// that a later operation uses. It is made once for equal operations, and VECTOR_FUNCTION refers to it by its number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/intrinsics/vector_lanes.h"

namespace ptosim {

// `count` runs of bytes of UB, `pitch` bytes from one to the next.
struct ByteRuns {
    uint32_t begin = 0, length = 0, pitch = 0, count = 1;
    uint32_t end() const { return begin + (count - 1) * pitch + length; }
};

class VectorProgram {
 public:
    // Limit of separate runs; nearest ones are merged.
    static constexpr unsigned kMostRuns = 3;

    // Operations by numbers of values, which this turns into registers. Throws Fault for one that
    // breaks a rule.
    explicit VectorProgram(std::vector<VectorOperation> operations);

    struct Fault {
        size_t operation = 0;
        std::string code;  // "V02"
        std::string message, hint;
    };

    std::span<const VectorOperation> operations() const { return operations_; }
    // Registers and predicates that are in use at one time, and the number 0, which none is.
    unsigned registers() const { return registers_; }
    const std::vector<ByteRuns>& reads() const { return reads_; }
    const std::vector<ByteRuns>& writes() const { return writes_; }
    // Range of UB that an operation may touch, empty if none.
    using Extent = ByteExtent;
    Extent extent(size_t operation) const { return extents_[operation]; }
    // A run begins with these.
    struct Core {
        std::byte* ub = nullptr;  // byte 0
        uint64_t ub_bytes = 0;
        Numerics numerics = Numerics::kIEEE;
        uint32_t ar = 0;  // the register AR (IntrinsicState)
    };
    // The ranges of all operations. UB decides what VSTUR stores; a copy is changed.
    std::vector<Extent> extents(const Core& core) const;

    // True if it accesses addresses that depend on data.
    bool follows_data() const;
    // Accesses of a run beyond UB, which it has not done, and the first operation with one.
    struct Outside {
        uint64_t count = 0;
        const VectorOperation* first = nullptr;
    };
    // Leaves what AR becomes in the core.
    Outside run(Core& core) const;
    // Bytes of UB that have other values after a run if `unset` bytes have others before it, in
    // order. Found by runs on copies with several values of these bytes. Only bytes of stored
    // predicates have single bits.
    std::vector<UnsetBytes> depending(const Core& core, std::span<const UnsetBytes> unset) const;

 private:
    struct Analysis;
    void check() const;
    void assign_registers();

    std::vector<VectorOperation> operations_;
    unsigned registers_ = 1;
    std::vector<ByteRuns> reads_, writes_;
    std::vector<Extent> extents_;
};

// The number of the program of these operations, made if there is none yet. Any thread; Fault as
// above.
uint64_t vector_program(std::vector<VectorOperation> operations);
// By number.
const VectorProgram& vector_program(uint64_t number);
// Program of a VECTOR_FUNCTION.
const VectorProgram& vector_program(const Instruction& instruction);

// VECTOR_FUNCTION with the program and its footprint.
Instruction vector_function(uint64_t number, SourceLocation where);

}  // namespace ptosim
