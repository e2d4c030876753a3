// Names in hw-native-sys/pto-isa include/pto/common/pto_instr.hpp and include/pto/comm/pto_comm_inst.hpp without rows.
#include <array>

#include "isa/pages/reference.h"

namespace ptosim {

namespace {

constexpr std::array kNames{
    OtherName{"TASSIGN", "names a tile's address: done by the reader (`tassign`, `alloc_tile`)"},
    OtherName{"TRESHAPE",
              "another type for the same bytes: done by the reader (`treshape`, `bitcast`)"},
    OtherName{"TSUBVIEW", "a window of a tile: done by the reader (`subview`)"},
    OtherName{"TSYNC", "waits for events, or a barrier: `wait_event`, PIPE_BARRIER and WAIT_FLAG"},
    OtherName{"TGET_SCALE_ADDR",
              "a scale tile at a sixteenth of the address of its factor: done by the reader "
              "(`tget_scale_addr`)"},
    OtherName{"SETTF32MODE",
              "rounding of f32 factors: the attribute tf32_mode of TMATMUL, TGEMV and their forms"},
    OtherName{"SETHF32MODE",
              "rounding of f32 factors: the attribute tf32_mode of TMATMUL, TGEMV and their forms"},
    OtherName{"TMATMUL_MX_HIF4",
              "products of HiFloat4: a6 only (include/pto/npu/a6/TMatmul.hpp); a2a3 and a5 have no "
              "such type"},
    OtherName{
        "TQUANT_HIF4",
        "quantisation to HiFloat4 (MxQuantAlg::Hif4): a6 only (include/pto/npu/a6/TQuant.hpp)"},
    OtherName{"TQUANT_DN", "TQUANT_MX with groups down the columns (grpAxis axis0)"},
    OtherName{"GridTPush",
              "pipes between neighbours of a grid of devices, as communication is: out "
              "of scope"},
    OtherName{"GridTPop",
              "pipes between neighbours of a grid of devices, as communication is: out "
              "of scope"},
    OtherName{"TPUSH", "a FIFO between cores of a cluster: made of moves and flags (isa/composite/fifo.h)"},
    OtherName{"TPOP", "a FIFO between cores of a cluster: made of moves and flags (isa/composite/fifo.h)"},
    OtherName{"TALLOC", "a FIFO between cores of a cluster: made of moves and flags (isa/composite/fifo.h)"},
    OtherName{"TFREE", "a FIFO between cores of a cluster: made of moves and flags (isa/composite/fifo.h)"},
    OtherName{"TPUT", "pto::comm: a copy into a peer's window through staging tiles, made of TLOAD and TSTORE "
                      "(`comm.tput`)"},
    OtherName{"TGET", "pto::comm: a copy from a peer's window through staging tiles, made of TLOAD and TSTORE "
                      "(`comm.tget`)"},
    OtherName{"TNOTIFY", "pto::comm: sets a signal (int32 in global memory) by its cache line, or adds to it "
                         "atomically (`comm.tnotify`)"},
    OtherName{"TWAIT", "pto::comm: polls signals until all meet a comparison (`comm.twait`)"},
    OtherName{"TTEST", "pto::comm: true if all signals meet a comparison (`comm.ttest`)"},
    OtherName{"TREDUCE", "pto::comm: the root combines the arrays of all ranks: TLOAD and TADD, TMAX or TMIN "
                         "(C++ only)"},
    OtherName{"TBROADCAST", "pto::comm: the root copies an array to all ranks: TLOAD and TSTORE (C++ only)"},
    OtherName{"TPUT_ASYNC", "pto::comm: a copy by the core itself, as no engine is modelled: its time is not "
                            "SDMA's (C++ only)"},
    OtherName{"TGET_ASYNC", "pto::comm: a copy by the core itself, as no engine is modelled: its time is not "
                            "SDMA's (C++ only)"},
};

}  // namespace

std::span<const OtherName> other_names() { return kNames; }

}  // namespace ptosim
