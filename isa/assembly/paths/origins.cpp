#include "isa/assembly/paths/origins.h"

#include "isa/assembly/program/loop_head.h"
#include "isa/assembly/program/step_traits.h"

namespace ptosim::assembly {

void Origins::add(const Origins& more) {
    arguments.insert(more.arguments.begin(), more.arguments.end());
    loads.insert(more.loads.begin(), more.loads.end());
    constants.insert(more.constants.begin(), more.constants.end());
    block |= more.block;
    other |= more.other;
}

struct OriginFinder::Search {
    Origins found;
    std::vector<Slot> open;
    std::set<Slot> seen;
    std::set<Slot> seen_views;

    void add(Slot slot) {
        if (slot != kNoSlot && seen.insert(slot).second) open.push_back(slot);
    }
};

OriginFinder::OriginFinder(const Program& program)
    : program_{program},
      writers_(program.scalars.size()),
      view_writers_(program.view_slots),
      argument_of_(program.scalars.size(), -1),
      implicit_(program.scalars.size()) {
    for (size_t i = 0; i < program.arguments.size(); ++i)
        argument_of_[program.arguments[i].slot] = static_cast<int32_t>(i);
    for (const auto& [slot, field] : program.implicit_arguments) implicit_[slot] = true;
    for (uint32_t i = 0; i < program.steps.size(); ++i) {
        each_written_scalar(program, program.steps[i],
                            [&](Slot slot) { writers_[slot].push_back(i); });
        if (const Slot view = written_view(program, program.steps[i]); view != kNoSlot)
            view_writers_[view].push_back(i);
    }
}

bool OriginFinder::is_constant(Slot slot) const {
    return argument_of_[slot] < 0 && !implicit_[slot] && writers_[slot].empty();
}

const Step* OriginFinder::only_writer(Slot slot) const {
    if (argument_of_[slot] >= 0 || implicit_[slot] || writers_[slot].size() != 1) return nullptr;
    return &program_.steps[writers_[slot].front()];
}

uint32_t OriginFinder::index_of(const Step& step) const {
    return static_cast<uint32_t>(&step - program_.steps.data());
}

Origins OriginFinder::of(Slot slot) const {
    Search search;
    search.add(slot);
    while (!search.open.empty()) {
        const Slot next = search.open.back();
        search.open.pop_back();
        if (argument_of_[next] >= 0)
            search.found.arguments.insert(static_cast<uint32_t>(argument_of_[next]));
        else if (implicit_[next])
            search.found.block = true;
        else if (writers_[next].empty())
            search.found.constants.insert(program_.scalars[next]);
        for (const uint32_t writer : writers_[next]) follow(program_.steps[writer], search);
    }
    return search.found;
}

void OriginFinder::follow_view(Slot view, Search& search) const {
    if (view == kNoSlot || !search.seen_views.insert(view).second) return;
    for (const uint32_t writer : view_writers_[view]) {
        const Step& step = program_.steps[writer];
        switch (step.code) {
            case StepCode::kMakeView:
                for (const Slot slot : program_.views[step.index].shape) search.add(slot);
                for (const Slot slot : program_.views[step.index].stride) search.add(slot);
                break;
            case StepCode::kPartition:
                for (const Slot slot : program_.partitions[step.index].size) search.add(slot);
                follow_view(step.a, search);
                break;
            case StepCode::kMoveView:
                follow_view(step.a, search);
                break;
            default:
                search.found.other = true;
        }
    }
}

// The bound of a loop is not followed: its variable takes the same values, up to another end.
void OriginFinder::follow(const Step& step, Search& search) const {
    switch (step.code) {
        case StepCode::kMove:
        case StepCode::kEvaluate:
        case StepCode::kSelect:
        case StepCode::kPointerAdd:
            search.add(step.a);
            search.add(step.b);
            search.add(step.c);
            search.found.other |=
                step.code == StepCode::kEvaluate && is_float_operation(step.op);
            break;
        case StepCode::kLoop:
            search.add(step.c);
            break;
        case StepCode::kIdentity:
            search.found.block = true;
            break;
        case StepCode::kArrayGet:
        case StepCode::kArraySet: {
            const ArrayAccess& array = program_.arrays[step.index];
            for (uint32_t i = 0; i < array.count; ++i) search.add(array.first + i);
            for (const auto& [index, stride] : array.indices) search.add(index);
            if (step.code == StepCode::kArraySet) search.add(step.a);
            break;
        }
        case StepCode::kLoadGlobal:
        case StepCode::kLoadLocal:
        case StepCode::kSignal:
        case StepCode::kCall:
            search.found.loads.insert(index_of(step));
            break;
        case StepCode::kViewDim:
        case StepCode::kViewStride:
            follow_view(step.a, search);
            search.add(step.b);
            break;
        default:
            search.found.other = true;
    }
}

Origins OriginFinder::of_condition(uint32_t at) const {
    const Step& step = program_.steps[at];
    Origins found = of(step.a);
    if (step.code != StepCode::kJumpUnlessLess) return found;
    found.add(of(step.b));
    found.add(of(program_.steps[step.target - 1].c));
    return found;
}

Origins OriginFinder::of_addresses() const {
    Origins found;
    const auto add = [&](Slot slot) {
        if (slot != kNoSlot) found.add(of(slot));
    };
    for (const ViewPlan& view : program_.views)
        for (const Slot slot : view.stride) add(slot);
    for (const PartitionPlan& partition : program_.partitions)
        for (const Slot slot : partition.offset) add(slot);
    for (const CopyPlan& copy : program_.copies)
        for (const CopyPlan::Level& level : copy.levels) {
            add(level.from_stride);
            add(level.to_stride);
        }
    for (const Step& step : program_.steps)
        if (step.code == StepCode::kPointerAdd || step.code == StepCode::kLoadGlobal ||
            step.code == StepCode::kStoreGlobal)
            add(step.b);
    return found;
}

}  // namespace ptosim::assembly
