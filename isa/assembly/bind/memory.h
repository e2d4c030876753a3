// Global memory: pointers, views, scalar accesses; and a kernel's printing.
#pragma once

#include <array>
#include <map>

#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class MemoryBinder : public BinderPart {
 public:
    using BinderPart::BinderPart;

    void make_tensor_view(const Operation& op);
    void partition_view(const Operation& op);
    void view_extent(const Operation& op);
    void view_address(const Operation& op);
    void add_pointer(const Operation& op);
    void cast_pointer(const Operation& op);
    void load_scalar(const Operation& op);
    void store_scalar(const Operation& op);
    void print(const Operation& op);
    void trap(const Operation& op);

 private:
    void check_outside(const Operation& op, size_t dimension, const Value& view, uint64_t offset,
                       uint64_t size);
    const Type* ranked_type(const Type& type, size_t rank);
    void note_parameter_view(const Value& pointer, const ViewPlan& plan, bool all_constant);

    // Constant dimensions of the views that the text makes.
    std::map<Slot, std::array<int64_t, GlobalView::kRank>> extents_;
};

}  // namespace ptosim::assembly
