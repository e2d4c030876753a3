// Results that depend on a rule of the numeric profile because sources leave a choice. The machine finds them when it
// computes (isa/core/behaviour.h).
#include "sim/check/checker.h"

namespace ptosim::check {

PTOSIM_CHECKER(choices) = {
    .name = "choices",
    .codes = "P03 N02 N06 N07 N09",
    .about = "results that rest on a rule of the numeric profile where sources leave a choice",
    .order = 110};

}  // namespace ptosim::check
