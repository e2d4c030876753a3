// Boxes of L0A, L0B and L0C that are read with another pitch than they were written with, and invalid columns of
// factors that are multiplied. The machine finds them when it issues (sim/machine/core/box_writers.h).
#include "sim/check/checker.h"

namespace ptosim::check {

PTOSIM_CHECKER(pitches) = {
    .name = "bounds",
    .chosen = Chosen::kInAll,
    .codes = "A08 A11",
    .about = "boxes read with a different pitch than they were written with, and products of more columns than are "
             "valid; otherwise warnings",
    .order = 65};

}  // namespace ptosim::check
