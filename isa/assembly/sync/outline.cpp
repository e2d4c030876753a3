#include "isa/assembly/sync/outline.h"

#include <algorithm>

namespace ptosim::assembly::sync {

Outline::Outline(const SyncBlock& body) {
    root_.kind = SyncNode::Kind::kBranch;
    positions_.push_back({&root_, kNone, 0, 0, 0, {}});
    number_block(body, 0, 0);
    positions_[0].last = works_.size();
}

void Outline::number_block(const SyncBlock& block, size_t parent, size_t at) {
    if (positions_[parent].children.size() <= at) positions_[parent].children.resize(at + 1);
    for (const SyncNode& node : block) {
        const size_t position = positions_.size();
        positions_[parent].children[at].push_back(position);
        positions_.push_back({&node, parent, at, works_.size(), 0, {}});
        if (node.kind == SyncNode::Kind::kWork) works_.push_back(position);
        for (size_t b = 0; b < node.blocks.size(); ++b) number_block(node.blocks[b], position, b);
        if (positions_[position].children.size() < node.blocks.size())
            positions_[position].children.resize(node.blocks.size());
        positions_[position].last = works_.size();
    }
}

bool Outline::is_loop(size_t position) const {
    const SyncNode::Kind kind = positions_[position].node->kind;
    return kind == SyncNode::Kind::kLoop || kind == SyncNode::Kind::kWhile;
}

std::vector<size_t> Outline::ancestors(size_t position) const {
    std::vector<size_t> list;
    for (; position != kNone; position = positions_[position].parent) list.push_back(position);
    std::reverse(list.begin(), list.end());
    return list;
}

void Outline::find_periodic_loops(const std::set<size_t>& without) {
    constexpr size_t kMostBits = 20'000;
    periodic_loops_.clear();
    periodic_loop_of_.assign(positions_.size(), kNone);
    std::vector<size_t> height(positions_.size(), 0);
    for (size_t position = positions_.size(); position-- > 0;) {
        const SyncNode& node = *positions_[position].node;
        if (node.kind == SyncNode::Kind::kLoop && node.period > 1 &&
            height[position] < kMostPeriodicLoops && without.count(position) == 0) {
            ++height[position];
            periodic_loop_of_[position] = periodic_loops_.size();
            PeriodicLoop& periodic = periodic_loops_.emplace_back();
            periodic.position = position;
            periodic.period = node.period;
            periodic.trips = node.trips.value_or(0);
            periodic.continues = periodic.trips != 0 && periodic.trips % periodic.period == 0;
        }
        if (positions_[position].parent != kNone)
            height[positions_[position].parent] =
                std::max(height[positions_[position].parent], height[position]);
    }
    number_bits();
    if (work_bits_ <= kMostBits) return;
    periodic_loops_.clear();
    periodic_loop_of_.assign(positions_.size(), kNone);
    number_bits();
}

void Outline::number_bits() {
    work_spans_.clear();
    work_bits_ = 0;
    for (const size_t position : works_) work_spans_.push_back(span_at(position, work_bits_));
}

size_t Outline::work_of(size_t bit) const {
    const auto behind =
        std::upper_bound(work_spans_.begin(), work_spans_.end(), bit,
                         [](size_t at, const Span& span) { return at < span.first; });
    return static_cast<size_t>(behind - work_spans_.begin()) - 1;
}

Span Outline::span_at(size_t position, size_t& next) const {
    Span span;
    span.first = next;
    size_t count = 0;
    for (const size_t around : ancestors(position)) {
        if (around == position || periodic_loop_of_[around] == kNone) continue;
        span.periodic_loops[count++] = periodic_loop_of_[around];
        span.size *= periodic_loops_[periodic_loop_of_[around]].ages();
    }
    next += span.size;
    return span;
}

size_t Outline::bit(const Span& span, const Ages& ages) const {
    size_t index = 0;
    for (size_t i = 0; i < kMostPeriodicLoops && span.periodic_loops[i] != kNone; ++i)
        index = index * periodic_loops_[span.periodic_loops[i]].ages() + ages[i];
    return span.first + index;
}

Ages Outline::ages_of(const Span& span, size_t bit) const {
    Ages ages{};
    size_t rest = bit - span.first;
    for (size_t i = kMostPeriodicLoops; i-- > 0;) {
        if (span.periodic_loops[i] == kNone) continue;
        const unsigned count = periodic_loops_[span.periodic_loops[i]].ages();
        ages[i] = static_cast<unsigned>(rest % count);
        rest /= count;
    }
    return ages;
}

size_t Outline::age_in(const Span& span, size_t periodic) {
    return static_cast<size_t>(
        std::find(span.periodic_loops.begin(), span.periodic_loops.end(), periodic) -
        span.periodic_loops.begin());
}

}  // namespace ptosim::assembly::sync
