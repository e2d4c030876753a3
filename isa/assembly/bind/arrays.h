// Stack-local arrays and structs: consecutive scalar slots.
#pragma once

#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class ArrayBinder : public BinderPart {
 public:
    using BinderPart::BinderPart;

    void declare_array(const Operation& op);
    void array_get(const Operation& op);
    void array_set(const Operation& op);
    void declare_struct(const Operation& op);
    void struct_access(const Operation& op);

 private:
    uint32_t array_access(const Operation& op, const Value& array);
};

}  // namespace ptosim::assembly
