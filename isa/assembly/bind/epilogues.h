// The fixpipe's processing of accumulators that are pushed into a FIFO (acc_push_epilogue), and the scales that
// set_quant_scalar and set_quant_vector give it.
#pragma once

#include "isa/assembly/bind/fifos.h"
#include "isa/assembly/bind/instructions.h"

namespace ptosim::assembly {

class EpilogueBinder : public BinderPart {
 public:
    EpilogueBinder(BindContext& context, FifoEnds& ends, InstructionBinder& instructions)
        : BinderPart{context}, ends_{ends}, instructions_{instructions} {}

    void set_quant(const Operation& op);

    void check_pipe_attributes(const Operation& op);
    void note_pipe_end(const Operation& op, CoreType core, int64_t id, const FifoRequest& request);
    void check_push(const Operation& op, const Value& entry, FifoPlan& plan);
    void check_pop(const Operation& op, const Value& result, const FifoPlan& plan);
    // Called when everything is bound: the two ends of each pipe must agree.
    void check_ends();

 private:
    struct Epilogue {
        std::string_view layout, quant, relu;
    };
    struct PipeEnd {  // of a pipe with an id
        const Operation* op = nullptr;
        std::optional<Epilogue> epilogue;
        int64_t slot_bytes = 0;
        bool refused = false;  // by the listener
        std::vector<std::pair<const Type*, const Operation*>> pushed, popped;
    };
    struct QuantState {
        bool vector = false;
        uint32_t block = 0;  // in which it was set
        OperandPlan plan;
        bool refused = false;  // by the listener
    };
    std::optional<Epilogue> epilogue_of(const Operation& op);
    ScaledPipe scaled_pipe(int64_t id, bool vector) const;
    void check_split(const Operation& op, const FifoPlan& plan);
    void check_peer(const PipeEnd& end, const PipeEnd& peer);
    void check_consumer(int64_t id, const PipeEnd& consumer, const PipeEnd& producer,
                        int64_t producer_id);

    FifoEnds& ends_;
    InstructionBinder& instructions_;
    std::map<FifoEnds::Key, PipeEnd> pipe_ends_;
    std::map<int64_t, QuantState> quant_states_;
};

}  // namespace ptosim::assembly
