// Dispatches an operation, by its name, to the part of the binder that handles it (language/assembly_operations.def).
#pragma once

#include <tuple>

#include "isa/assembly/bind/arrays.h"
#include "isa/assembly/bind/control_flow.h"
#include "isa/assembly/bind/cube.h"
#include "isa/assembly/bind/drains.h"
#include "isa/assembly/bind/fifo_slots.h"
#include "isa/assembly/bind/functions.h"
#include "isa/assembly/bind/handles.h"
#include "isa/assembly/bind/instructions.h"
#include "isa/assembly/bind/memory.h"
#include "isa/assembly/bind/scalars.h"
#include "isa/assembly/bind/synchronisation.h"
#include "isa/assembly/bind/tiles.h"
#include "isa/assembly/bind/transfers.h"
#include "isa/assembly/bind/vectors.h"

namespace ptosim::assembly {

class OperationBinder : public BinderPart, public BlockBinder {
 public:
    explicit OperationBinder(BindContext& context);

    void bind_block(const Block& block) override;

    FunctionBinder& functions() { return functions_; }
    FifoBinder& fifos() { return fifos_; }
    EpilogueBinder& epilogues() { return epilogues_; }

 private:
    using Handler = void (*)(OperationBinder&, const Operation&);
    template <auto kMethod>
    struct Call;
    static Handler handler_of(std::string_view name);
    void bind_operation(const Operation& op);
    [[noreturn]] void fail_unknown(const Operation& op);
    [[noreturn]] void fail_inlined(const Operation& op);

    ScratchTiles scratch_;
    FifoEnds fifo_ends_;
    InstructionBinder instructions_;
    FunctionBinder functions_;
    ScalarBinder scalars_;
    ControlFlowBinder control_flow_;
    MemoryBinder memory_;
    ArrayBinder arrays_;
    TileBinder tiles_;
    SyncBinder sync_;
    EpilogueBinder epilogues_;
    FifoBinder fifos_;
    FifoSlotBinder fifo_slots_;
    TransferBinder transfers_;
    HandleBinder handles_;
    VectorBinder vectors_;
    CubeBinder cube_;
    DrainBinder drains_;
    std::tuple<FunctionBinder&, ScalarBinder&, ControlFlowBinder&, MemoryBinder&, ArrayBinder&,
               TileBinder&, SyncBinder&, EpilogueBinder&, FifoBinder&, FifoSlotBinder&,
               TransferBinder&, HandleBinder&, VectorBinder&, CubeBinder&, DrainBinder&>
        parts_;
    uint32_t blocks_bound_ = 0;
    size_t inlined_ = 0;  // operations of called functions
};

}  // namespace ptosim::assembly
