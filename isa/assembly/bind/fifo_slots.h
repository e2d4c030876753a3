// Transfers through the FIFOs between the cores of a cluster.
#pragma once

#include "isa/assembly/bind/epilogues.h"
#include "isa/assembly/bind/fifos.h"

namespace ptosim::assembly {

class FifoSlotBinder : public BinderPart {
 public:
    FifoSlotBinder(BindContext& context, FifoEnds& ends, FifoBinder& fifos,
                   EpilogueBinder& epilogues)
        : BinderPart{context}, ends_{ends}, fifos_{fifos}, epilogues_{epilogues} {}

    void declare_global(const Operation& op);
    void fifo_push(const Operation& op);
    void fifo_pop(const Operation& op);
    void fifo_release(const Operation& op);
    void fifo_alloc(const Operation& op);

 private:
    uint32_t fifo_end(const Operation& op, bool push);
    FifoPlan fifo_plan(const Operation& op, FifoAction action, bool push);
    void check_split(const Operation& op, const FifoPlan& plan);
    std::optional<bool> split_of_peer(const Operation& op, CoreType producer) const;
    GlobalView static_view(const Type& type, const Operation& op);

    FifoEnds& ends_;
    FifoBinder& fifos_;
    EpilogueBinder& epilogues_;
    std::map<uint32_t, bool> splits_;  // by FifoEnd
};

}  // namespace ptosim::assembly
