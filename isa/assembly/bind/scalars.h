// Scalar arithmetic and the core's identity in the launch. Expressions of constants are computed here, once.
#pragma once

#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class ScalarBinder : public BinderPart {
 public:
    using BinderPart::BinderPart;

    // Operations of the dialect arith; false for one that it does not have.
    bool bind_arith(const Operation& op);
    void block_number(const Operation& op);
    // The slot of op(a, b); of op(a) if `b` is kNoSlot.
    Slot emit_scalar(const Operation& op, ScalarOp scalar_op, const ScalarFormat& format, Slot a,
                     Slot b);

 private:
    void arith_constant(const Operation& op);
    void arith_compare(const Operation& op, bool floating);
    void arith_select(const Operation& op);
    void arith_binary(const Operation& op, ScalarOp scalar_op);
    void arith_conversion(const Operation& op, ScalarOp scalar_op);
    void arith_extended(const Operation& op);
    uint64_t literal_bits(const Operation& op, const Attribute& literal, const Type& type);
    void check_scalar_type(const Item& item, const Type* given);
};

}  // namespace ptosim::assembly
