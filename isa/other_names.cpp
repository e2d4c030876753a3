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
    OtherName{"SYNCALL",
              "a barrier of all cores: missing as one operation; CROSS_SET with mode 0 "
              "and CROSS_WAIT make one"},
    OtherName{"TPRINT",
              "prints a tile on the device: no effect on data; `print` prints scalars, "
              "`tprint` is missing"},
    OtherName{"TGET_SCALE_ADDR",
              "the address of the scales of a tile: missing; give the scale tile "
              "an address of its own"},
    OtherName{"TPREFETCH_ASYNC", "a hint to the second-level cache: missing"},
    OtherName{"TPUSH", "a FIFO between cores of a cluster: missing"},
    OtherName{"TPOP", "a FIFO between cores of a cluster: missing"},
    OtherName{"TALLOC", "a FIFO between cores of a cluster: missing"},
    OtherName{"TFREE", "a FIFO between cores of a cluster: missing"},
};

}  // namespace

std::span<const OtherName> other_names() { return kNames; }

}  // namespace ptosim
