#include "isa/assembly/bind/synchronisation.h"

#include <charconv>

#include "isa/core/arch.h"
#include "isa/core/signals.h"
#include "isa/table/attributes.h"

namespace ptosim::assembly {

// PIPE_V, as #pto.pipe<PIPE_V>, <PIPE_V> or "PIPE_V".
Pipe SyncBinder::pipe_of_item(const Item& item) {
    const auto pipe = parse_pipe(item.text);
    if (item.kind == Item::Kind::kValue || !pipe)
        fail(item.location, "K09", "'" + std::string(item.text) + "' is not a pipe",
             "pipes are PIPE_S PIPE_MTE2 PIPE_MTE1 PIPE_M PIPE_V PIPE_FIX PIPE_MTE3 PIPE_ALL");
    return *pipe;
}

// hw-native-sys/PTOAS lib/PTO/IR/PTOSyncUtils.cpp, mapSyncOpTypeToPipe.
Pipe SyncBinder::pipe_of_event_type(const Item& item) {
    static constexpr std::pair<std::string_view, Pipe> kPipes[] = {
        {"TLOAD", Pipe::kMTE2},    {"TSTORE_VEC", Pipe::kMTE3},  {"TSTORE_ACC", Pipe::kFIX},
        {"TMOV_M2L", Pipe::kMTE1}, {"TMOV_M2B", Pipe::kMTE1},    {"TMOV_M2S", Pipe::kFIX},
        {"TMOV_M2V", Pipe::kV},    {"TMOV_V2M", Pipe::kFIX},     {"TMATMUL", Pipe::kM},
        {"TVEC", Pipe::kV},        {"TVECWAIT_EVENT", Pipe::kV},
    };
    for (const auto& [word, pipe] : kPipes)
        if (item.text == word) return pipe;
    fail(item.location, "K09", "'" + std::string(item.text) + "' is not a kind of event",
         "kinds are TLOAD TSTORE_VEC TSTORE_ACC TMOV_M2L TMOV_M2B TMOV_M2S TMOV_M2V TMOV_V2M "
         "TMATMUL TVEC");
}

// EVENT_ID3, a number, or a value computed by the kernel.
void SyncBinder::set_event(IssuePlan& plan, const Item& item) {
    if (item.kind == Item::Kind::kValue) {
        plan.event = integer(item);
        return;
    }
    const AttributeInfo* row = find_attribute(kAttrEvent, "event_id");
    if (row == nullptr || !row->set(plan.prototype.attributes, item.text))
        fail(item.location, "K09", "'" + std::string(item.text) + "' is not an event id",
             "event ids are EVENT_ID0 to EVENT_ID7");
}

// A flag between pipes of a core.
void SyncBinder::check_event(const IssuePlan& plan, const Item& item) {
    constexpr unsigned kEvents = 8;
    if (plan.event == kNoSlot && plan.prototype.attributes.event_id >= kEvents)
        fail(item.location, "K09", "'" + std::string(item.text) + "' is not an event id",
             "event ids are EVENT_ID0 to EVENT_ID7");
}

// A signal between cores; the machine checks an id that the kernel computes.
void SyncBinder::check_signal(const IssuePlan& plan, const Item& item) {
    if (plan.event != kNoSlot && !is_constant(plan.event)) return;
    const uint64_t id = plan.event == kNoSlot ? plan.prototype.attributes.event_id
                                              : program_.scalars[plan.event];
    if (id >= kCrossIds)
        fail(item.location, "C01", "unknown signal " + std::to_string(id),
             "ids are 0 to " + std::to_string(kCrossIds - 1));
}

// The value of a number or of a constant; empty for a value that the kernel computes.
std::optional<int64_t> SyncBinder::constant_number(const Item& item) {
    if (item.kind == Item::Kind::kValue) {
        const Slot slot = integer(item);
        if (!is_constant(slot)) return std::nullopt;
        return static_cast<int64_t>(program_.scalars[slot]);
    }
    int64_t number = 0;
    const char* const end = item.text.data() + item.text.size();
    if (std::from_chars(item.text.data(), end, number).ptr != end)
        fail(item.location, "K09", "'" + std::string(item.text) + "' is not a number");
    return number;
}

// cmo.cacheinvalid %pointer single_cache_line : T; the whole cache without a pointer. Also dcci %pointer
// "SINGLE_CACHE_LINE" or "ENTIRE_DATA_CACHE". UB has no cache.
void SyncBinder::cache_invalid(const Operation& op) {
    Slot address = kNoSlot;
    bool all = false;
    for (const Clause& clause : op.clauses)
        for (const Item& item : clause.items) {
            if (item.kind == Item::Kind::kAttribute && item.attribute->text == "ENTIRE_DATA_CACHE")
                all = true;
            if (item.kind != Item::Kind::kValue) continue;
            const Value& found = value(item);
            const bool pointer = found.kind == ValueKind::kPointer;
            if (op.name == "pto.dcci" && pointer && found.type->space) return;
            listener().on_cache_line(op, item, found);
            address = found.slot;
            if (found.kind != ValueKind::kView) continue;
            Step& step = emit(StepCode::kViewAddress, op);
            step.a = address;
            step.r = address = new_scalar();
        }
    emit(StepCode::kCleanCache, op).a = all ? kNoSlot : address;
}

// set_flag[source, destination, event]
void SyncBinder::set_or_wait_flag(const Operation& op) {
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
    check_event(plan, items[2]);
    context_.explicit_sync = true;
    issue(op, plan);
}

// record_event[kind of source, kind of destination, event]: a flag between the pipes of two kinds
// of instruction.
void SyncBinder::event(const Operation& op) {
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
    check_event(plan, items[2]);
    context_.explicit_sync = true;
    issue(op, plan);
}

// get_buf[<TLOAD>, 3], get_buf "PIPE_V", %id, 1; a mode of 1 also as {mode = 1}
void SyncBinder::buffer_token(const Operation& op) {
    const Clause* list = op.clause("[");
    const std::span<const Item> items = (list != nullptr ? *list : clause(op, "")).items;
    if (items.size() != 2 && items.size() != 3)
        fail(op, "K06", "'" + std::string(op.name) + "' takes [pipe or kind, buffer id]",
             "and a mode, if it is not 0");
    constexpr int64_t kIds = 32;
    IssuePlan plan;
    plan.prototype.opcode = op.name.starts_with("pto.get") ? Opcode::kGET_BUF : Opcode::kRLS_BUF;
    Attributes& a = plan.prototype.attributes;
    const Pipe pipe =
        parse_pipe(items[0].text) ? pipe_of_item(items[0]) : pipe_of_event_type(items[0]);
    if (pipe == Pipe::kAll)
        fail(items[0].location, "K09",
             "'" + std::string(op.name) + "' takes one pipe, not PIPE_ALL");
    a.source_pipe = a.destination_pipe = pipe;
    const std::optional<int64_t> id = constant_number(items[1]);
    if (!id)
        plan.event = integer(items[1]);
    else if (*id < 0 || *id >= kIds)
        fail(items[1].location, "K09", "a buffer id must lie in 0.." + std::to_string(kIds - 1));
    else
        a.event_id = static_cast<uint8_t>(*id);
    int64_t mode = 0;
    SourceLocation where = op.location;
    if (const Attribute* given = op.attribute("mode")) {
        mode = given->integer;
        where = given->location;
    }
    if (items.size() == 3) {
        mode = constant_number(items[2]).value_or(-1);
        where = items[2].location;
    }
    if (mode != 0 && mode != 1)
        fail(where, "K09", "the mode of '" + std::string(op.name) + "' must be 0 or 1");
    a.buffer_mode = static_cast<uint8_t>(mode);
    context_.explicit_sync = true;
    issue(op, plan);
}

// barrier <PIPE_V>, barrier_sync[<TVEC>]
void SyncBinder::barrier(const Operation& op) {
    IssuePlan plan;
    plan.prototype.opcode = Opcode::kPIPE_BARRIER;
    Pipe pipe = Pipe::kAll;
    if (op.name == "pto.barrier_sync")
        pipe = pipe_of_event_type(only_item(op, clause(op, "[")));
    else
        pipe = pipe_of_item(only_item(op, clause(op, "")));
    plan.prototype.attributes.source_pipe = plan.prototype.attributes.destination_pipe = pipe;
    // A barrier for all pipes also occurs in files that leave the rest of the order to a tool.
    if (pipe != Pipe::kAll) context_.explicit_sync = true;
    issue(op, plan);
}

// sync.set <PIPE>, id {ffts_mode = m}; set_intra_block <PIPE>, id; set_cross_block <PIPE>, id
void SyncBinder::cross_core(const Operation& op) {
    const Clause& list = clause(op, "");
    if (list.items.size() != 2)
        fail(op, "K06", "'" + std::string(op.name) + "' takes a pipe and an event id");
    IssuePlan plan;
    const bool set = op.name.starts_with("pto.set") || op.name == "pto.sync.set";
    // Files for both architectures write the flags of a5, which are signals of mode 2 where
    // cores have none for each other
    // (hw-native-sys/PTOAS lib/PTO/Transforms/PTOToEmitC.cpp).
    const bool flags = traits_of(options_.arch).flags_between_cores;
    // From kCrossIds on, flags of the second vector core.
    const bool second = op.name.starts_with("pto.sync.") && flags &&
                        constant_number(list.items[1]).value_or(0) >= int64_t{kCrossIds};
    const bool intra = second || (op.name.ends_with("intra_block") && flags);
    plan.prototype.opcode = intra ? set ? Opcode::kINTRA_SET : Opcode::kINTRA_WAIT
                            : set ? Opcode::kCROSS_SET
                                  : Opcode::kCROSS_WAIT;
    Attributes& attributes = plan.prototype.attributes;
    attributes.source_pipe = attributes.destination_pipe = pipe_of_item(list.items[0]);
    set_event(plan, list.items[1]);
    if (!intra) check_signal(plan, list.items[1]);
    if (op.name.ends_with("cross_block")) attributes.cross_mode = 0;
    instructions_.bind_attributes(op, info(plan.prototype.opcode), attributes);
    issue(op, plan);
}

// syncall() mode = hard, core_type = mix; soft: syncall(%workspace[, %cores : T, i32]), which counts in global memory
// if other kernels run at the same time (KernelPort::shares_launch). In a launch of one kernel it waits like a hard
// one, by flags, whose order the checkers know.
void SyncBinder::sync_all(const Operation& op) {
    IssuePlan plan;
    plan.prototype.opcode = Opcode::kSYNCALL;
    const Attribute* mode = op.attribute("mode");
    const Attribute* cores = op.attribute("core_type");
    if (mode == nullptr || (mode->text != "hard" && mode->text != "soft"))
        fail(op, "K09", "'pto.syncall' needs mode = #pto.sync_all_mode<hard> or <soft>");
    const AttributeInfo* row = find_attribute(kAttrSyncCores, "core_type");
    if (cores == nullptr || !row->set(plan.prototype.attributes, cores->text))
        fail(op, "K09", "'pto.syncall' needs a core_type: mix, aic_only or aiv_only");
    std::vector<const Item*> given;
    if (const Clause* list = op.clause("("))
        for (const Item& item : list->items) given.push_back(&item);
    if (mode->text == "hard") {
        if (!given.empty())
            fail(op, "K06", "a hard 'pto.syncall' takes no workspace and no number of cores");
    } else {
        if (given.empty() || given.size() > 2)
            fail(op, "K06",
                 "a soft 'pto.syncall' takes a workspace and, if not all, a number of cores",
                 "pto.syncall(%workspace, %cores : !pto.ptr<i32, gm>, i32)");
        check_sync_workspace(*given[0]);
        const Value& workspace = value(*given[0]);
        const bool view = workspace.kind == ValueKind::kView;
        plan.operands[0].kind = view ? Operand::Kind::kGlobal : Operand::Kind::kScalar;
        plan.operands[0].slot = workspace.slot;
        if (given.size() == 2) {
            const Value& count = value_of_kind(*given[1], ValueKind::kScalar);
            if (count.type->kind != TypeKind::kInteger || count.type->width != 32)
                fail(given[1]->location, "K07",
                     "the number of cores of 'pto.syncall' must be an i32");
            plan.participants = count.slot;
        }
    }
    issue(op, plan);
}

// At least 64 bytes of i32 in global memory.
void SyncBinder::check_sync_workspace(const Item& item) {
    const Value& workspace = value(item);
    if (workspace.kind != ValueKind::kPointer && workspace.kind != ValueKind::kView)
        fail(item.location, "K07",
             "the workspace of 'pto.syncall' must be a pointer or a view of global memory, not " +
                 std::string(name(workspace.kind)));
    if (workspace.type->text.starts_with("memref") ||
        (workspace.kind == ValueKind::kPointer && workspace.type->space))
        fail(item.location, "K07",
             "the workspace of 'pto.syncall' must be a pointer or a view of global memory, not '" +
                 std::string(workspace.type->text) + "'");
    if (element_type(*workspace.type, item.location) != DType::kI32)
        fail(item.location, "K07", "the elements of the workspace of 'pto.syncall' must be i32");
    if (workspace.kind == ValueKind::kPointer) return;
    constexpr int64_t kLeast = 16;
    int64_t elements = 1;
    for (uint8_t i = 0; i < workspace.type->rank; ++i) {
        const int64_t dim = workspace.type->dims[i];
        if (dim < 0 || dim >= kLeast) return;
        elements *= dim;
    }
    if (elements < kLeast)
        fail(item.location, "K07",
             "the workspace of 'pto.syncall' has " + std::to_string(elements) +
                 " elements; it needs 16 (64 bytes)");
}

// Everything that the core was given before is done, and seen by all, before anything after it.
void SyncBinder::fence(const Operation& op) {
    IssuePlan plan;
    plan.prototype.opcode = Opcode::kPIPE_BARRIER;
    issue(op, plan);
}

}  // namespace ptosim::assembly
