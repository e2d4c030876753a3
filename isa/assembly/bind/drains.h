// Results of the cube out of L0C, below the level of tiles.
#pragma once

#include "isa/assembly/bind/intrinsic_calls.h"

namespace ptosim::assembly {

class DrainBinder : public IntrinsicCalls {
 public:
    DrainBinder(BindContext& context, ScalarBinder& scalars) : IntrinsicCalls{context, scalars} {}

    void drain(const Operation& op);  // mte_l0c_gm, mte_l0c_l1, mte_l0c_ub

 private:
    struct Drain;
    void quantise(const Operation& op, Drain& drain);
    void relu(const Operation& op, Drain& drain);
    void arrange(const Operation& op, Drain& drain);
    void combine(const Operation& op, Drain& drain);
    void add(const Operation& op, const Drain& drain);
    void add_halves(const Operation& op, Drain drain, bool of_rows);
};

}  // namespace ptosim::assembly
