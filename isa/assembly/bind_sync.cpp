// Flags, events and barriers.
#include "isa/assembly/binder_state.h"
#include "isa/attributes.h"

namespace ptosim::assembly {

// PIPE_V, as #pto.pipe<PIPE_V>, <PIPE_V> or "PIPE_V".
Pipe Binder::pipe_of_item(const Item& item) {
    const auto pipe = parse_pipe(item.text);
    if (item.kind == Item::Kind::kValue || !pipe)
        fail(item.location, "K09", "'" + std::string(item.text) + "' is no pipe",
             "pipes are PIPE_S PIPE_MTE2 PIPE_MTE1 PIPE_M PIPE_V PIPE_FIX PIPE_MTE3 PIPE_ALL");
    return *pipe;
}

// hw-native-sys/PTOAS lib/PTO/IR/PTOSyncUtils.cpp, mapSyncOpTypeToPipe.
Pipe Binder::pipe_of_event_type(const Item& item) {
    static constexpr std::pair<std::string_view, Pipe> kPipes[] = {
        {"TLOAD", Pipe::kMTE2},    {"TSTORE_VEC", Pipe::kMTE3},  {"TSTORE_ACC", Pipe::kFIX},
        {"TMOV_M2L", Pipe::kMTE1}, {"TMOV_M2B", Pipe::kMTE1},    {"TMOV_M2S", Pipe::kFIX},
        {"TMOV_M2V", Pipe::kV},    {"TMOV_V2M", Pipe::kFIX},     {"TMATMUL", Pipe::kM},
        {"TVEC", Pipe::kV},        {"TVECWAIT_EVENT", Pipe::kV},
    };
    for (const auto& [word, pipe] : kPipes)
        if (item.text == word) return pipe;
    fail(item.location, "K09", "'" + std::string(item.text) + "' is no kind of event",
         "kinds are TLOAD TSTORE_VEC TSTORE_ACC TMOV_M2L TMOV_M2B TMOV_M2S TMOV_M2V TMOV_V2M "
         "TMATMUL TVEC");
}

// EVENT_ID3, a number, or a value computed by the kernel.
void Binder::set_event(IssuePlan& plan, const Item& item) {
    if (item.kind == Item::Kind::kValue) {
        plan.event = integer(item);
        return;
    }
    const AttributeInfo* row = find_attribute(kAttrEvent, "event_id");
    if (row == nullptr || !row->set(plan.prototype.attributes, item.text))
        fail(item.location, "K09", "'" + std::string(item.text) + "' is no event id",
             "event ids are EVENT_ID0 to EVENT_ID7");
}

void Binder::issue(const Operation& op, IssuePlan plan) {
    plan.prototype.location = op.source;
    program_.issues.push_back(plan);
    const auto index = static_cast<uint32_t>(program_.issues.size() - 1);
    emit(StepCode::kIssue, op).index = index;
    if (in_section_ == 0) unsectioned_issues_.push_back(index);
}

// set_flag[source, destination, event]
void Binder::set_or_wait_flag(const Operation& op) {
    const auto items = clause(op, "[").items;
    if (items.size() != 3)
        fail(op, "K06",
             "'" + std::string(op.name) +
                 "' takes [source pipe, destination pipe, "
                 "event id]");
    IssuePlan plan;
    plan.prototype.opcode = op.name.starts_with("pto.set") ? Opcode::kSET_FLAG : Opcode::kWAIT_FLAG;
    plan.prototype.attributes.source_pipe = pipe_of_item(items[0]);
    plan.prototype.attributes.destination_pipe = pipe_of_item(items[1]);
    set_event(plan, items[2]);
    explicit_sync_ = true;
    issue(op, plan);
}

// record_event[kind of source, kind of destination, event]: a flag between the pipes of two kinds
// of instruction.
void Binder::event(const Operation& op) {
    const auto items = clause(op, "[").items;
    if (items.size() != 3)
        fail(op, "K06",
             "'" + std::string(op.name) +
                 "' takes [kind of source, kind of destination, event "
                 "id]");
    IssuePlan plan;
    plan.prototype.opcode = op.name == "pto.record_event" ? Opcode::kSET_FLAG : Opcode::kWAIT_FLAG;
    plan.prototype.attributes.source_pipe = pipe_of_event_type(items[0]);
    plan.prototype.attributes.destination_pipe = pipe_of_event_type(items[1]);
    set_event(plan, items[2]);
    explicit_sync_ = true;
    issue(op, plan);
}

// barrier <PIPE_V>, barrier_sync[<TVEC>]
void Binder::barrier(const Operation& op) {
    IssuePlan plan;
    plan.prototype.opcode = Opcode::kPIPE_BARRIER;
    Pipe pipe = Pipe::kAll;
    if (op.name == "pto.barrier_sync")
        pipe = pipe_of_event_type(only_item(op, clause(op, "[")));
    else
        pipe = pipe_of_item(only_item(op, clause(op, "")));
    plan.prototype.attributes.source_pipe = plan.prototype.attributes.destination_pipe = pipe;
    // A barrier for all pipes also stands in files that leave the rest of the order to a tool.
    if (pipe != Pipe::kAll) explicit_sync_ = true;
    issue(op, plan);
}

// sync.set <PIPE>, id {ffts_mode = m}
void Binder::cross_core(const Operation& op) {
    const Clause& list = clause(op, "");
    if (list.items.size() != 2)
        fail(op, "K06", "'" + std::string(op.name) + "' takes a pipe and an event id");
    IssuePlan plan;
    const bool set = op.name == "pto.sync.set" || op.name == "pto.set_cross_block";
    plan.prototype.opcode = set ? Opcode::kCROSS_SET : Opcode::kCROSS_WAIT;
    Attributes& attributes = plan.prototype.attributes;
    attributes.source_pipe = attributes.destination_pipe = pipe_of_item(list.items[0]);
    set_event(plan, list.items[1]);
    bind_attributes(op, info(plan.prototype.opcode), attributes);
    issue(op, plan);
}

// Everything that the core was given before is done, and seen by all, before anything after it.
void Binder::fence(const Operation& op) {
    IssuePlan plan;
    plan.prototype.opcode = Opcode::kPIPE_BARRIER;
    issue(op, plan);
}

}  // namespace ptosim::assembly
