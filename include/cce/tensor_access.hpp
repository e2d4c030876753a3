// Scalar reads and writes of tensors of Ascend C. Its headers mark the functions with __inout_pipe__(S), and
// `ptosim build` puts a call of scalar_access() in front of their bodies (sim/compile/rewrite.h).
#pragma once

#include "cce/kernel_call.hpp"
#include "ptosim/scalar_access.h"

namespace pto::ptosim_detail {

// Local tensors give the address in their memory as a number, or a pointer into UB.
inline constexpr bool is_local(uint64_t) { return true; }
template <class T_>
constexpr bool is_local(__ubuf__ T_*) {
    return true;
}
template <class T_>
constexpr bool is_local(T_*) {
    return false;
}

// Element `index` of a LocalTensor or GlobalTensor. Types of less than a byte are not followed; a
// reference into global memory counts as a load.
template <class Tensor_, class Index_>
void scalar_access(const Tensor_& tensor, Index_ index, uint8_t kind) {
    using Element_ = typename Tensor_::PrimType;
    if constexpr (!std::is_class_v<Element_> && sizeof(Element_) <= 8 && kOnVector)
        ptosim_scalar_access((uint64_t)tensor.GetPhyAddr() + index * sizeof(Element_),
                             is_local(tensor.GetPhyAddr()), sizeof(Element_),
                             kind == PTOSIM_SCALAR_REFERENCE && !is_local(tensor.GetPhyAddr())
                                 ? PTOSIM_SCALAR_LOAD
                                 : kind,
                             {nullptr, 0});
}

}  // namespace pto::ptosim_detail
