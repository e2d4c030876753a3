#include "isa/assembly/bind/handles.h"

namespace ptosim::assembly {

// Collectives and asynchronous transfers between devices:
// comm.tbroadcast(%src, recv(%ping[, %pong]), group(%a, %b) : types) {root = 0}
// comm.tput_async(%dst, %src, %session : types) -> !pto.async_event
void HandleBinder::of_several_devices(const Operation& op) {
    refuse_launch(op, "it needs several devices, but ptosim simulates one");
    const bool async = op.name.ends_with("_async");
    for (const Clause& clause : op.clauses)
        for (const Item& item : clause.items) {
            if (item.kind != Item::Kind::kValue) continue;
            const Value& found = value(item);
            if (found.kind != ValueKind::kView) continue;
            if (!is_fixed(*found.type))
                fail(item.location, "S01",
                     "'" + std::string(op.name) + "' does not support dynamic dimensions: '%" +
                         std::string(item.text) + "' is " + std::string(found.type->text));
            if (async && !is_flat(*found.type))
                fail(item.location, "S01",
                     "'" + std::string(op.name) +
                         "' takes flat contiguous memory of one dimension; '%" +
                         std::string(item.text) + "' is " + std::string(found.type->text));
        }
    if (const Clause* group = op.clause("group")) {
        if (group->items.empty())
            fail(group->location, "K06", "the group of '" + std::string(op.name) + "' is empty");
        const Attribute* root = op.attribute("root");
        if (root != nullptr &&
            (root->integer < 0 || root->integer >= static_cast<int64_t>(group->items.size())))
            fail(root->location, "K09",
                 "root " + std::to_string(root->integer) + " is not in the group of " +
                     std::to_string(group->items.size()));
    } else if (op.name == "pto.comm.tbroadcast" || op.name == "pto.comm.tgather" ||
               op.name == "pto.comm.tscatter" || op.name == "pto.comm.treduce") {
        fail(op, "K06", "'" + std::string(op.name) + "' needs group(...)");
    }
    verified_only(op);
}

// %ctx = make_prefetch_async_context(%workspace : T) -> !pto.prefetch_async_context A context needs no state here,
// because a prefetch is complete when it is issued.
void HandleBinder::handle(const Operation& op) { define_handle(op); }

// %event = tprefetch_async(%src, %ctx : T, !pto.prefetch_async_context) -> !pto.async_event
void HandleBinder::prefetch(const Operation& op) {
    const Clause* list = op.clause("(");
    if (list == nullptr) list = &clause(op, "");
    if (list->items.size() != 2)
        fail(op, "K06", "'pto.tprefetch_async' takes a view and a context");
    const Value& view = value_of_kind(list->items[0], ValueKind::kView);
    value_of_kind(list->items[1], ValueKind::kHandle);
    listener().on_prefetch(list->items[0], view);
    IssuePlan plan;
    plan.prototype.opcode = Opcode::kTPREFETCH_ASYNC;
    plan.prototype.operand_count = 1;
    plan.operands[0] = operand_plan(list->items[0]);
    issue(op, plan);
    define_handle(op);
}

// comm.wait_async_event(%event, %session : ...) -> i1: the prefetch of the event is already complete.
void HandleBinder::async_event(const Operation& op) {
    for (const Clause& clause : op.clauses)
        for (const Item& item : clause.items)
            if (item.kind == Item::Kind::kValue) value_of_kind(item, ValueKind::kHandle);
    if (op.results.empty()) return;
    define(op, 0, Value::of(ValueKind::kScalar, result_type(op), constant(1)));
}

// Checks that operands are defined values; results have their written types.
void HandleBinder::verified_only(const Operation& op) {
    refuse_launch(op, "ptosim does not model it");
    define_handle(op);
}

void HandleBinder::define_handle(const Operation& op) {
    for (const Clause& clause : op.clauses)
        for (const Item& item : clause.items)
            if (item.kind == Item::Kind::kValue) value(item);
    if (op.results.empty()) return;
    const Type& type = result_type(op);
    Value result;
    result.kind = ValueKind::kHandle;
    result.type = &type;
    define(op, 0, make_kind(type) == ValueKind::kHandle ? result : make_value(type, op));
}

}  // namespace ptosim::assembly
