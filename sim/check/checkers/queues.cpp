// Steps of tensors that their queue (TQue of Ascend C) forbids. The kernel's port finds them
// (sim/native/tensor_queues.h).
#include "sim/check/checker.h"

namespace ptosim::check {

PTOSIM_CHECKER(queues) = {
    .name = "sync",
    .chosen = Chosen::kInAll,
    .codes = "Q01 Q02 Q04",
    .about = "tensors of Ascend C at steps that their queue does not allow, which are warnings otherwise",
    .order = 66};

}  // namespace ptosim::check
