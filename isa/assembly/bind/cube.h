// Matrix products below the tile level, and the transfers that bring their operands: from global memory to L1, and from
// L1 to L0A, L0B, the bias table and the parameters of the fix pipe.
#pragma once

#include "isa/assembly/bind/intrinsic_calls.h"

namespace ptosim::assembly {

class CubeBinder : public IntrinsicCalls {
 public:
    CubeBinder(BindContext& context, ScalarBinder& scalars) : IntrinsicCalls{context, scalars} {}

    void load(const Operation& op);           // mte_gm_l1
    void load_matrix(const Operation& op);    // mte_gm_l1_frac
    void leave_l1(const Operation& op);       // mte_l1_ub
    void parameters(const Operation& op);     // mte_l1_bt, mte_l1_fb
    void factor(const Operation& op);         // mte_l1_l0a, mte_l1_l0b
    void scales(const Operation& op);         // mte_l1_l0a_mx, mte_l1_l0b_mx
    void fractals(const Operation& op);       // load_cbuf_to_ca, load_cbuf_to_cb
    void multiply(const Operation& op);       // mad, mad_acc, mad_bias, mad_mx and so on
};

}  // namespace ptosim::assembly
