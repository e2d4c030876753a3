#include "isa/composite/fifo.h"

#include <string>

#include "isa/core/arch.h"

namespace ptosim {
namespace {

constexpr unsigned kSecondAiv = 16;

bool up_down(FifoSplit split) {
    return split == FifoSplit::kUpDown || split == FifoSplit::kUpDownOdd;
}
bool left_right(FifoSplit split) {
    return split == FifoSplit::kLeftRight || split == FifoSplit::kLeftRightOdd;
}
bool odd(FifoSplit split) {
    return split == FifoSplit::kUpDownOdd || split == FifoSplit::kLeftRightOdd;
}
bool empty(const Tile& tile) { return tile.valid_rows <= 0 || tile.valid_cols <= 0; }

Instruction flag_of(Opcode opcode, Pipe pipe, unsigned id, FifoSignal says, const FifoShape& shape,
                    FifoSplit split, uint32_t pitch, SourceLocation where) {
    Instruction flag(opcode, where);
    flag.attributes.source_pipe = flag.attributes.destination_pipe = pipe;
    flag.attributes.event_id = static_cast<uint8_t>(id);
    flag.attributes.fifo = says;
    flag.attributes.fifo_slots = shape.slots;
    flag.attributes.fifo_slot_bytes = shape.slot_bytes;
    flag.attributes.fifo_pitch = pitch;
    flag.attributes.fifo_split = static_cast<uint8_t>(split);
    return flag;
}

// To the other end: to each core separately, or by the signals of the cluster.
void issue_flag(KernelPort& port, Opcode cross, Opcode intra, Pipe pipe, uint8_t id,
                FifoSignal says, const FifoShape& shape, FifoSplit split, uint32_t pitch,
                SourceLocation where) {
    if (!traits_of(port.arch()).flags_between_cores) {
        port.issue(flag_of(cross, pipe, id, says, shape, split, pitch, where));
        return;
    }
    port.issue(flag_of(intra, pipe, id, says, shape, split, pitch, where));
    if (port.identity().core == CoreType::kAIC && split != FifoSplit::kNone)
        port.issue(flag_of(intra, pipe, id + kSecondAiv, says, shape, split, pitch, where));
}

Scalar index_of(int32_t value) { return {static_cast<uint64_t>(value), DType::kI64}; }

}  // namespace

Pipe producer_pipe(const FifoShape& shape) {
    return shape.producer == CoreType::kAIC ? Pipe::kFIX : Pipe::kMTE3;
}

Pipe consumer_pipe(const FifoShape& shape) {
    if (!shape.on_chip) return Pipe::kMTE2;
    return shape.producer == CoreType::kAIC ? Pipe::kV : Pipe::kMTE1;
}

void Fifo::fail(std::string code, std::string message, std::string hint,
                SourceLocation where) const {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.category = Category::kIllegal;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    sources_->locate(diagnostic, where);
    throw DiagnosticError(std::move(diagnostic));
}

void Fifo::check_end(KernelPort& port, bool producer, SourceLocation where) const {
    if (produces(port) == producer) return;
    const bool cube = shape_.producer == CoreType::kAIC;
    fail("F02",
         std::string(producer ? "a push" : "a pop") + " on an " +
             std::string(name(port.identity().core)) + ", which is the other end of this FIFO",
         cube ? "this FIFO goes from the cube core to the vector cores"
              : "this FIFO goes from the vector cores to the cube core",
         where);
}

void Fifo::check_fits(uint64_t bytes, SourceLocation where) const {
    if (bytes <= shape_.slot_bytes) return;
    fail("F01",
         "a tile of " + std::to_string(bytes) + " bytes does not fit into a FIFO slot of " +
             std::to_string(shape_.slot_bytes) + " bytes",
         "give the FIFO larger slots (slot_size)", where);
}

// ---- flags ----------------------------------------------------------------------------------

void Fifo::signal(KernelPort& port, Pipe pipe, uint8_t flag, FifoSplit split, SourceLocation where,
                  uint32_t pitch) {
    issue_flag(port, Opcode::kCROSS_SET, Opcode::kINTRA_SET, pipe, flag, meaning(flag), shape_,
               split, pitch, where);
}

void Fifo::wait(KernelPort& port, Pipe pipe, uint8_t flag, FifoSplit split, SourceLocation where,
                uint32_t pitch) {
    issue_flag(port, Opcode::kCROSS_WAIT, Opcode::kINTRA_WAIT, pipe, flag, meaning(flag), shape_,
               split, pitch, where);
}

void Fifo::wait_free(KernelPort& port, FifoSplit split, SourceLocation where) {
    if (pushed_ < shape_.slots || pushed_ % period() != 0) return;
    wait(port, producer_pipe(shape_), static_cast<uint8_t>(shape_.flag + 1), split, where);
    ++free_waits_;
}

void Fifo::release(KernelPort& port, FifoSplit split, SourceLocation where) {
    check_end(port, false, where);
    if (++released_ % period() != 0) return;
    signal(port, consumer_pipe(shape_), static_cast<uint8_t>(shape_.flag + 1), split, where);
}

// The consumer signals once per period; the producer has waited for some of that.
void Fifo::finish(KernelPort& port, SourceLocation where) {
    if (!produces(port)) return;
    for (uint64_t signalled = pushed_ / period(); free_waits_ < signalled; ++free_waits_)
        wait(port, producer_pipe(shape_), static_cast<uint8_t>(shape_.flag + 1), last_split_,
             where);
}

// ---- slots in global memory -----------------------------------------------------------------

// The part of a slot for a tile: all of it, or one vector core's share.
GlobalView Fifo::slot_view(const Tile& tile, uint64_t index, FifoSplit split, uint32_t subblock,
                           bool shared) const {
    GlobalView view;
    view.dtype = tile.dtype;
    int64_t pitch = tile.valid_cols, first = 0;
    const int64_t sub = subblock;
    const int64_t extra = odd(split) ? sub : 0;  // the second part is smaller by one
    if (shared && up_down(split)) first = sub * (tile.valid_rows + extra) * tile.valid_cols;
    if (shared && left_right(split)) {
        first = sub * (tile.valid_cols + extra);
        pitch = 2 * int64_t{tile.valid_cols} + (odd(split) ? 2 * sub - 1 : 0);
    }
    view.address = shape_.ring + slot_offset(index) + bytes(tile.dtype, static_cast<size_t>(first));
    view.shape = {1, 1, 1, tile.valid_rows, tile.valid_cols};
    view.stride = {1, 1, 1, pitch, 1};
    for (int i = 2; i >= 0; --i)
        view.stride[static_cast<size_t>(i)] =
            view.shape[static_cast<size_t>(i) + 1] * view.stride[static_cast<size_t>(i) + 1];
    return view;
}

// Bytes from row to row; each end derives them from the valid columns of its tile.
uint32_t Fifo::pitch_of(const Tile& tile, FifoSplit split, uint32_t subblock, bool shared) const {
    if (shape_.on_chip || tile.valid_rows <= 1 || empty(tile)) return 0;
    const GlobalView view = slot_view(tile, 0, split, subblock, shared);
    return static_cast<uint32_t>(bytes(tile.dtype, static_cast<size_t>(view.stride[3])));
}

Tile Fifo::after_epilogue(const Tile& tile) const {
    if (!shape_.epilogue.present) return tile;
    Tile made = make_tile(tile.space, shape_.epilogue.dtype, tile.rows, tile.cols,
                          shape_.epilogue.outer, shape_.epilogue.inner);
    made.valid_rows = tile.valid_rows;
    made.valid_cols = tile.valid_cols;
    return made;
}

// TSTORE and TMOV have their scales as third operand, a tile, or fourth, a scalar.
void Fifo::add_epilogue(Instruction& instruction, const Operand& scale) const {
    if (!shape_.epilogue.present) return;
    instruction.attributes.relu = shape_.epilogue.relu;
    if (scale.is_scalar()) instruction.add(Operand{});
    if (scale.present()) instruction.add(scale);
}

void Fifo::store(KernelPort& port, const Tile& tile, FifoSplit split, uint32_t subblock,
                 SourceLocation where, const Operand& scale) {
    const bool vector = shape_.producer == CoreType::kAIV;
    Instruction store(Opcode::kTSTORE, where);
    store.add(slot_view(after_epilogue(tile), pushed_, split, subblock, vector)).add(tile);
    add_epilogue(store, scale);
    port.issue(store);
}

// ---- slots on chip (a5) ---------------------------------------------------------------------

// L0C to the UB of one vector core, or half to each of the two.
void Fifo::move_to_vector(KernelPort& port, const Tile& tile, FifoSplit split, uint32_t subblock,
                          SourceLocation where, const Operand& scale) {
    const auto half = [&](int32_t extent, const char* what) {
        if (extent % 2 == 0) return extent / 2;
        fail("F03", std::to_string(extent) + " " + what + " cannot be split over two vector cores",
             "push a tile of an even size", where);
    };
    Tile slot = make_tile(Space::kUB, tile.dtype, tile.rows, tile.cols);
    if (shape_.epilogue.present) slot = after_epilogue(tile);
    slot.space = Space::kUB;
    slot.valid_rows = tile.valid_rows;
    slot.valid_cols = tile.valid_cols;
    Instruction move(Opcode::kTMOV, where);
    if (up_down(split)) {
        slot.rows = half(tile.rows, "rows");
        slot.valid_rows = half(tile.valid_rows, "valid rows");
        move.attributes.acc_to_vec = AccToVec::kDualSplitM;
    } else if (left_right(split)) {
        slot.cols = half(tile.cols, "columns");
        slot.valid_cols = half(tile.valid_cols, "valid columns");
        move.attributes.acc_to_vec = AccToVec::kDualSplitN;
    } else if (subblock == 1) {
        move.attributes.acc_to_vec = AccToVec::kSingle1;
    }
    set_dense_pitch(slot);
    slot.address = shape_.consumer_address + static_cast<uint32_t>(slot_offset(pushed_));
    move.add(slot).add(tile);
    add_epilogue(move, scale);
    port.issue(move);
}

// UB to the L1 of the cube core: the whole slot, or one of its halves.
void Fifo::move_to_cube(KernelPort& port, const Tile& tile, FifoSplit split, uint32_t subblock,
                        SourceLocation where) {
    const int32_t rows = up_down(split) ? 2 : 1, cols = left_right(split) ? 2 : 1;
    Tile slot = make_tile(Space::kL1, tile.dtype, tile.rows * rows, tile.cols * cols,
                          OuterLayout::kColMajor, InnerLayout::kRowMajor);
    slot.valid_rows = tile.valid_rows * rows;
    slot.valid_cols = tile.valid_cols * cols;
    slot.address = shape_.consumer_address + static_cast<uint32_t>(slot_offset(pushed_));
    const auto sub = static_cast<int32_t>(subblock);
    Instruction insert(Opcode::kTINSERT, where);
    insert.add(slot).add(tile);
    insert.add(index_of(up_down(split) ? sub * tile.valid_rows : 0));
    insert.add(index_of(left_right(split) ? sub * tile.valid_cols : 0));
    port.issue(insert);
}

// ---- tiles ----------------------------------------------------------------------------------

void Fifo::push(KernelPort& port, const Tile& tile, FifoSplit split,
                std::optional<uint32_t> subblock, SourceLocation where, const Operand& scale) {
    check_end(port, true, where);
    const int shares = split == FifoSplit::kNone || port.identity().core == CoreType::kAIC ? 1 : 2;
    check_fits(bytes(after_epilogue(tile).dtype,
                     static_cast<size_t>(tile.valid_rows) * static_cast<size_t>(tile.valid_cols)) *
                   static_cast<uint64_t>(shares),
               where);
    const uint32_t sub = subblock.value_or(port.identity().subblock);
    wait_free(port, split, where);
    if (!empty(tile)) {
        if (!shape_.on_chip)
            store(port, tile, split, sub, where, scale);
        else if (shape_.producer == CoreType::kAIC)
            move_to_vector(port, tile, split, subblock.value_or(0), where, scale);
        else
            move_to_cube(port, tile, split, sub, where);
    }
    signal(port, producer_pipe(shape_), shape_.flag, split, where,
           pitch_of(after_epilogue(tile), split, sub, port.identity().core == CoreType::kAIV));
    ++pushed_;
    last_split_ = split;
}

void Fifo::pop(KernelPort& port, Tile& tile, FifoSplit split, std::optional<uint32_t> subblock,
               SourceLocation where) {
    check_end(port, false, where);
    const bool vector = port.identity().core == CoreType::kAIV;
    const uint32_t sub = subblock.value_or(port.identity().subblock);
    wait(port, consumer_pipe(shape_), shape_.flag, split, where,
         pitch_of(tile, split, sub, vector));
    const uint64_t slot = popped_++;
    if (shape_.on_chip) {
        tile.address = shape_.consumer_address + static_cast<uint32_t>(slot_offset(slot));
        return;
    }
    tile.address = shape_.consumer_address +
                   static_cast<uint32_t>(slot % shape_.local_slots * shape_.slot_bytes);
    if (empty(tile)) return;
    Instruction load(Opcode::kTLOAD, where);
    load.add(tile).add(
        slot_view(tile, slot, split, sub, vector));
    port.issue(load);
}

// ---- slots by address -----------------------------------------------------------------------

// Start of this core's part of a slot.
uint64_t Fifo::slot_address(const KernelPort& port, const GlobalView& view, uint64_t slot,
                            FifoSplit split) const {
    const uint64_t share = port.identity().core == CoreType::kAIV && split != FifoSplit::kNone
                               ? port.identity().subblock
                               : 0;
    const auto elements = up_down(split)      ? view.shape[3] * view.stride[3]
                          : left_right(split) ? int64_t{view.shape[4]}
                                              : 0;
    return shape_.ring + slot_offset(slot) +
           share * bytes(view.dtype, static_cast<size_t>(elements));
}

void Fifo::check_in_memory(const GlobalView& view, SourceLocation where) const {
    if (shape_.on_chip)
        fail("F02", "a slot of a FIFO on chip has no address in global memory",
             "push and pop tiles", where);
    check_fits(view.span_bytes(), where);
}

void Fifo::alloc_slot(KernelPort& port, GlobalView& view, FifoSplit split, SourceLocation where) {
    check_end(port, true, where);
    check_in_memory(view, where);
    wait_free(port, split, where);
    view.address = slot_address(port, view, pushed_, split);
}

void Fifo::push_slot(KernelPort& port, FifoSplit split, SourceLocation where) {
    check_end(port, true, where);
    signal(port, producer_pipe(shape_), shape_.flag, split, where);
    ++pushed_;
    last_split_ = split;
}

void Fifo::pop_slot(KernelPort& port, GlobalView& view, FifoSplit split, SourceLocation where) {
    check_end(port, false, where);
    check_in_memory(view, where);
    wait(port, consumer_pipe(shape_), shape_.flag, split, where);
    view.address = slot_address(port, view, popped_++, split);
}

}  // namespace ptosim
