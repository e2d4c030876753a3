// Vector functions (`pto.vecscope`) and their operations; copies of bytes to UB and back.
#pragma once

#include "isa/assembly/context/binder_part.h"
#include "isa/intrinsics/vector_operation.h"

namespace ptosim::assembly {

class VectorBinder : public BinderPart {
 public:
    VectorBinder(BindContext& context, BlockBinder& blocks)
        : BinderPart{context}, blocks_{blocks} {}

    // An operation that is named like a row of the table of vector operations, or is written in
    // another way there; false for one that is not.
    bool bind_vector(const Operation& op);

    void scope(const Operation& op);
    // mte_gm_ub, mte_ub_gm
    void copy(const Operation& op);
    // copy_gm_to_ubuf, copy_ubuf_to_gm
    void old_copy(const Operation& op);
    // set_loop_size_..., set_loop1_stride_...: for copies without their own loops
    void copy_loops(const Operation& op);
    void barrier(const Operation& op);
    // init_align, vldas, vstas, vstar: of bytes that unaligned accesses have not stored yet
    void store_state(const Operation& op);
    // vbitcast, pbitcast
    void bitcast(const Operation& op);

 private:
    struct Written;
    Written read(const Operation& op) const;
    void need_scope(const Operation& op) const;
    std::vector<const Value*> bind_sources(const Operation& op, const Written& written,
                                           const VectorOperationInfo& row, VectorPlan& plan) const;
    void bind_types(const Operation& op, const VectorOperationInfo& row,
                    std::span<const Value* const> values, VectorOperation& operation) const;
    void bind_address(const Operation& op, const Written& written, const VectorOperationInfo& row,
                      VectorPlan& plan);
    void bind_scalars(const Operation& op, const Written& written, const VectorOperationInfo& row,
                      VectorPlan& plan);
    void bind_modes(const Operation& op, const Written& written, const VectorOperationInfo& row,
                    VectorOperation& operation) const;
    void add(const Operation& op, VectorPlan plan);
    void define_values(const Operation& op, VectorPlan& plan, const VectorOperationInfo& row);
    VectorMode mode_of(const Operation& op, const VectorOperationInfo& row, std::string_view word,
                       DType type) const;

    BlockBinder& blocks_;
    bool in_scope_ = false;
};

}  // namespace ptosim::assembly
