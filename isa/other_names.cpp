// Names of hw-native-sys/pto-isa include/pto/common/pto_instr.hpp without a row of their own. The
// communication group (pto::comm) is not listed.
#include <array>

#include "isa/reference.h"

namespace ptosim {

namespace {

constexpr std::array kNames{
    OtherName{"TASSIGN", "names a tile's address: done by the reader (`tassign`, `alloc_tile`)"},
    OtherName{"TRESHAPE",
              "another type for the same bytes: done by the reader (`treshape`, `bitcast`)"},
    OtherName{"TSUBVIEW", "a window of a tile: done by the reader (`subview`)"},
    OtherName{"TSYNC", "waits for events, or a barrier: `wait_event`, PIPE_BARRIER and WAIT_FLAG"},
    OtherName{"TPRINT",
              "prints a tile on the device: no effect on data; `print` prints scalars, "
              "`tprint` is missing"},
    OtherName{"TGET_SCALE_ADDR",
              "the address of the scales of a tile: missing; give the scale tile "
              "an address of its own"},
    OtherName{"SETFMATRIX", "state of TIMG2COL: missing, convolution tiles exist in C++ only"},
    OtherName{"SET_IMG2COL_RPT", "state of TIMG2COL: missing, convolution tiles exist in C++ only"},
    OtherName{"SET_IMG2COL_PADDING",
              "state of TIMG2COL: missing, convolution tiles exist in C++ only"},
    OtherName{"TIMG2COL",
              "missing: convolution tiles exist in C++ only, `.pto` has no such operation"},
    OtherName{"SET_QUANT_SCALAR",
              "the scale of later TPUSH: missing, as TPUSH is; TSTORE and TMOV "
              "take their scale as an operand"},
    OtherName{"SET_QUANT_VECTOR",
              "the scales of later TPUSH: missing, as TPUSH is; TSTORE and TMOV "
              "take their scales as an operand"},
    OtherName{"TPREFETCH_ASYNC", "a hint to the second-level cache: missing"},
    OtherName{"TPUSH", "a FIFO between cores of a cluster: made of moves and flags (isa/fifo.h)"},
    OtherName{"TPOP", "a FIFO between cores of a cluster: made of moves and flags (isa/fifo.h)"},
    OtherName{"TALLOC", "a FIFO between cores of a cluster: made of moves and flags (isa/fifo.h)"},
    OtherName{"TFREE", "a FIFO between cores of a cluster: made of moves and flags (isa/fifo.h)"},
};

}  // namespace

std::span<const OtherName> other_names() { return kNames; }

}  // namespace ptosim
