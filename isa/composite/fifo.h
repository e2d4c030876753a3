// FIFOs between the cube core and the vector cores of a cluster: TPUSH, TPOP, TFREE, TALLOC.
//
// A FIFO is a ring of slots. Its producer waits for a free slot, writes it and signals. Its consumer waits for the
// signal, reads the slot, and signals slots that it no longer needs. On a2a3 the ring lies in global memory, and the
// consumer copies each slot into a small private ring. On a5 the ring lies on chip, in UB or L1 of the consumer, and a
// pop returns the slot itself. Everything consists of ordinary instructions (TSTORE, TLOAD, TMOV, TINSERT and flags),
// which timing, checks and traces therefore see.
//
// The protocol, and the numbers of flags, are those of hw-native-sys/pto-isa
// include/pto/npu/{a2a3,a5}/{TPush,TPop}.hpp: `flag` signals data, `flag + 1` free slots. Free slots are signalled once
// per period of half the ring.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/core/kernel.h"

namespace ptosim {

// Division of a slot between the two vector cores: TileSplitAxis. With kNone each of them (a2a3) or the first one (a5)
// has the whole; kUpDownOdd and kLeftRightOdd are for a first part that is one row or column larger.
enum class FifoSplit : uint8_t { kNone, kUpDown, kLeftRight, kUpDownOdd, kLeftRightOdd };
inline constexpr unsigned kFifoSplits = 5;

// Type, layout and relu that the fixpipe gives to pushed accumulators, if it changes them.
struct FifoEpilogue {
    bool present = false;
    DType dtype = DType::kF32;
    OuterLayout outer = OuterLayout::kRowMajor;
    InnerLayout inner = InnerLayout::kNone;
    ReluMode relu = ReluMode::kNone;
};

struct FifoShape {
    CoreType producer = CoreType::kAIC;
    bool on_chip = false;           // the ring lies in the consumer's UB or L1 (a5)
    uint64_t ring = 0;              // device address of the ring, unless it is on chip
    uint32_t consumer_address = 0;  // of the consumer's slots, in UB (AIVs) or L1 (AIC)
    uint32_t slot_bytes = 0;
    uint32_t slots = 8;
    uint32_t local_slots = 8;  // of the consumer, where the ring is in global memory
    uint8_t flag = 0;
    FifoEpilogue epilogue;
};

// The pipe that writes slots, and the one that reads them: that of the copy into
// the consumer's ring, or on chip that of the first instruction that uses a slot.
Pipe producer_pipe(const FifoShape& shape);
Pipe consumer_pipe(const FifoShape& shape);

// One end of a FIFO: the state that a core keeps of it. Errors are DiagnosticErrors with the codes
// F01 (a slot that is too small), F02 (not this core's end), F03 (a shape that cannot be split).
class Fifo {
 public:
    Fifo() = default;
    Fifo(const FifoShape& shape, const SourceMap& sources) : shape_{shape}, sources_{&sources} {}

    const FifoShape& shape() const { return shape_; }
    // Writes a tile into the next slot. `subblock`: the part that a vector core writes, and with
    // kNone the vector core that gets it (a5). `scale`: a scalar or a tile, for the epilogue.
    void push(KernelPort& port, const Tile& tile, FifoSplit split, std::optional<uint32_t> subblock,
              SourceLocation where, const Operand& scale = {});
    // Sets the address of `tile`, whose valid region defines the size of the data in the slot, and fills it.
    void pop(KernelPort& port, Tile& tile, FifoSplit split, std::optional<uint32_t> subblock,
             SourceLocation where);
    // Frees the slots that the last pops have read.
    void release(KernelPort& port, FifoSplit split, SourceLocation where);
    // Slots of a ring in global memory by their addresses: waits for a free slot and gives it;
    // signals that it is written; waits for one that is written and gives it.
    void alloc_slot(KernelPort& port, GlobalView& view, FifoSplit split, SourceLocation where);
    void push_slot(KernelPort& port, FifoSplit split, SourceLocation where);
    void pop_slot(KernelPort& port, GlobalView& view, FifoSplit split, SourceLocation where);
    // Takes the signals of free slots that are left, as the producer does at the end of its kernel.
    void finish(KernelPort& port, SourceLocation where);

 private:
    struct Part;  // of a slot

    bool produces(KernelPort& port) const { return port.identity().core == shape_.producer; }
    uint32_t period() const { return shape_.slots <= 2 ? shape_.slots : shape_.slots / 2; }
    uint64_t slot_offset(uint64_t index) const { return index % shape_.slots * shape_.slot_bytes; }
    uint64_t slot_address(const KernelPort& port, const GlobalView& view, uint64_t slot,
                          FifoSplit split) const;
    void check_end(KernelPort& port, bool producer, SourceLocation where) const;
    void check_fits(uint64_t bytes, SourceLocation where) const;
    void check_in_memory(const GlobalView& view, SourceLocation where) const;
    [[noreturn]] void fail(std::string code, std::string message, std::string hint,
                           SourceLocation where) const;
    void wait_free(KernelPort& port, FifoSplit split, SourceLocation where);
    FifoSignal meaning(uint8_t flag) const {
        return flag == shape_.flag ? FifoSignal::kTile : FifoSignal::kSlot;
    }
    // `pitch`: of the tile in the slot.
    void signal(KernelPort& port, Pipe pipe, uint8_t flag, FifoSplit split, SourceLocation where,
                uint32_t pitch = 0);
    void wait(KernelPort& port, Pipe pipe, uint8_t flag, FifoSplit split, SourceLocation where,
              uint32_t pitch = 0);
    uint32_t pitch_of(const Tile& tile, FifoSplit split, uint32_t subblock, bool shared) const;
    void store(KernelPort& port, const Tile& tile, FifoSplit split, uint32_t subblock,
               SourceLocation where, const Operand& scale);
    void move_to_vector(KernelPort& port, const Tile& tile, FifoSplit split, uint32_t subblock,
                        SourceLocation where, const Operand& scale);
    // The tile with the type and layout that it has in the slot.
    Tile after_epilogue(const Tile& tile) const;
    // Adds the processing of the epilogue to the fixpipe's instruction.
    void add_epilogue(Instruction& instruction, const Operand& scale) const;
    void move_to_cube(KernelPort& port, const Tile& tile, FifoSplit split, uint32_t subblock,
                      SourceLocation where);
    GlobalView slot_view(const Tile& tile, uint64_t index, FifoSplit split, uint32_t subblock,
                         bool shared) const;

    FifoShape shape_;
    const SourceMap* sources_ = nullptr;
    uint64_t pushed_ = 0, popped_ = 0, released_ = 0;
    uint64_t free_waits_ = 0;
    FifoSplit last_split_ = FifoSplit::kNone;
};

}  // namespace ptosim
