#include "isa/assembly/bind/transfers.h"

#include "isa/table/attributes.h"

namespace ptosim::assembly {

// comm.tput(%dst, %src, buf(%ping[, %pong]) : types) {atomicType = #pto<atomic_type atomic_add>}
void TransferBinder::transfer(const Operation& op) {
    const Clause& list = clause(op, "(");
    const Clause& buffers = clause(op, "buf");
    if (list.items.size() != 2 || buffers.items.empty() || buffers.items.size() > 2)
        fail(op, "K06",
             "'" + std::string(op.name) +
                 "' takes a destination, a source and buf(...) with one or two tiles");
    const Value& to = value_of_kind(list.items[0], ValueKind::kView);
    const Value& from = value_of_kind(list.items[1], ValueKind::kView);
    listener().on_transfer(op, *to.type, *from.type);
    TransferPlan plan;
    plan.to = to.slot;
    plan.from = from.slot;
    const auto buffer = [&](const Item& item) {
        const Value& tile = value_of_kind(item, ValueKind::kTile);
        if (tile_of(*tile.type, op).space != Space::kUB)
            fail(item.location, "K07", "the tiles that a transfer goes through must lie in vec");
        return tile.slot;
    };
    plan.ping = buffer(buffers.items[0]);
    if (buffers.items.size() == 2) plan.pong = buffer(buffers.items[1]);
    if (const Attribute* atomic = op.attribute("atomicType")) {
        Attributes attributes;
        const AttributeInfo* row = find_attribute(kAttrAtomic, "atomicType");
        if (op.name == "pto.comm.tget" || !row->set(attributes, atomic->text))
            fail(atomic->location, "K09",
                 "'" + std::string(atomic->text) + "' is not an atomic mode of '" +
                     std::string(op.name) + "'",
                 "pto.comm.tput has " + std::string(row->values));
        plan.atomic = attributes.atomic;
    }
    if (context_.section_depth == 0) context_.unsectioned_transfer = true;
    emit(StepCode::kTransfer, op).index = added(program_.transfers, plan);
}

// comm.tnotify(%signal, %value : T, i32) {notifyOp = #pto<notify_op set>}
// comm.twait(%signal, %value : T, i32) {cmp = #pto<wait_cmp ge>};  %x = comm.ttest ... -> i1
void TransferBinder::signal(const Operation& op) {
    const Clause& list = clause(op, "(");
    if (list.items.size() != 2)
        fail(op, "K06", "'" + std::string(op.name) + "' takes a signal and a value");
    const Value& view = value_of_kind(list.items[0], ValueKind::kView);
    if (element_type(*view.type, op.location) != DType::kI32)
        fail(list.items[0].location, "K07", "a signal must be an i32 in global memory");
    listener().on_signal(op, list.items[0], *view.type);
    const bool notify = op.name == "pto.comm.tnotify", test = op.name == "pto.comm.ttest";
    SignalPlan plan;
    plan.signal = view.slot;
    plan.value = integer(list.items[1]);
    const std::string_view key = notify ? "notifyOp" : "cmp";
    const Attribute* mode = op.attribute(key);
    if (mode == nullptr)
        fail(op, "K09", "'" + std::string(op.name) + "' needs '" + std::string(key) + "'",
             notify ? "notifyOp = #pto<notify_op atomic_add> or <notify_op set>"
                    : "cmp = #pto<wait_cmp ge>, or eq, ne, gt, lt, le");
    if (notify) {
        if (mode->text != "set" && mode->text != "atomic_add")
            fail(mode->location, "K09",
                 "'" + std::string(mode->text) + "' is not a value of 'notifyOp'",
                 "values are atomic_add set");
        plan.action = mode->text == "set" ? SignalAction::kSet : SignalAction::kAdd;
    } else {
        Attributes attributes;
        const AttributeInfo* row = find_attribute(kAttrCompare, "cmpMode");
        if (!row->set(attributes, mode->text))
            fail(mode->location, "K09", "'" + std::string(mode->text) + "' is not a value of 'cmp'",
                 "values are " + std::string(row->values));
        plan.compare = attributes.compare;
        plan.action = test ? SignalAction::kTest : SignalAction::kWait;
    }
    Step& step = emit(StepCode::kSignal, op);
    step.index = added(program_.signals, plan);
    if (!test) return;
    define(op, 0, Value::of(ValueKind::kScalar, builtin_type("i1"), step.r = new_scalar()));
}

}  // namespace ptosim::assembly
