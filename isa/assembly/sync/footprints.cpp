#include "isa/assembly/sync/footprints.h"

#include <algorithm>
#include <cassert>

#include "isa/assembly/program/step_traits.h"
#include "isa/table/instruction_table.h"
#include "isa/table/internal_flags.h"
#include "isa/table/remote_operands.h"

namespace ptosim::assembly {

namespace {

constexpr uint64_t kEndOfMemory = UINT64_MAX;

uint64_t slot_bytes(const Tile& tile) {
    return (tile.byte_size() + kTileAlignment - 1) / kTileAlignment * kTileAlignment;
}

bool negative(uint64_t value) { return static_cast<int64_t>(value) < 0; }

}  // namespace

bool meet(const Reach& a, const Reach& b) {
    if (!a.writes && !b.writes) return false;
    if (a.global != b.global) return false;
    if (a.global)
        return a.pointer == b.pointer || a.pointer == Reach::kAnywhere ||
               b.pointer == Reach::kAnywhere;
    return a.space == b.space && a.begin < b.end && b.begin < a.end;
}

Footprints::Footprints(const Program& program)
    : program_{program},
      scalars_(program.scalars.size()),
      tiles_(program.tile_slots),
      views_(program.view_slots) {
    std::vector<bool> written(program.scalars.size(), false);
    for (const Step& step : program.steps)
        each_written_scalar(program, step, [&](Slot slot) { written[slot] = true; });
    for (size_t i = 0; i < scalars_.size(); ++i)
        if (!written[i]) scalars_[i].values = {program.scalars[i]};
    for (size_t i = 0; i < program.arguments.size(); ++i) {
        Values& value = scalars_[program.arguments[i].slot];
        value = anything();
        value.pointer = static_cast<int>(i);
    }
    for (const auto& [slot, field] : program.implicit_arguments) scalars_[slot] = anything(false);
    solve();
}

Footprints::Values Footprints::anything(bool maybe_negative) {
    Values values;
    values.any = true;
    values.maybe_negative = maybe_negative;
    return values;
}

void Footprints::join(Values& to, const Values& from) {
    if (from.pointer != Values::kNoPointer)
        to.pointer = to.pointer == Values::kNoPointer || to.pointer == from.pointer
                         ? from.pointer
                         : Reach::kAnywhere;
    if (to.any && !from.any)
        for (const uint64_t value : from.values) to.maybe_negative |= negative(value);
    if (from.any && !to.any) {
        for (const uint64_t value : to.values) to.maybe_negative |= negative(value);
        to.any = true;
        to.values.clear();
    }
    if (from.any) to.maybe_negative |= from.maybe_negative;
    if (to.any) return;
    std::vector<uint64_t> both;
    std::set_union(to.values.begin(), to.values.end(), from.values.begin(), from.values.end(),
                   std::back_inserter(both));
    to.values = std::move(both);
    if (to.values.size() <= Values::kMost) return;
    to.any = true;
    to.maybe_negative = std::any_of(to.values.begin(), to.values.end(), negative);
    to.values.clear();
}

void Footprints::join(AddressRanges& to, const AddressRanges& from) {
    if (from.bottom) return;
    if (to.bottom) {
        to = from;
        return;
    }
    if (to.tile != from.tile) to.tile.reset();
    to.any |= from.any || to.space != from.space;
    std::vector<Range> both;
    std::set_union(to.ranges.begin(), to.ranges.end(), from.ranges.begin(), from.ranges.end(),
                   std::back_inserter(both));
    to.ranges = std::move(both);
    if (to.ranges.size() > Values::kMost)
        to.ranges = {{to.ranges.front().begin,
                      std::max_element(to.ranges.begin(), to.ranges.end(),
                                       [](const Range& a, const Range& b) { return a.end < b.end; })
                          ->end}};
}

// Visits steps in any order until nothing changes: sets only grow, and are small.
void Footprints::solve() {
    do {
        changed_ = false;
        for (const Step& step : program_.steps) transfer(step);
    } while (changed_);
}

void Footprints::add(Slot slot, const Values& values) {
    Values joined = scalars_[slot];
    join(joined, values);
    if (joined == scalars_[slot]) return;
    scalars_[slot] = std::move(joined);
    changed_ = true;
}

void Footprints::add_area(Slot tile, const AddressRanges& area) {
    AddressRanges joined = tiles_[tile];
    join(joined, area);
    if (joined == tiles_[tile]) return;
    tiles_[tile] = std::move(joined);
    changed_ = true;
}

void Footprints::add_pointer(Slot view, int pointer) {
    Values values;
    values.pointer = pointer;
    Values joined = views_[view];
    join(joined, values);
    if (joined == views_[view]) return;
    views_[view] = joined;
    changed_ = true;
}

// A copy gives the result the footprint of its source.
void Footprints::add_copy(const Step& step, Slot from) {
    switch (traits_of(step.code).result) {
        case StepResult::kView:
            return add_pointer(step.r, views_[from].pointer);
        case StepResult::kTile:
            return add_area(step.r, tiles_[from]);
        default:
            return add(step.r, scalars_[from]);
    }
}

void Footprints::transfer(const Step& step) {
    const auto address = [&](int pointer) {
        Values values = anything();
        values.pointer = pointer;
        add(step.r, values);
    };
    switch (effect_of(step)) {
        case StepEffect::kCopies:
            return add_copy(step, step.a);
        case StepEffect::kSelects:
            add_copy(step, step.b);
            return add_copy(step, step.c);
        case StepEffect::kEvaluates:
            return add(step.r, evaluated(step));
        case StepEffect::kCounts:
            return add(step.r, anything(false));
        case StepEffect::kMeasures:
            return add(step.r, anything());
        case StepEffect::kRepeats: {  // the variable only grows
            Values values = anything(scalars_[step.a].maybe_negative);
            for (const uint64_t value : scalars_[step.a].values)
                values.maybe_negative |= negative(value);
            return add(step.a, values);
        }
        case StepEffect::kOffsets:
            return address(scalars_[step.a].pointer);
        case StepEffect::kAddresses:
            return address(views_[step.a].pointer);
        case StepEffect::kViews: {
            const int pointer = scalars_[step.a].pointer;
            return add_pointer(step.r,
                               pointer == Values::kNoPointer ? Reach::kAnywhere : pointer);
        }
        case StepEffect::kUsesFifo: {
            const FifoPlan& plan = program_.fifos[step.index];
            if (const Slot popped = written_tile(program_, step); popped != kNoSlot)
                add_area(popped, ring(plan));
            else if (const Slot slot = written_view(program_, step); slot != kNoSlot)
                add_pointer(slot, Reach::kRings + static_cast<int>(plan.end));
            return;
        }
        default:
            break;
    }
    if (traits_of(step.code).result == StepResult::kTile) return add_area(step.r, area_of(step));
    // Loaded, or made elsewhere.
    each_written_scalar(program_, step, [&](Slot slot) {
        Values values = anything();
        values.pointer = Reach::kAnywhere;
        add(slot, values);
    });
}

// Address ranges of the tile that a step makes.
Footprints::AddressRanges Footprints::area_of(const Step& step) const {
    switch (effect_of(step)) {
        case StepEffect::kAllocates: {
            const Tile& made = program_.tiles[step.index];
            Values addresses;
            addresses.values = {made.address};
            if (step.a != kNoSlot) addresses = scalars_[step.a];
            return ranges_at(made, addresses, made.byte_size());
        }
        case StepEffect::kNarrows:
            return window(step);
        case StepEffect::kRetypes:
            return retyped(step);
        case StepEffect::kTakesSlot:
            return slot_of(step);
        case StepEffect::kPlacesScales:
            return scales(step);
        default: {  // at another address
            Tile moved;
            moved.space = tiles_[step.a].space;
            if (tiles_[step.a].tile) moved = *tiles_[step.a].tile;
            const bool has_tile = tiles_[step.a].tile.has_value();
            return ranges_at(moved, has_tile ? scalars_[step.b] : anything(), moved.byte_size());
        }
    }
}

Footprints::AddressRanges Footprints::retyped(const Step& step) const {
    AddressRanges area = tiles_[step.a];
    const uint64_t bytes = program_.tiles[step.index].byte_size();
    for (Range& range : area.ranges) range.end = std::max(range.end, range.begin + bytes);
    if (!area.tile) return area;
    Tile retyped = program_.tiles[step.index];
    retyped.address = area.tile->address;
    Tile dense = *area.tile;
    set_dense_pitch(dense);
    // Only contiguous data has the pitch of its new type.
    area.tile.reset();
    if (dense.pitch == tiles_[step.a].tile->pitch) area.tile = retyped;
    return area;
}

Footprints::AddressRanges Footprints::scales(const Step& step) const {
    Tile scales;
    scales.space = tiles_[step.a].space;
    if (tiles_[step.a].tile) scales = *tiles_[step.a].tile;
    Values addresses = anything();
    if (tiles_[step.a].tile && tiles_[step.b].tile) {
        addresses = Values{};
        addresses.values = {uint64_t{tiles_[step.b].tile->address} >> step.index};
    }
    return ranges_at(scales, addresses, scales.byte_size());
}

Footprints::Values Footprints::evaluated(const Step& step) const {
    Values result;
    const Values none{};
    const Values& a = step.a == kNoSlot ? none : scalars_[step.a];
    const Values& b = step.b == kNoSlot ? none : scalars_[step.b];
    for (const Values* input : {&a, &b}) {
        Values pointer;
        pointer.pointer = input->pointer;
        join(result, pointer);
    }
    const bool unary = step.b == kNoSlot;
    if (a.bottom() || (!unary && b.bottom())) return result;
    if (!a.any && !b.any) {
        const std::vector<uint64_t> zero{0};
        for (const uint64_t x : a.values)
            for (const uint64_t y : unary ? zero : b.values) {
                const ScalarResult made = evaluate(step.op, program_.formats[step.index], x, y);
                Values one;
                if (made.code.empty()) one.values = {made.value};
                join(result, one);
            }
        return result;
    }
    const bool from_negative = a.maybe_negative || b.maybe_negative ||
                               std::any_of(a.values.begin(), a.values.end(), negative) ||
                               std::any_of(b.values.begin(), b.values.end(), negative);
    const bool remainder =
        step.op == ScalarOp::kRemU || (step.op == ScalarOp::kRemS && !from_negative);
    if (remainder && !b.any && b.values.size() == 1 && b.values[0] <= Values::kMost) {
        for (uint64_t i = 0; i < b.values[0]; ++i) result.values.push_back(i);
        return result;
    }
    const bool keeps_sign = step.op == ScalarOp::kAdd || step.op == ScalarOp::kMul ||
                            step.op == ScalarOp::kDivS || step.op == ScalarOp::kDivU ||
                            step.op == ScalarOp::kMaxS || step.op == ScalarOp::kMinS ||
                            step.op == ScalarOp::kFloorDivS || step.op == ScalarOp::kCeilDivS ||
                            step.op == ScalarOp::kSignExtend || step.op == ScalarOp::kZeroExtend;
    const int pointer = result.pointer;
    result = anything(!keeps_sign || from_negative);
    result.pointer = pointer;
    return result;
}

Footprints::AddressRanges Footprints::ranges_at(const Tile& tile, const Values& addresses,
                                                uint64_t bytes) const {
    AddressRanges area;
    area.space = tile.space;
    if (addresses.bottom()) return area;
    area.bottom = false;
    area.any = addresses.any;
    for (const uint64_t address : addresses.values)
        area.ranges.push_back({address, address + bytes});
    if (!addresses.any && addresses.values.size() == 1) {
        area.tile = tile;
        area.tile->address = static_cast<uint32_t>(addresses.values[0]);
    }
    return area;
}

Footprints::AddressRanges Footprints::window(const Step& step) const {
    AddressRanges area = tiles_[step.a];
    const WindowPlan& plan = program_.windows[step.index];
    const Values &rows = scalars_[plan.row], &cols = scalars_[plan.col];
    if (!area.tile || rows.any || cols.any) {
        area.tile.reset();
        return area;
    }
    const Tile parent = *area.tile;
    const Range whole{parent.address, parent.address + parent.byte_size()};
    AddressRanges windows;
    windows.space = parent.space;
    for (const uint64_t row : rows.values)
        for (const uint64_t col : cols.values) {
            if (row >= static_cast<uint64_t>(parent.rows) ||
                col >= static_cast<uint64_t>(parent.cols))
                continue;  // an error when it runs
            Tile tile = plan.tile;
            tile.pitch = parent.pitch;
            const auto elements = static_cast<size_t>(
                parent.index(static_cast<int32_t>(row), static_cast<int32_t>(col)));
            tile.address = parent.address + static_cast<uint32_t>(bytes(parent.dtype, elements));
            AddressRanges one;
            one.bottom = false;
            one.space = parent.space;
            one.tile = tile;
            one.ranges = {{tile.address, std::min(tile.address + tile.byte_size(),
                                                  std::max<uint64_t>(whole.end, tile.address))}};
            join(windows, one);
        }
    return windows;
}

Footprints::AddressRanges Footprints::slot_of(const Step& step) const {
    const AddressRanges& all = tiles_[step.a];
    AddressRanges area = all;
    area.tile.reset();
    if (!all.tile) {
        // Only its first slot is known.
        area.any = !all.bottom;
        return area;
    }
    const uint64_t bytes = slot_bytes(*all.tile);
    Values slots = scalars_[step.b];
    if (slots.any) {
        slots = Values{};
        area.ranges = {{all.tile->address, all.tile->address + bytes * step.index}};
        return area;
    }
    AddressRanges some;
    some.space = all.space;
    for (const uint64_t slot : slots.values) {
        if (slot >= step.index) continue;  // an error when it runs
        Values address;
        address.values = {all.tile->address + slot * bytes};
        join(some, ranges_at(*all.tile, address, all.tile->byte_size()));
    }
    return some;
}

Footprints::AddressRanges Footprints::ring(const FifoPlan& plan) const {
    const FifoEnd& end = program_.fifo_ends[plan.end];
    Tile slots;
    slots.space = end.shape.producer == CoreType::kAIC ? Space::kUB : Space::kL1;
    const uint64_t count = end.shape.on_chip ? end.shape.slots : end.shape.local_slots;
    Values address;
    address.values = {end.shape.consumer_address};
    if (end.consumer_address != kNoSlot) address = scalars_[end.consumer_address];
    AddressRanges area = ranges_at(slots, address, count * end.shape.slot_bytes);
    area.tile.reset();
    return area;
}

void Footprints::add_tile(std::vector<Reach>& list, const AddressRanges& area, bool writes) const {
    Reach reach;
    reach.writes = writes;
    reach.space = area.space;
    if (area.any) {
        reach.end = kEndOfMemory;
        list.push_back(reach);
        return;
    }
    for (const Range& range : area.ranges) {
        reach.begin = range.begin;
        reach.end = range.end;
        list.push_back(reach);
    }
}

void Footprints::add_view(std::vector<Reach>& list, int pointer, bool reads, bool writes) const {
    Reach reach;
    reach.global = true;
    reach.pointer = pointer == Values::kNoPointer ? Reach::kAnywhere : pointer;
    if (reads) list.push_back(reach);
    reach.writes = true;
    if (writes) list.push_back(reach);
}

void Footprints::of_issue(std::vector<Reach>& list, const IssuePlan& plan) const {
    const auto operands = info(plan.prototype.opcode).operands;
    for (unsigned i = 0; i < plan.operands.size() && i < operands.size(); ++i) {
        const OperandPlan& operand = plan.operands[i];
        const OperandRole role = operands[i].role;
        if (operand.kind == Operand::Kind::kGlobal)
            add_view(list, views_[operand.slot].pointer, role != OperandRole::kOut,
                     role != OperandRole::kIn);
        // Data in the memory of another core is ordered by signals between the cores.
        if (operand.kind == Operand::Kind::kTile && remote_cores_of(plan.prototype, i) == kOwnCore)
            add_tile(list, tiles_[operand.slot], role != OperandRole::kIn);
    }
}

std::vector<Reach> Footprints::of_scalar_unit(const Step& step, Arch arch) const {
    const IssuePlan& plan = program_.issues[step.index];
    std::vector<Reach> list;
    for (unsigned i = 0; i < plan.operands.size(); ++i) {
        if (plan.operands[i].kind != Operand::Kind::kTile) continue;
        const bool writes = written_by_scalar_unit(plan.prototype, i, arch);
        if (writes || read_by_scalar_unit(plan.prototype, i, arch))
            add_tile(list, tiles_[plan.operands[i].slot], writes);
    }
    return list;
}

void Footprints::of_fifo(std::vector<Reach>& list, const FifoPlan& plan) const {
    const FifoEnd& end = program_.fifo_ends[plan.end];
    const int pointer = Reach::kRings + static_cast<int>(plan.end);
    switch (plan.action) {
        case FifoAction::kPush:
            add_tile(list, tiles_[plan.object], false);
            if (plan.scale.kind == Operand::Kind::kTile)
                add_tile(list, tiles_[plan.scale.slot], false);
            if (!end.shape.on_chip) add_view(list, pointer, false, true);
            break;
        case FifoAction::kPop:
            add_tile(list, ring(plan), true);
            if (!end.shape.on_chip) add_view(list, pointer, true, false);
            break;
        case FifoAction::kRelease:  // on chip, what was popped is the slot itself
            if (end.shape.on_chip) add_tile(list, ring(plan), true);
            break;
        default:
            break;
    }
}

Footprints::AddressRanges Footprints::all_of(Space space) {
    AddressRanges all;
    all.space = space;
    all.any = true;
    return all;
}

std::vector<Reach> Footprints::of(const Step& step) const {
    std::vector<Reach> list;
    switch (effect_of(step)) {
        case StepEffect::kIssues:
            of_issue(list, program_.issues[step.index]);
            break;
        case StepEffect::kUsesFifo:
            of_fifo(list, program_.fifos[step.index]);
            break;
        case StepEffect::kTransfers: {
            const TransferPlan& plan = program_.transfers[step.index];
            add_tile(list, tiles_[plan.ping], true);
            if (plan.pong != kNoSlot) add_tile(list, tiles_[plan.pong], true);
            add_view(list, views_[plan.from].pointer, true, false);
            add_view(list, views_[plan.to].pointer, true, true);
            break;
        }
        case StepEffect::kSignals: {
            const SignalPlan& plan = program_.signals[step.index];
            const bool writes =
                plan.action == SignalAction::kSet || plan.action == SignalAction::kAdd;
            add_view(list, views_[plan.signal].pointer, true, writes);
            break;
        }
        case StepEffect::kCalls:
            for (const CallPlan::Argument& argument : program_.calls[step.index].arguments)
                if (argument.is_pointer)
                    add_view(list, scalars_[argument.slot].pointer, true, true);
            break;
        // Their addresses in UB are numbers that a run computes: all of it.
        case StepEffect::kRunsVector:
            add_tile(list, all_of(Space::kUB), false);
            add_tile(list, all_of(Space::kUB), true);
            break;
        case StepEffect::kCopiesBytes: {
            const CopyPlan& plan = program_.copies[step.index];
            add_tile(list, all_of(Space::kUB), plan.to_ub);
            add_view(list, scalars_[plan.to_ub ? plan.from : plan.to].pointer, plan.to_ub,
                     !plan.to_ub);
            break;
        }
        case StepEffect::kCallsIntrinsic:
            for (const IntrinsicPlan::Memory& memory : program_.intrinsics[step.index].memory) {
                if (memory.space)
                    add_tile(list, all_of(*memory.space), memory.written);
                else
                    add_view(list, scalars_[memory.pointer].pointer, !memory.written,
                             memory.written);
            }
            break;
        case StepEffect::kLoadsTile:
            add_tile(list, tiles_[step.a], false);
            break;
        case StepEffect::kStoresTile:
            add_tile(list, tiles_[step.a], true);
            break;
        case StepEffect::kLoadsGlobal:
            add_view(list, scalars_[step.a].pointer, true, false);
            break;
        case StepEffect::kStoresGlobal:
            add_view(list, scalars_[step.a].pointer, false, true);
            break;
        case StepEffect::kCleansCache:  // moves no bytes that a pipe accesses
            break;
        default:
            assert(!is_access(effect_of(step)));
            break;
    }
    return list;
}

}  // namespace ptosim::assembly
