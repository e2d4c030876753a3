// Transfers between ranks and their signals. Memory of all ranks is one address space here.
#pragma once

#include "isa/assembly/context/binder_part.h"

namespace ptosim::assembly {

class TransferBinder : public BinderPart {
 public:
    using BinderPart::BinderPart;

    void transfer(const Operation& op);
    void signal(const Operation& op);
};

}  // namespace ptosim::assembly
