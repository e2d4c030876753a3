// A function of a `.pto` file, ready to run: a flat list of steps on numbered slots.
//
// Calls are inlined, and control flow consists of jumps. Names, types and attributes are gone; only arithmetic on slots
// and instructions to issue remain.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/assembly/program/scalar_ops.h"
#include "isa/composite/fifo.h"
#include "isa/core/diagnostic.h"
#include "isa/core/instruction.h"
#include "isa/core/kernel.h"
#include "isa/intrinsics/intrinsic.h"
#include "isa/intrinsics/vector_operation.h"
#include "isa/table/column_walk.h"

namespace ptosim::assembly {

// Three kinds of slots, each numbered from 0: scalars (integers, float bits, device addresses),
// tiles and views.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = UINT32_MAX;

enum class StepCode : uint8_t {
#define STEP(CODE, RESULT, EFFECT, READS, HANDLER) CODE,
#include "isa/assembly/program/steps.def"
#undef STEP
};

struct Step {
    StepCode code = StepCode::kEnd;
    ScalarOp op = ScalarOp::kAdd;  // kEvaluate
    uint8_t work = 0;              // scalar operations to charge
    DType type = DType::kI64;      // kPointerAdd, loads and stores
    Slot r = kNoSlot, a = kNoSlot, b = kNoSlot, c = kNoSlot;
    uint32_t index = 0;   // into the program's table that the code names
    uint32_t target = 0;  // jumps
    SourceLocation where;
};

enum class IdentityField : uint8_t { kBlock, kBlocks, kSubblock, kSubblocks };

// make_tensor_view: right-aligned dimensions; kNoSlot where the constant in `view` counts.
struct ViewPlan {
    GlobalView view;  // dtype, layout and everything that is constant
    std::array<Slot, GlobalView::kRank> shape{};
    std::array<Slot, GlobalView::kRank> stride{};
    uint8_t rank = 0;
};

// partition_view: dimensions right-aligned as above.
struct PartitionPlan {
    uint8_t rank = GlobalView::kRank;  // of the text: messages count its dimensions
    std::array<Slot, GlobalView::kRank> offset{};
    std::array<Slot, GlobalView::kRank> size{};
};

struct WindowPlan {
    Tile tile;  // the result's shape; constants of its valid region
    Slot row = kNoSlot, col = kNoSlot;
    Slot valid_rows = kNoSlot, valid_cols = kNoSlot;
};

// Elements of a stack-local array: consecutive scalar slots.
struct ArrayAccess {
    Slot first = 0;
    uint32_t count = 0;
    std::vector<std::pair<Slot, uint32_t>> indices;  // slot and stride
};

// Source of an instruction's operand.
struct OperandPlan {
    Operand::Kind kind = Operand::Kind::kNone;
    Slot slot = kNoSlot;
    DType dtype = DType::kI64;  // of a scalar
    bool open_rows = false;     // a tile's type leaves its valid rows to run time
    // A view whose layout nothing determines takes that of the tile it is copied to or from.
    bool layout_from_tile = false;
    std::optional<GlobalLayout> layout;  // of a view, where the access itself says it
};

struct IssuePlan {
    Instruction prototype;  // opcode, attributes, location; operands are filled in
    std::array<OperandPlan, Instruction::kMaxOperands> operands{};
    Slot event = kNoSlot;          // event id, where it is computed
    Slot participants = kNoSlot;   // SYNCALL: number of cores, where it is given
    std::optional<CoreType> only;  // of a kernel for both core types without sections
    ColumnWalk columns = ColumnWalk::kNone;
};

struct PrintPlan {
    std::string format;
    Slot value = kNoSlot;
    // Type of the value: width for integers, dtype for floats.
    bool is_float = false;
    uint8_t width = 64;
    DType dtype = DType::kF32;
};

// An end of a FIFO, as its initialisation describes it.
struct FifoEnd {
    FifoShape shape;
    Slot ring = kNoSlot;              // scalar slot of a pointer; kNoSlot: no ring in global memory
    Slot consumer_address = kNoSlot;  // scalar slot
    uint64_t ring_offset = 0;         // bytes from the pointer
    SourceLocation where;
};

enum class FifoAction : uint8_t { kOpen, kPush, kPop, kRelease, kAlloc, kPushSlot, kPopSlot };

struct FifoPlan {
    FifoAction action = FifoAction::kOpen;
    uint32_t end = 0;  // FifoEnd
    FifoSplit split = FifoSplit::kNone;
    Slot object = kNoSlot;  // a tile or a view
    bool open_rows = false;  // kPush: its type leaves its valid rows to run time
    Tile tile;              // kPop: what the slot is read as
    Slot valid_rows = kNoSlot, valid_cols = kNoSlot;
    GlobalView view;           // kAlloc, kPopSlot
    Slot subblock = kNoSlot;   // scalar slot, where it is given
    OperandPlan scale;         // kPush: of the fixpipe, a scalar or a tile
    bool keeps_shape = false;  // kPop: the tile is there already and gets an address only
};

// Global memory to global memory through one or two tiles (comm.tput, comm.tget). View and tile
// slots.
struct TransferPlan {
    Slot to = kNoSlot, from = kNoSlot;
    Slot ping = kNoSlot, pong = kNoSlot;
    AtomicMode atomic = AtomicMode::kNone;
};

enum class SignalAction : uint8_t { kSet, kAdd, kTest, kWait };

// Signals are i32 in global memory (comm.tnotify, ttest, twait).
struct SignalPlan {
    SignalAction action = SignalAction::kSet;
    Slot signal = kNoSlot;  // a view; all of its elements are tested, its first is set
    Slot value = kNoSlot;   // scalar
    CompareMode compare = CompareMode::kEq;
};

// A call of a function whose body is elsewhere: see ExternalFunctions.
struct CallPlan {
    struct Argument {
        Slot slot = kNoSlot;
        bool is_pointer = false;
    };
    std::string function;
    std::vector<Argument> arguments;
    uint8_t width = 0;  // of a result that is an integer
};

// An operation of a vector function. Values (registers and predicates) are numbers in scalar slots.
struct VectorPlan {
    VectorOperation operation;  // what is constant of it
    std::array<Slot, 2> results{kNoSlot, kNoSlot};
    std::array<Slot, 3> sources{kNoSlot, kNoSlot, kNoSlot};
    Slot mask = kNoSlot;
    Slot pointer = kNoSlot;  // byte in UB
    Slot offset = kNoSlot;   // elements of so many bytes
    uint32_t element_bytes = 1;
    Slot scalar = kNoSlot;     // an element's bits, or a number
    uint32_t scalar_unit = 1;  // by which a number is multiplied
    Slot block_stride = kNoSlot, repeat_stride = kNoSlot;
    Slot left = kNoSlot;  // PLT: gets what is left of the count
};

// Bytes between global memory and UB: `levels[0]` is rows of `length` bytes, the others repeat it.
struct CopyPlan {
    struct Level {
        Slot count = kNoSlot, from_stride = kNoSlot, to_stride = kNoSlot;  // strides in bytes
    };
    bool to_ub = true;
    Slot from = kNoSlot, to = kNoSlot, length = kNoSlot;
    std::vector<Level> levels;
};

// An intrinsic of the cube core. Its scalar slots hold the arguments of the call and the registers that it reads
// (isa/intrinsics/intrinsic.h).
struct IntrinsicPlan {
    struct Memory {
        std::optional<Space> space;  // global memory without one
        Slot pointer = kNoSlot;
        bool written = false;
    };
    IntrinsicOpcode opcode{};
    std::array<DType, IntrinsicCall::kMaxTypes> types{};
    std::vector<Slot> arguments;
    uint64_t ctrl = 0;  // the register CTRL
    Pipe pipe{};
    std::vector<Memory> memory;
};

// A name of the text and its slot, for debuggers. It is in scope at the steps [first, last).
struct NamedSlot {
    enum class Kind : uint8_t { kInteger, kFloat, kPointer, kTile, kView };
    std::string name;  // without the '%'
    Kind kind = Kind::kInteger;
    DType dtype = DType::kI64;  // of a float
    Slot slot = kNoSlot;
    uint32_t first = 0, last = UINT32_MAX;
    SourceLocation where;
};

struct Program {
    std::vector<Step> steps;
    std::vector<uint64_t> scalars;  // initial values: constants are slots that nothing writes
    uint32_t tile_slots = 0;
    uint32_t view_slots = 0;

    std::vector<ScalarFormat> formats;
    std::vector<Tile> tiles;
    std::vector<ViewPlan> views;
    std::vector<PartitionPlan> partitions;
    std::vector<WindowPlan> windows;
    std::vector<ArrayAccess> arrays;
    std::vector<IssuePlan> issues;
    std::vector<PrintPlan> prints;
    std::vector<FifoEnd> fifo_ends;
    std::vector<FifoPlan> fifos;
    std::vector<TransferPlan> transfers;
    std::vector<SignalPlan> signals;
    std::vector<CallPlan> calls;
    std::vector<VectorPlan> vectors;
    std::vector<CopyPlan> copies;
    std::vector<IntrinsicPlan> intrinsics;
    // Nothing is split between the vector cores: on a5, where a signal reaches one core, only the
    // first of a cluster takes part.
    bool one_vector_core = false;

    // Scalar slots of the arguments, in the order of Kernel::parameters(), with the width that
    // integers are wrapped to (0: as they are), and of those the machine fills in itself.
    struct Argument {
        Slot slot = kNoSlot;
        uint8_t width = 0;
    };
    std::vector<Argument> arguments;
    std::vector<std::pair<Slot, IdentityField>> implicit_arguments;
    std::vector<NamedSlot> names;  // empty without BindOptions::keep_names
};

}  // namespace ptosim::assembly
