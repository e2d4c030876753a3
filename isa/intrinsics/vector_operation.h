// The second instruction level: the operations of a vector function of an a5 (`__VEC_SCOPE__`, `pto.vecscope`).
// Operations work on registers of 256 bytes and on predicates of 256 bits, one for each byte: a lane of four bytes is
// active if the first of its four bits is set.
//
// A function is the trace of its control flow: a list of operations, in which every result has a separate number
// (isa/intrinsics/vector_program.h). The rows are in .def files next to the sources that implement them. Names,
// operands and meaning are those of PTO-ISA/PTO-Gym docs/PTO-micro-Instruction-SPEC.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "isa/core/execution.h"
#include "isa/numeric/dtype.h"
#include "isa/numeric/rounding.h"
#include "isa/table/instruction_table.h"

namespace ptosim {

inline constexpr unsigned kVectorBytes = 256;
inline constexpr unsigned kBlockBytes = 32;  // what one of the eight parts of the unit works on

enum class VectorOpcode : uint16_t {
#define PTO_VECTOR_OPCODE(NAME) k##NAME,
#include "isa/vector_opcodes.def"
#undef PTO_VECTOR_OPCODE
};
inline constexpr unsigned kVectorOpcodeCount = 0
#define PTO_VECTOR_OPCODE(NAME) +1
#include "isa/vector_opcodes.def"
#undef PTO_VECTOR_OPCODE
    ;

// include/ptosim/vector_modes.def.
enum class VectorMode : uint8_t {
#define PTO_VECTOR_MODE(NAME, NUMBER) k##NAME = NUMBER,
#include "include/ptosim/vector_modes.def"
};

// Equal operations are equal bytes: programs are compared and hashed as such.
struct VectorOperation {
    VectorOpcode opcode{};
    DType type = DType::kF32;  // of the lanes that it reads; of predicates, one of that width
    DType to = DType::kF32;    // of the lanes that it makes
    VectorMode mode = VectorMode::kNone;
    RoundMode round = RoundMode::kNone;
    Saturation saturation = Saturation::kOff;
    bool merges = false;  // lanes that are not active keep what sources[3] has, instead of 0
    std::array<uint32_t, 2> results{};
    std::array<uint32_t, 4> sources{};
    uint32_t mask = 0;     // the predicate that says which lanes are active; 0: all
    uint32_t address = 0;  // byte in UB
    uint32_t line = 0;     // in the kernel's source
    uint16_t block_stride = 0, repeat_stride = 0;  // in blocks of 32 bytes
    uint64_t scalar = 0;                           // an element's bits, right-aligned; or a count
};
static_assert(std::has_unique_object_representations_v<VectorOperation>);

// Kind of a result or source.
enum class VectorValue : uint8_t { kNone, kRegister, kPredicate };

// Part of the unit that an operation occupies.
enum class VectorUnit : uint8_t { kLoad, kStore, kCompute, kNone };

class VectorLanes;

struct VectorOperationInfo {
    VectorOpcode opcode{};
    std::string_view name;  // "VADD"
    // Results, an equals sign and sources: r a register, p a predicate, m the mask; "r=rrm".
    std::string_view signature;
    DTypeSet types;  // that `type` may be
    VectorUnit unit = VectorUnit::kCompute;
    // The tile instruction whose rate has its latency.
    Opcode timed_as{};
    void (*compute)(VectorLanes&) = nullptr;
    std::string_view summary;

    unsigned results() const { return static_cast<unsigned>(signature.find('=')); }
    unsigned sources() const;
    bool masked() const { return signature.ends_with('m'); }
    VectorValue result(unsigned i) const;
    VectorValue source(unsigned i) const;
    // Each lane of the result depends only on the same lane of the sources.
    bool lanewise = false;
};

const VectorOperationInfo& info(VectorOpcode opcode);
// By "VADD"; null for an unknown word.
const VectorOperationInfo* find_vector_operation(std::string_view name);

// Number of bytes of UB that an operation touches from its address on (if it follows indices, the size of its lanes),
// and the alignment of its address.
struct VectorFootprint {
    uint32_t bytes = 0;
    uint32_t alignment = 1;
};
VectorFootprint footprint_of(const VectorOperation& operation);

// By a word of .pto, "BRC_B16"; nothing for an unknown one. "NORM", "US" and the like mean another
// mode to operations that access predicates.
std::optional<VectorMode> find_vector_mode(std::string_view word, VectorOpcode opcode);
// False if the operation accesses UB and does not have this mode.
bool has_mode(VectorOpcode opcode, VectorMode mode);

}  // namespace ptosim
