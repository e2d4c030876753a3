#include "isa/assembly/bind/fifo_slots.h"

#include <limits>

#include "isa/composite/fifo.h"
#include "isa/core/checked.h"
#include "isa/core/view_span.h"

namespace ptosim::assembly {

// The end that an operation is about: that of its pipe operand or of its id, in its direction.
uint32_t FifoSlotBinder::fifo_end(const Operation& op, bool push) {
    for (const Item* item : given_to(op)) {
        const Value& pipe = value(*item);
        if (pipe.kind != ValueKind::kFifo) continue;
        if (pipe.count == 1) return pipe.slot;
        const CoreType producer =
            push == (fifos_.current_core(op) == CoreType::kAIC) ? CoreType::kAIC : CoreType::kAIV;
        return pipe.slot + static_cast<uint32_t>(FifoEnds::direction_of(producer));
    }
    const bool to_vector = op.name.ends_with("_to_aiv") || op.name.ends_with("_from_aic");
    const CoreType core = push == to_vector ? CoreType::kAIC : CoreType::kAIV;
    const int64_t id = integer_attribute(op, "id", 0);
    const auto found = ends_.by_id.find({core, id});
    const std::optional<uint32_t> end =
        found == ends_.by_id.end() ? std::nullopt : found->second[to_vector ? 0 : 1];
    const auto missing = [&] {
        return failure_of(op, "K11",
                          "no pipe with id " + std::to_string(id) + " goes " +
                              (to_vector ? "from the cube core to the vector cores"
                                         : "from the vector cores to the cube core") +
                              " here",
                          "initialise it before: pto.aic_initialize_pipe, "
                          "pto.aiv_initialize_pipe");
    };
    if (!end) throw missing();
    if (ends_.refused.contains(*end)) listener().on_missing(missing().diagnostic);
    return *end;
}

FifoPlan FifoSlotBinder::fifo_plan(const Operation& op, FifoAction action, bool push) {
    FifoPlan plan;
    plan.action = action;
    const int64_t split = integer_attribute(op, "split");
    if (split < 0 || split >= int64_t{kFifoSplits})
        fail(op, "K09",
             "'split' is 0 (none), 1 (up and down), 2 (left and right), 3 or 4 (as 1 and 2, but the first part is "
             "larger by one); not " +
                 std::to_string(split));
    plan.split = static_cast<FifoSplit>(split);
    plan.end = fifo_end(op, push);
    check_split(op, plan);
    return plan;
}

// All users of a pipe split its slots, or none does; parts that differ in size exist only on the
// way from the cube core through global memory.
void FifoSlotBinder::check_split(const Operation& op, const FifoPlan& plan) {
    const bool split = plan.split != FifoSplit::kNone;
    const FifoEnd& end = program_.fifo_ends[plan.end];
    const bool odd = plan.split == FifoSplit::kUpDownOdd || plan.split == FifoSplit::kLeftRightOdd;
    if (odd && (end.shape.producer != CoreType::kAIC || end.shape.on_chip))
        fail(op, "F03",
             "a pipe " + std::string(end.shape.on_chip ? "on chip" : "from the vector cores") +
                 " cannot split its slots into parts of different sizes (split = 3 or 4)",
             "such a split exists only from the cube core to the vector cores, through global "
             "memory");
    if (const auto other_end = ends_.nosplit.find(plan.end);
        other_end != ends_.nosplit.end() && other_end->second == split)
        fail(op, "K09",
             std::string("the pipe declares nosplit = ") + (split ? "true" : "false") +
                 ", but split is " + std::to_string(static_cast<int>(plan.split)));
    const auto [first, added] = splits_.try_emplace(plan.end, split);
    if (!added && first->second != split)
        fail(op, "K09", "some users of this pipe split its slots, and others do not",
             "give all of them a split of 0, or none of them");
    const bool by_id =
        op.name.find("_to_ai") != op.name.npos || op.name.find("_from_ai") != op.name.npos;
    if (by_id) listener().on_split(op, split, split_of_peer(op, end.shape.producer));
}

// True if the other end of a pipe with an id splits its slots, if there is one with users.
std::optional<bool> FifoSlotBinder::split_of_peer(const Operation& op, CoreType producer) const {
    const CoreType here = op.name.ends_with("_to_aiv") || op.name.ends_with("_from_aiv")
                              ? CoreType::kAIC
                              : CoreType::kAIV;
    const CoreType there = here == CoreType::kAIC ? CoreType::kAIV : CoreType::kAIC;
    const auto id = ends_.peer_id(here, integer_attribute(op, "id", 0));
    const auto peer = id ? ends_.by_id.find({there, *id}) : ends_.by_id.end();
    if (peer == ends_.by_id.end()) return std::nullopt;
    const auto other = peer->second[FifoEnds::direction_of(producer)];
    const auto split = other ? splits_.find(*other) : splits_.end();
    return split == splits_.end() ? std::nullopt : std::optional(split->second);
}

// The view of a slot in global memory, whose shape is static.
GlobalView FifoSlotBinder::static_view(const Type& type, const Operation& op) {
    GlobalView view;
    if (!type.is_view() || !type.dtype || type.rank > GlobalView::kRank)
        fail(op, "K07", "'" + std::string(type.text) + "' is not a view of a slot");
    view.dtype = *type.dtype;
    for (unsigned i = 0; i < type.rank; ++i) {
        const int64_t extent = type.dims[i];
        if (extent < 1 || extent > std::numeric_limits<int32_t>::max())
            fail(op, "K07",
                 "the shape of a slot must be static, not '" + std::string(type.text) + "'");
        view.shape[GlobalView::kRank - type.rank + i] = static_cast<int32_t>(extent);
    }
    view.stride[4] = 1;
    for (int i = 3; i >= 0; --i)
        view.stride[static_cast<size_t>(i)] = saturating_product(
            view.stride[static_cast<size_t>(i) + 1], view.shape[static_cast<size_t>(i) + 1]);
    if (!span_of(view))
        fail(op, "K07", "a slot '" + std::string(type.text) + "' is larger than any memory");
    return view;
}

// tpush_to_aiv(%t[, %subblock] : T) {id, split}; tpush(%t, %pipe[, %subblock] : T, !pto.pipe)
// {split}
void FifoSlotBinder::fifo_push(const Operation& op) {
    const std::vector<const Item*> given = given_to(op);
    if (given.empty()) fail(op, "K06", "'" + std::string(op.name) + "' pushes nothing");
    const Value entry = value(*given[0]);
    if (entry.kind != ValueKind::kTile && entry.kind != ValueKind::kView)
        fail(given[0]->location, "K07",
             "only a tile or a slot can be pushed, not " + std::string(name(entry.kind)));
    const bool tile = entry.kind == ValueKind::kTile;
    FifoPlan plan = fifo_plan(op, tile ? FifoAction::kPush : FifoAction::kPushSlot, true);
    plan.object = entry.slot;
    plan.open_rows = tile && entry.type->tile.valid_rows < 0;
    for (const Item* item : given) {
        const Value& scalar = value(*item);
        if (scalar.kind == ValueKind::kScalar) plan.subblock = scalar.slot;
    }
    listener().on_push(op, plan, tile ? entry.type : nullptr);
    if (op.name == "pto.tpush_to_aiv") epilogues_.check_push(op, entry, plan);
    fifos_.emit_fifo(op, plan);
}

// %t = tpop_from_aic(%rows, %cols) {id, split} -> T; tpop(%t, %pipe : T, !pto.pipe) {split}
void FifoSlotBinder::fifo_pop(const Operation& op) {
    const bool low = op.name == "pto.tpop";
    FifoPlan plan = fifo_plan(op, FifoAction::kPop, false);
    const std::vector<const Item*> given = given_to(op);
    Value result;
    if (low) {
        if (given.empty()) fail(op, "K06", "'pto.tpop' takes a tile and a pipe");
        result = value(*given[0]);
        if (result.kind != ValueKind::kTile && result.kind != ValueKind::kView)
            fail(given[0]->location, "K07", "only a tile or a slot can be popped");
        plan.keeps_shape = true;
        if (given.size() > 2) plan.subblock = integer(*given[2]);
    } else {
        const Type& type = result_type(op);
        result.kind = make_kind(type);
        result.type = &type;
        if (result.kind == ValueKind::kTile) {
            plan.tile = tile_of(type, op);
            listener().on_pop(op, plan, type, given.size());
            if (plan.tile.valid_rows < 0) plan.tile.valid_rows = plan.tile.rows;
            if (plan.tile.valid_cols < 0) plan.tile.valid_cols = plan.tile.cols;
            result.slot = new_tile();
            if (given.size() > 1) {
                plan.valid_rows = integer(*given[0]);
                plan.valid_cols = integer(*given[1]);
            }
            if (given.size() == 1 || given.size() == 3) plan.subblock = integer(*given.back());
        } else if (result.kind == ValueKind::kView) {
            result.slot = new_view();
        } else {
            fail(op, "K07", "only a tile or a slot can be popped");
        }
    }
    if (result.kind == ValueKind::kView) {
        plan.action = FifoAction::kPopSlot;
        listener().on_slot(op, plan, *result.type, nullptr);
        plan.view = static_view(*result.type, op);
    }
    plan.object = result.slot;
    if (op.name == "pto.tpop_from_aic") epilogues_.check_pop(op, result, plan);
    fifos_.emit_fifo(op, plan);
    if (!low) define(op, 0, result);
}

void FifoSlotBinder::fifo_release(const Operation& op) {
    const FifoPlan plan = fifo_plan(op, FifoAction::kRelease, false);
    if (op.name == "pto.tfree_from_aic") epilogues_.check_pop(op, Value{}, plan);
    fifos_.emit_fifo(op, plan);
}

// %v = talloc_to_aiv {id, split} -> T; talloc(%v, %pipe : T, !pto.pipe) {split}
void FifoSlotBinder::fifo_alloc(const Operation& op) {
    FifoPlan plan = fifo_plan(op, FifoAction::kAlloc, true);
    Value result;
    if (op.name == "pto.talloc") {
        const std::vector<const Item*> given = given_to(op);
        if (given.empty()) fail(op, "K06", "'pto.talloc' takes a view and a pipe");
        result = value_of_kind(*given[0], ValueKind::kView);
    } else {
        result = Value::of(ValueKind::kView, result_type(op), new_view());
    }
    plan.view = static_view(*result.type, op);
    plan.object = result.slot;
    const auto ring = ends_.ring_types.find(plan.end);
    listener().on_slot(op, plan, *result.type,
                       ring == ends_.ring_types.end() ? nullptr : ring->second);
    if (op.name == "pto.talloc_to_aiv") epilogues_.check_push(op, result, plan);
    fifos_.emit_fifo(op, plan);
    if (op.name != "pto.talloc") define(op, 0, result);
}

// A view whose address comes from talloc or tpop.
void FifoSlotBinder::declare_global(const Operation& op) {
    Value result = Value::of(ValueKind::kView, result_type(op), new_view());
    static_view(*result.type, op);
    define(op, 0, result);
}

}  // namespace ptosim::assembly
