#include "isa/intrinsics/register_use.h"

namespace ptosim {

bool uses_register(const IntrinsicCall& call, unsigned number) {
    const std::string_view name = info(call.opcode).name;
    if (name.starts_with("img2col")) return intrinsics::image_uses(call, number);
    if (name.starts_with("copy_matrix_cc_to")) return intrinsics::drain_uses(call, number);
    if (name.find("_align_v2") != name.npos) return intrinsics::loops_use(call, number);
    if (name.find("_align_b") != name.npos) return intrinsics::bursts_use(call, number);
    return true;
}

}  // namespace ptosim
