// Flags, events, barriers, buffer tokens, signals between cores and maintenance of the data cache.
#pragma once

#include "isa/assembly/bind/instructions.h"

namespace ptosim::assembly {

class SyncBinder : public BinderPart {
 public:
    SyncBinder(BindContext& context, InstructionBinder& instructions)
        : BinderPart{context}, instructions_{instructions} {}

    void set_or_wait_flag(const Operation& op);
    void event(const Operation& op);
    void buffer_token(const Operation& op);
    void barrier(const Operation& op);
    void cross_core(const Operation& op);
    void sync_all(const Operation& op);
    void fence(const Operation& op);
    void cache_invalid(const Operation& op);
    // Operations that have no effect here.
    void no_effect(const Operation&) {}

 private:
    Pipe pipe_of_item(const Item& item);
    Pipe pipe_of_event_type(const Item& item);
    void set_event(IssuePlan& plan, const Item& item);
    void check_signal(const IssuePlan& plan, const Item& item);
    void check_event(const IssuePlan& plan, const Item& item);
    std::optional<int64_t> constant_number(const Item& item);
    void check_sync_workspace(const Item& item);

    InstructionBinder& instructions_;
};

}  // namespace ptosim::assembly
