// An instruction: what every front end produces, and all that the machine runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "isa/core/convolution.h"
#include "isa/core/diagnostic.h"
#include "isa/core/global_view.h"
#include "isa/core/opcode.h"
#include "isa/core/pipe.h"
#include "isa/core/tile.h"
#include "isa/numeric/rounding.h"

namespace ptosim {

// A scalar operand: the element's bits, right-aligned.
struct Scalar {
    uint64_t bits = 0;
    DType dtype = DType::kI64;
    friend bool operator==(const Scalar&, const Scalar&) = default;
};

struct Operand {
    enum class Kind : uint8_t { kNone, kTile, kGlobal, kScalar };

    Kind kind = Kind::kNone;
    union {
        Scalar scalar;
        Tile tile;
        GlobalView global;
    };

    Operand() : scalar{} {}
    Operand(const Tile& value) : kind{Kind::kTile}, tile{value} {}            // NOLINT
    Operand(const GlobalView& value) : kind{Kind::kGlobal}, global{value} {}  // NOLINT
    Operand(const Scalar& value) : kind{Kind::kScalar}, scalar{value} {}      // NOLINT

    bool is_tile() const { return kind == Kind::kTile; }
    bool is_global() const { return kind == Kind::kGlobal; }
    bool is_scalar() const { return kind == Kind::kScalar; }
    bool present() const { return kind != Kind::kNone; }
};

// Enumerations with the values of the C++ API (hw-native-sys/pto-isa
// include/pto/common/type.hpp).
enum class CompareMode : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
enum class ReluMode : uint8_t { kNone, kNormal };
enum class AtomicMode : uint8_t { kNone, kAdd, kMax, kMin };
enum class UnitFlagPhase : uint8_t { kUnspecified = 0, kPartial = 2, kFinal = 3 };
enum class AccToVec : uint8_t { kSingle0, kSingle1, kDualSplitM, kDualSplitN };
// Which cores a barrier of all cores joins: SyncCoreType.
enum class SyncCores : uint8_t { kAIV, kAIC, kMix };
enum class QuantType : uint8_t { kMxFp8, kMxFp4E2M1, kInt8Sym, kInt8Asym };
// How a product rounds its f32 factors before it multiplies: not at all, to 10 fraction bits (tf32,
// a5) or 11 (hf32, a2a3), ties away from zero or to even.
enum class FactorRounding : uint8_t { kNone, kTf32Away, kTf32Even, kHf32Away, kHf32Even };
// What an indexed access does with an index outside its target: GatherOOB and ScatterOOB.
enum class OutOfBounds : uint8_t { kUndefined, kClamp, kWrap, kZero, kSkip };

// Whether a vector instruction of an a5 is in one vector function with others: the first of them,
// or a further one.
enum class InFunction : uint8_t { kAlone, kFirst, kFurther };

// What a cross-core flag says between the two ends of a FIFO: that a tile is in a slot, or that
// slots are free.
enum class FifoSignal : uint8_t { kNone, kTile, kSlot };

// Modes of an instruction. A field means something only if the instruction's row lists it. Equal
// attributes are equal bytes, because the machine compares them with every instruction that it
// issues: a new field of one byte takes one of the bytes of `padding`.
struct Attributes {
    // Synchronisation: first, so that reading the flags of an instruction touches one cache line.
    uint32_t fifo_slots = 0;        // what the end of the FIFO that makes a cross-core set or wait
    uint32_t fifo_slot_bytes = 0;   // takes the FIFO to be
    uint16_t participants = 0;      // CROSS_SET of mode 0, SYNCALL: so many cores; 0 is all
    Pipe source_pipe = Pipe::kAll;  // SET_FLAG, WAIT_FLAG; the pipe of a cross-core set
    Pipe destination_pipe = Pipe::kAll;  // SET_FLAG, WAIT_FLAG; the pipe of a barrier or wait
    uint8_t event_id = 0;
    SyncCores sync_cores = SyncCores::kMix;  // SYNCALL
    FifoSignal fifo = FifoSignal::kNone;     // cross-core sets and waits that a FIFO makes
    uint8_t cross_mode = 2;  // 0 all cores of a type, 1 the AIVs of a cluster, 2 AIC with its AIVs

    RoundMode round = RoundMode::kNone;
    Saturation saturation = Saturation::kOn;
    bool saturation_given = false;  // the default depends on the conversion
    CompareMode compare = CompareMode::kEq;
    ReluMode relu = ReluMode::kNone;
    AtomicMode atomic = AtomicMode::kNone;
    UnitFlagPhase phase = UnitFlagPhase::kUnspecified;
    AccToVec acc_to_vec = AccToVec::kSingle0;
    QuantType quant = QuantType::kMxFp8;
    uint8_t mask_pattern = 0;  // P0101 = 1 ... P1111 = 7; 0 is "not given"
    uint8_t byte_select = 0;   // THISTOGRAM
    uint8_t rounds = 10;       // TRANDOM
    bool descending = false;   // TCI
    bool binary_tree = false;  // TCOLSUM isBinary
    bool exhausted = false;    // TMRGSORT
    bool upper = false;        // TTRI
    bool high_precision = false;
    OutOfBounds out_of_bounds = OutOfBounds::kUndefined;  // MGATHER, MSCATTER
    bool by_element = false;                              // MGATHER, MSCATTER: Coalesce::Elem
    bool nvidia_scale = false;                            // TQUANT_MX: QuantScaleAlg::NV, not OCP
    bool group_rows = false;   // TQUANT_MX: groups go down the columns; TMOV to ZZ: of such groups
    bool interleave = false;   // TQUANT_MX: layout of the exponents
    bool along_rows = false;   // mask patterns choose rows: axis col
    uint8_t insert_split = 0;  // TINSERT: TInsertMode, 2 or 3
    uint8_t print_format = 0;  // TPRINT: 8.4, 8.2 or 10.6
    uint8_t buffer_mode = 0;   // GET_BUF, RLS_BUF: 0 getting waits, 1 releasing does
    InFunction function = InFunction::kAlone;
    bool in_register = false;  // and only others of its function read its result
    FactorRounding factor_rounding = FactorRounding::kNone;  // TMATMUL and its like
    uint8_t fifo_split = 0;            // FifoSplit: of the end that makes a cross-core set or wait
    std::array<uint8_t, 2> padding{};  // always zero
    int32_t index_offset = 0;          // TGATHER by comparison: first index
    int32_t beyond_view = 0;           // TSTORE: elements of each line that the view did not have
    ConvShape conv_src, conv_dst;      // TLOAD, TTRANS: convolution tiles
    Image image;                       // TIMG2COL and the setting of its registers
};
static_assert(std::has_unique_object_representations_v<Attributes>);
static_assert(std::is_standard_layout_v<Attributes>);

// An instruction with its operands in the order of its row in the instruction table.
struct Instruction {
    static constexpr unsigned kMaxOperands = 8;

    Opcode opcode{};
    uint8_t operand_count = 0;
    SourceLocation location;
    Attributes attributes;
    std::array<Operand, kMaxOperands> operands;

    Instruction() = default;
    explicit Instruction(Opcode op, SourceLocation where = {}) : opcode{op}, location{where} {}
    Instruction& add(const Operand& operand) {
        operands[operand_count++] = operand;
        return *this;
    }
    const Tile& tile(unsigned i) const { return operands[i].tile; }

    // Copies everything but operands; operands beyond the other's count become absent.
    // Of flags, which are most of what a core issues, not the shapes of convolutions.
    void assign_all_but_operands(const Instruction& other) {
        opcode = other.opcode;
        location = other.location;
        if (opcode == Opcode::kSET_FLAG || opcode == Opcode::kWAIT_FLAG) {
            std::memcpy(static_cast<void*>(&attributes), &other.attributes,
                        offsetof(Attributes, conv_src));
        } else {
            attributes = other.attributes;
        }
        for (unsigned i = other.operand_count; i < operand_count; ++i)
            operands[i].kind = Operand::Kind::kNone;
        operand_count = other.operand_count;
    }
    // As the copy assignment, but copies only the operands that there are.
    void assign(const Instruction& other) {
        assign_all_but_operands(other);
        for (unsigned i = 0; i < other.operand_count; ++i) operands[i] = other.operands[i];
    }
};
static_assert(std::is_trivially_copyable_v<Instruction>);

// "TADD UB f32 ..., ..." for messages and traces.
std::string to_text(const Instruction& instruction);

}  // namespace ptosim
