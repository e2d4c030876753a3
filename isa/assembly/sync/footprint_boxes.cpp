#include "isa/assembly/sync/footprint_boxes.h"

#include <algorithm>
#include <map>

#include "isa/assembly/program/step_traits.h"

namespace ptosim::assembly {

namespace {

constexpr int64_t kMost = int64_t{1} << 40;  // larger values are not followed
constexpr int kDeepest = 64;

bool large(int64_t value) { return value > kMost || value < -kMost; }

struct Term {
    int64_t stride = 0, low = 0, high = 0;
};

// True if offset + sum(stride * n), low <= n <= high, can be 0. Strides decrease. Also true if the search would take
// long.
bool reaches_zero(const std::vector<Term>& terms, size_t at, int64_t offset) {
    if (at == terms.size()) return offset == 0;
    int64_t low = 0, high = 0;  // of what comes after this term
    for (size_t i = at + 1; i < terms.size(); ++i) {
        low += terms[i].stride * terms[i].low;
        high += terms[i].stride * terms[i].high;
    }
    const Term& term = terms[at];
    constexpr int64_t kLongest = 64;
    const auto floor_div = [](int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); };
    const int64_t first = std::max(term.low, -floor_div(offset + high, term.stride));
    const int64_t last = std::min(term.high, floor_div(-(offset + low), term.stride));
    if (last - first > kLongest) return true;
    for (int64_t n = first; n <= last; ++n)
        if (reaches_zero(terms, at + 1, offset + term.stride * n)) return true;
    return false;
}

}  // namespace

bool apart(const GlobalBox& a, const GlobalBox& b, int64_t iterations) {
    if (a.pointer != b.pointer || a.atoms != b.atoms || a.factor != b.factor) return false;
    if (large(iterations) || (a.factor != 0 && large(iterations * a.factor))) return false;
    std::map<int64_t, std::pair<int64_t, int64_t>, std::greater<>> ranges;  // by stride
    for (const GlobalBox::Extent& extent : a.extents)
        ranges[extent.stride].first += 1 - extent.count;
    for (const GlobalBox::Extent& extent : b.extents)
        ranges[extent.stride].second += extent.count - 1;
    ranges[1].first += 1 - a.width;
    ranges[1].second += b.width - 1;
    std::vector<Term> terms;
    for (const auto& [stride, range] : ranges) terms.push_back({stride, range.first, range.second});
    return !reaches_zero(terms, 0, b.offset + b.factor * iterations - a.offset);
}

BoxFinder::BoxFinder(const Program& program, uint32_t loop, std::vector<bool> never_negative)
    : program_{program},
      loop_{program, loop},
      never_negative_{std::move(never_negative)},
      writes_(program.scalars.size(), 0),
      writes_outside_(program.scalars.size(), 0),
      writer_(program.scalars.size(), 0),
      view_writer_(program.view_slots, 0),
      view_writes_(program.view_slots, 0),
      unsteady_(program.scalars.size(), false) {
    std::vector<std::pair<uint32_t, uint32_t>> around;
    for (uint32_t i = loop_.end + 1; i < program_.steps.size(); ++i) {
        const Step& step = program_.steps[i];
        if ((step.code == StepCode::kLoop || step.code == StepCode::kJump) &&
            step.target <= loop_.begin)
            around.emplace_back(step.target, i);
    }
    for (uint32_t i = 0; i < program_.steps.size(); ++i) {
        const Step& step = program_.steps[i];
        const bool looped = std::any_of(around.begin(), around.end(), [&](const auto& range) {
            return range.first <= i && i <= range.second;
        });
        each_written_scalar(program_, step, [&](Slot slot) {
            ++(loop_.inside(i) ? writes_ : writes_outside_)[slot];
            if (loop_.inside(i) || writes_[slot] == 0) writer_[slot] = i;
            if (looped) unsteady_[slot] = true;
        });
        const Slot view = written_view(program_, step);
        if (view == kNoSlot) continue;
        ++view_writes_[view];
        view_writer_[view] = i;
    }
}

BoxFinder::Affine BoxFinder::sum(const Affine& a, const Affine& b, int64_t times) {
    std::map<Slot, int64_t> atoms(a.atoms.begin(), a.atoms.end());
    for (const auto& [slot, count] : b.atoms) atoms[slot] += count * times;
    Affine result;
    for (const auto& atom : atoms)
        if (atom.second != 0) result.atoms.push_back(atom);
    result.factor = a.factor + b.factor * times;
    result.offset = a.offset + b.offset * times;
    return result;
}

std::optional<int64_t> BoxFinder::constant(const Affine& value) {
    if (!value.atoms.empty() || value.factor != 0) return std::nullopt;
    return value.offset;
}

// A value that the loop does not write.
std::optional<BoxFinder::Affine> BoxFinder::before(Slot slot) const {
    if (slot == kNoSlot || writes_[slot] != 0 || slot == loop_.variable) return std::nullopt;
    if (writes_outside_[slot] != 0 ||
        std::any_of(program_.arguments.begin(), program_.arguments.end(),
                    [&](const Program::Argument& one) { return one.slot == slot; }) ||
        std::any_of(program_.implicit_arguments.begin(), program_.implicit_arguments.end(),
                    [&](const auto& one) { return one.first == slot; }))
        return Affine{{{slot, 1}}, 0, 0};
    const auto value = static_cast<int64_t>(program_.scalars[slot]);
    if (large(value)) return std::nullopt;
    return Affine{{}, 0, value};
}

std::optional<BoxFinder::Affine> BoxFinder::variable() const {
    const auto step = before(loop_.step), from = before(loop_.from);
    if (!step || !from || !constant(*step)) return std::nullopt;
    Affine result = *from;
    result.factor = *constant(*step);
    return result;
}

// A value that each iteration passes on to the next, increased by a constant.
std::optional<BoxFinder::Affine> BoxFinder::carried(Slot slot, int depth) const {
    if (following_ != kNoSlot) return std::nullopt;
    const Step& move = program_.steps[writer_[slot]];
    std::optional<Affine> initial;
    for (uint32_t i = loop_.begin; i < loop_.head; ++i) {
        const Step& step = program_.steps[i];
        if (step.code == StepCode::kMove && step.r == slot) initial = before(step.a);
    }
    if (move.code != StepCode::kMove || !initial) return std::nullopt;
    following_ = slot;
    const std::optional<Affine> next = affine(move.a, depth + 1);
    following_ = kNoSlot;
    const std::vector<std::pair<Slot, int64_t>> itself{{slot, 1}};
    if (!next || next->atoms != itself || next->factor != 0) return std::nullopt;
    initial->factor += next->offset;
    return initial;
}

std::optional<BoxFinder::Affine> BoxFinder::evaluated(const Step& step, int depth) const {
    const ScalarFormat& format = program_.formats[step.index];
    if (format.width < 64 || format.to_width < 64) return std::nullopt;
    const auto a = affine(step.a, depth + 1);
    if (!a) return std::nullopt;
    if (step.op == ScalarOp::kSignExtend || step.op == ScalarOp::kZeroExtend ||
        step.op == ScalarOp::kTruncate)
        return a;
    if (step.b == kNoSlot) return std::nullopt;
    const auto b = affine(step.b, depth + 1);
    if (!b) return std::nullopt;
    switch (step.op) {
        case ScalarOp::kAdd:
            return sum(*a, *b, 1);
        case ScalarOp::kSub:
            return sum(*a, *b, -1);
        case ScalarOp::kMul: {
            const auto left = constant(*a), right = constant(*b);
            if (right && !large(*right)) return sum(Affine{}, *a, *right);
            if (left && !large(*left)) return sum(Affine{}, *b, *left);
            return std::nullopt;
        }
        // Clamping to 0 of a value that is never less.
        case ScalarOp::kMaxS:
            if (constant(*b) == 0 && never_negative_[step.a]) return a;
            if (constant(*a) == 0 && never_negative_[step.b]) return b;
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

std::optional<BoxFinder::Affine> BoxFinder::affine(Slot slot, int depth) const {
    if (slot == kNoSlot || depth > kDeepest) return std::nullopt;
    if (slot == following_) return Affine{{{slot, 1}}, 0, 0};
    if (slot == loop_.variable) return variable();
    if (writes_[slot] == 0) return before(slot);
    if (writes_[slot] != 1) return std::nullopt;
    if (writes_outside_[slot] != 0) return carried(slot, depth);
    const Step& step = program_.steps[writer_[slot]];
    std::optional<Affine> result;
    if (step.code == StepCode::kMove) result = affine(step.a, depth + 1);
    if (step.code == StepCode::kEvaluate) result = evaluated(step, depth);
    if (result && (large(result->factor) || large(result->offset))) return std::nullopt;
    return result;
}

std::optional<int64_t> BoxFinder::stride_of(const ViewPlan& view, size_t dim) const {
    if (view.stride[dim] == kNoSlot) return view.view.stride[dim];
    const auto value = affine(view.stride[dim]);
    if (!value) return std::nullopt;
    return constant(*value);
}

bool BoxFinder::add_offsets(const PartitionPlan& plan, const ViewPlan& view, Affine& offset) const {
    for (int i = 0; i < GlobalView::kRank; ++i) {
        if (plan.offset[i] == kNoSlot) continue;
        const auto along = affine(plan.offset[i]);
        if (i < GlobalView::kRank - view.rank) return false;
        const auto stride = stride_of(view, i);
        const int64_t bytes = static_cast<int64_t>(bits(view.view.dtype)) / 8;
        if (!along || !stride || large(*stride)) return false;
        offset = sum(offset, *along, *stride * bytes);
    }
    return true;
}

bool BoxFinder::add_view(GlobalBox& box, Affine& offset, Slot slot) const {
    std::vector<const Step*> parts;
    while (view_writes_[slot] == 1 &&
           program_.steps[view_writer_[slot]].code == StepCode::kPartition) {
        parts.push_back(&program_.steps[view_writer_[slot]]);
        slot = parts.back()->a;
    }
    if (view_writes_[slot] != 1) return false;
    const Step& made = program_.steps[view_writer_[slot]];
    if (made.code != StepCode::kMakeView) return false;
    const ViewPlan& view = program_.views[made.index];
    if (bits(view.view.dtype) % 8 != 0 || !before(made.a)) return false;
    box.pointer = made.a;
    box.width = static_cast<int64_t>(bits(view.view.dtype)) / 8;
    std::array<Slot, GlobalView::kRank> shape = view.shape;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        const PartitionPlan& plan = program_.partitions[(*part)->index];
        if (!add_offsets(plan, view, offset)) return false;
        for (int i = 0; i < GlobalView::kRank; ++i)
            if (plan.size[i] != kNoSlot) shape[i] = plan.size[i];
    }
    for (int i = GlobalView::kRank - view.rank; i < GlobalView::kRank; ++i) {
        const auto value = [&](Slot of, int64_t otherwise) -> std::optional<int64_t> {
            if (of == kNoSlot) return otherwise;
            const auto number = affine(of);
            return number ? constant(*number) : std::nullopt;
        };
        const auto count = value(shape[i], view.view.shape[i]);
        const auto stride = value(view.stride[i], view.view.stride[i]);
        if (!count || *count < 1 || large(*count)) return false;
        if (*count == 1) continue;
        if (!stride || *stride < 1 || large(*stride)) return false;
        box.extents.push_back({*stride * box.width, *count});
    }
    return true;
}

std::optional<GlobalBox> BoxFinder::of(const Step& step) const {
    if (step.code != StepCode::kIssue) return std::nullopt;
    const IssuePlan& plan = program_.issues[step.index];
    if (plan.prototype.opcode != Opcode::kTLOAD && plan.prototype.opcode != Opcode::kTSTORE)
        return std::nullopt;
    GlobalBox box;
    Affine offset;
    size_t views = 0;
    for (const OperandPlan& operand : plan.operands)
        if (operand.kind == Operand::Kind::kGlobal &&
            (++views > 1 || !add_view(box, offset, operand.slot)))
            return std::nullopt;
    if (views != 1 || large(offset.factor) || large(offset.offset)) return std::nullopt;
    box.atoms = offset.atoms;
    box.factor = offset.factor;
    box.offset = offset.offset;
    box.steady = !unsteady_[box.pointer];
    for (const auto& [slot, count] : box.atoms) box.steady &= !unsteady_[slot];
    return box;
}

}  // namespace ptosim::assembly
