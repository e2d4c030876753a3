// Asynchronous transfers, collectives and other operations that are read and verified; of these, only prefetches run.
#pragma once

#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class HandleBinder : public BinderPart {
 public:
    using BinderPart::BinderPart;

    void of_several_devices(const Operation& op);
    void verified_only(const Operation& op);
    void handle(const Operation& op);
    void prefetch(const Operation& op);
    void async_event(const Operation& op);

 private:
    void define_handle(const Operation& op);
};

}  // namespace ptosim::assembly
