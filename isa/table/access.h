// Bytes that an instruction reads and writes: the base of every ordering question.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/core/instruction.h"

namespace ptosim {

// One contiguous range that covers the bytes that an operand touches. For global views `view` allows a finer answer
// than the range.
struct Access {
    bool global = false;
    Space space = Space::kUB;  // if not global
    bool reads = false;
    bool writes = false;
    bool padding = false;  // bytes after what it reads of the operand, which become 0
    uint8_t operand = 0;
    uint8_t peers = 0;            // ClusterCores whose memory it is; 0: the core that executes it
    uint64_t begin = 0, end = 0;  // bytes in the space, or device addresses
    const GlobalView* view = nullptr;
};

struct AccessList {
    std::array<Access, Instruction::kMaxOperands + 1> items;
    unsigned count = 0;
    const Access* begin() const { return items.data(); }
    const Access* end() const { return items.data() + count; }
};

// An instruction reads the first `read` bytes of its first source, and sets the bytes from there up to `filled` to 0.
struct ClearedTail {
    int64_t read = 0, filled = 0;
};

// The parts of a tile operand that the instruction touches: the valid regions of up to two tiles. Usually it is the
// operand's valid region. It is more if loads fill whole blocks and boxes, windows are cleared, or results are
// contiguous; it is less if a fill in place only writes around the present data, or an operand is not needed.
struct TouchedTiles {
    std::array<Tile, 2> tiles;
    unsigned count = 0;
};
TouchedTiles touched_tiles(const Instruction& instruction, unsigned operand);

// The accesses that follow from the roles of its operands. Atomic stores also read. A padding follows the access of its
// operand. The list points into `instruction`.
AccessList accesses(const Instruction& instruction);

// True if the two touch a common byte and at least one of them writes it. Exact for tiles that are contiguous; for
// global views with equal row strides it compares rows and columns, otherwise the covering ranges.
bool conflict(const Access& a, const Access& b);

// A view as TLOAD and TSTORE move it. They move lines of consecutive elements and ignore the view's stride along a
// line: a row for a row-major tile, a column for a column-major one, by the view's layout for boxes; of NZ views the
// rows of a column of boxes (hw-native-sys/pto-isa include/pto/common/arch/memory/tload_common.hpp, tstore_common.hpp).
GlobalView with_dense_lines(const GlobalView& view, const Tile& tile);

// The part of a view that a transfer reads or writes: all of it, except where the lines of a tile in
// UB are shorter than the view's lines, or a load takes only the view's first rows.
GlobalView touched_view(const Instruction& instruction, unsigned operand);

// True if the instruction reads and writes nothing because the valid region that sizes its loops is
// empty (hw-native-sys/pto-isa include/pto/npu/a2a3, a5). The row's trait `empty` names that
// operand; an instruction without the trait that is not element-wise needs an element (S03).
bool does_nothing(const Instruction& instruction, Arch arch);
// True if that holds on every architecture.
bool does_nothing(const Instruction& instruction);

}  // namespace ptosim
