// Intrinsics (CCE): instructions of the level below tiles. A call is an opcode with integers, addresses, and the
// registers that the scalar unit has written.
//
// A vector intrinsic of a2a3 works on vectors in UB. It is repeated: each repeat gathers eight blocks of 32 bytes of a
// source (block stride within the repeat, repeat stride between repeats), computes lane by lane, and writes the lanes
// that the mask makes active. In counter mode the mask is a number of elements, which determines the number of repeats.
// Other intrinsics move data between memories or multiply matrices. The rows are in .def files next to the sources that
// implement them (isa/intrinsics/intrinsics.def).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isa/core/arch.h"
#include "isa/core/execution.h"
#include "isa/core/opcode.h"
#include "isa/numeric/dtype.h"
#include "isa/table/instruction_table.h"

namespace ptosim {

enum class IntrinsicOpcode : uint16_t {
#define PTO_INTRINSIC_OPCODE(NAME) k##NAME,
#include "isa/intrinsic_opcodes.def"
#undef PTO_INTRINSIC_OPCODE
};
inline constexpr unsigned kIntrinsicOpcodeCount = 0
#define PTO_INTRINSIC_OPCODE(NAME) +1
#include "isa/intrinsic_opcodes.def"
#undef PTO_INTRINSIC_OPCODE
    ;

// Registers that the scalar unit has written, with their values at the issue of the call.
struct IntrinsicRegisters {
    // set_vector_mask(high, low): low is the first, of lanes 0 to 63. In counter mode the first is
    // the number of elements.
    std::array<uint64_t, 2> mask{};
    uint64_t ctrl = 0;
    friend bool operator==(const IntrinsicRegisters&, const IntrinsicRegisters&) = default;
};
inline constexpr unsigned kCtrlFloatsOverflow = 48;  // conversions to f16, bf16 give infinities
inline constexpr unsigned kCtrlIntegersWrap = 59;    // conversions to integers keep low bits

struct IntrinsicCall {
    static constexpr unsigned kMaxArguments = 11;
    static constexpr unsigned kMaxTypes = 3;

    // In the order of CCE. Addresses are bytes in their memory, scalars the bits of an element of the
    // first source (of dst, if there is none); an argument that CCE may leave out is 0. Registers
    // that only some rows read follow (kRegisterValue). The calls whose addresses are in VA
    // registers have these instead (transposition_call).
    std::array<uint64_t, kMaxArguments> arguments{};
    IntrinsicRegisters registers;
    IntrinsicOpcode opcode{};
    std::array<DType, kMaxTypes> types{};  // of address operands, in their order
    bool counter_mode = false;             // set_mask_count()
    friend bool operator==(const IntrinsicCall&, const IntrinsicCall&) = default;
};
static_assert(std::is_trivially_copyable_v<IntrinsicCall> && sizeof(IntrinsicCall) <= 120);
// Arguments of gathers (vgather, vgatherb): the address to which offsets are added, and, after those of CCE, the end of the
// tensor that begins before it; 0: unknown.
inline constexpr unsigned kGatherBase = 2, kGatherEnd = IntrinsicCall::kMaxArguments - 1;
constexpr bool is_gather(IntrinsicOpcode opcode) {
    return opcode == IntrinsicOpcode::kvgather || opcode == IntrinsicOpcode::kvgatherb;
}

enum class IntrinsicArgumentKind : uint8_t {
    kWritten,  // addresses
    kRead,
    kUpdated,
    kScalar,
    kRepeat,
    kBlockStride,
    kRepeatStride,
    kInteger,
    kRegisterValue,  // of register number `operand` (include/ptosim/core_registers.def)
};

// Bytes of a repeat that an address covers.
enum class IntrinsicShape : uint8_t {
    kLanes,        // blocks of 32 bytes, one stride apart
    kLowerHalves,  // the lower, or upper, half of each block
    kUpperHalves,
    kElement,   // one result, the stride counts results; so in the next three
    kPair,      // a value and its index, in the order that the last argument says
    kBlocks,    // one result for each block of the source
    kHalf,      // one result for each two lanes
    kBits,      // a bit for each lane, repeat after repeat without gaps
    kRun,       // an element for each lane, without gaps
    kRecords,   // 8 bytes for each lane, without gaps
    kEight,     // eight elements, without gaps
    kSpread,    // eight whole blocks
    kCompareMask,  // 16 bytes, once
    kSelector,  // src1 of vsel: kBits in mode 1, else kLanes
    kOther,       // the row has a function for it
};

struct IntrinsicArgument {
    IntrinsicArgumentKind kind;
    unsigned operand;  // which address it is, or belongs to
    IntrinsicShape shape;

    bool is_address() const { return kind <= IntrinsicArgumentKind::kUpdated; }
    bool is_written() const { return is_address() && kind != IntrinsicArgumentKind::kRead; }
    bool is_read() const { return is_address() && kind != IntrinsicArgumentKind::kWritten; }
};

// Effect of mask and counter mode on a row.
enum class IntrinsicMasking : uint8_t {
    kMasked,    // lane by lane
    kWhole,     // all lanes; in counter mode as many repeats as the elements need
    kUnmasked,  // not at all
    // Lane by lane; in counter mode the elements of each repeat, which may be more than its lanes.
    kMaskedRepeats,
};

// Quantity to which the cost of a call is proportional.
enum class IntrinsicWork : uint8_t { kRepeats, kBlocks, kRecords };

// Element types of the address operands that have one.
struct IntrinsicTypes {
    std::array<DType, IntrinsicCall::kMaxTypes> of;
    friend bool operator==(const IntrinsicTypes&, const IntrinsicTypes&) = default;
};

class IntrinsicRun;
struct IntrinsicFootprint;

// The unit that executes an intrinsic, and the operands that its instruction has.
enum class IntrinsicUnit : uint8_t {
    kVector,  // pipe V: what it writes of UB, in up to three tiles, and what it reads, in up to five
    kLoad,    // MTE2: a tile, from a view
    kFill,    // MTE2: a tile
    kStore,   // MTE3 or FIX: a view, from a tile
    kMove,    // MTE1, FIX, MTE3: a tile, from a tile
    kCube,    // M: a product, the sum before it, two factors, a bias
};

// Architectures that have a row: the ones whose vector instructions work on vectors in UB, or on registers.
enum class IntrinsicArchs : uint8_t {
    kByUnit,  // vectors in UB: of pipe V; all: of other pipes
    kMemory,
    kRegisters,
    kAll,
};

// Properties shared by the rows of one kind.
struct IntrinsicForm {
    std::string_view signature;  // isa/intrinsics/intrinsic_row.h
    IntrinsicMasking masking = IntrinsicMasking::kMasked;
    IntrinsicWork work = IntrinsicWork::kRepeats;
    // Further conditions of a call, and footprints that shapes do not give; may be null.
    bool (*check)(const IntrinsicCall&, Problem&) = nullptr;
    void (*footprints)(const IntrinsicCall&, std::vector<IntrinsicFootprint>&) = nullptr;
    IntrinsicUnit unit = IntrinsicUnit::kVector;
    // Adds the operands of a call that is none of pipe V.
    void (*operands)(const IntrinsicCall&, Instruction&) = nullptr;
    IntrinsicArchs archs = IntrinsicArchs::kByUnit;

    constexpr bool is_on(VectorOperands vectors) const {
        if (archs == IntrinsicArchs::kAll) return true;
        if (archs == IntrinsicArchs::kByUnit)
            return unit != IntrinsicUnit::kVector || vectors == VectorOperands::kMemory;
        return (archs == IntrinsicArchs::kMemory) == (vectors == VectorOperands::kMemory);
    }
    constexpr unsigned argument_count() const {
        return static_cast<unsigned>(signature.size() / 3);
    }
    IntrinsicArgument argument(unsigned i) const;
    // The value of the argument of a kind that belongs to an operand; `otherwise` without one.
    uint64_t value(const IntrinsicCall& call, IntrinsicArgumentKind kind, unsigned operand,
                   uint64_t otherwise) const;
};

// The function that executes a call: on vectors in UB, or on the operands of its instruction.
struct IntrinsicMeaning {
    void (*on_vectors)(IntrinsicRun&) = nullptr;
    void (*on_operands)(const IntrinsicCall&, const Execution&) = nullptr;
    constexpr IntrinsicMeaning(void (*f)(IntrinsicRun&)) : on_vectors{f} {}  // NOLINT
    constexpr IntrinsicMeaning(void (*f)(const IntrinsicCall&, const Execution&))  // NOLINT
        : on_operands{f} {}
};

struct IntrinsicInfo {
    IntrinsicOpcode opcode{};
    std::string_view name;  // "vconv_f322f16r"
    IntrinsicForm form;
    std::span<const IntrinsicTypes> types;  // those that it takes; empty: it moves bytes
    Opcode timed_as{};                      // the tile instruction whose rate a unit of work has
    IntrinsicMeaning compute;
    std::string_view summary;  // meaning; of what no document says, the rule and "assumed"
};

const IntrinsicInfo& info(IntrinsicOpcode opcode);
// By "vadd"; null for an unknown word.
const IntrinsicInfo* find_intrinsic(std::string_view name);

// Repeats of a call: `repeats` with `mask` (bit i: lane i), and after them, if `tail` is not 0, one
// of the first `tail` lanes.
struct IntrinsicRepeats {
    uint32_t repeats = 0;
    uint32_t tail = 0;
    std::array<uint64_t, 2> mask{};
};
unsigned lanes_of(const IntrinsicCall& call);
IntrinsicRepeats repeats_of(const IntrinsicCall& call);
// A call of kMaskedRepeats in counter mode, as calls of at most as many elements as a repeat has lanes,
// without counter mode. Empty: any other call.
std::vector<IntrinsicCall> parts_of(const IntrinsicCall& call);
// Units of IntrinsicForm::work.
uint64_t work_of(const IntrinsicCall& call);

// `count` rows of `length` bytes, `pitch` bytes apart.
struct IntrinsicRows {
    uint64_t begin = 0;
    uint64_t length = 0;
    uint64_t pitch = 0;
    uint64_t count = 0;
    friend bool operator==(const IntrinsicRows&, const IntrinsicRows&) = default;
};
struct IntrinsicFootprint {
    unsigned argument = 0;
    bool write = false;
    // The bytes depend on data: the rows are a guess at their position, on which no check may rely.
    bool by_data = false;
    // More bytes than are touched, because a row for each run of the mask would cost too much.
    bool covers = false;
    std::vector<IntrinsicRows> rows;
};
// The footprint lists nothing for operands that the call does not touch, and lists an operand that is updated twice.
// The bits that mode 2 of vsel selects by are missing: their address is in CMPMASK. The result is computed once for
// all parts that use it while a call is issued (operands, checks, cost): a thread keeps it until its next call.
const std::vector<IntrinsicFootprint>& footprints(const IntrinsicCall& call);

// True if a core with `ub_bytes` bytes of UB may execute the call. Fills `problem` otherwise.
bool check_intrinsic(const IntrinsicCall& call, uint64_t ub_bytes, Problem& problem);

// Executes a call of pipe V that passes check_intrinsic(). Returns the number of accesses beyond UB, by
// offsets in data: those read 0.
uint64_t compute(const IntrinsicCall& call, IntrinsicState& state, std::byte* ub, uint64_t ub_bytes,
                 Numerics numerics);

// A call of scatter_vnchwconv_*: the addresses that its VA registers hold instead of their numbers.
// They must be multiples of 32.
IntrinsicCall transposition_call(IntrinsicOpcode opcode, DType type,
                                 std::span<const uint64_t, 16> to,
                                 std::span<const uint64_t, 16> from, uint64_t repeat,
                                 uint64_t to_stride, uint64_t from_stride, bool to_upper = false,
                                 bool from_upper = false);

}  // namespace ptosim
