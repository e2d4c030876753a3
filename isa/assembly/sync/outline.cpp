#include "isa/assembly/sync/outline.h"

#include <algorithm>

namespace ptosim::assembly::sync {

Outline::Outline(const SyncBlock& body) {
    root_.kind = SyncNode::Kind::kBranch;
    places_.push_back({&root_, kNone, 0, 0, 0, {}});
    number_block(body, 0, 0);
    places_[0].last = works_.size();
}

void Outline::number_block(const SyncBlock& block, size_t parent, size_t at) {
    if (places_[parent].children.size() <= at) places_[parent].children.resize(at + 1);
    for (const SyncNode& node : block) {
        const size_t place = places_.size();
        places_[parent].children[at].push_back(place);
        places_.push_back({&node, parent, at, works_.size(), 0, {}});
        if (node.kind == SyncNode::Kind::kWork) works_.push_back(place);
        for (size_t b = 0; b < node.blocks.size(); ++b) number_block(node.blocks[b], place, b);
        if (places_[place].children.size() < node.blocks.size())
            places_[place].children.resize(node.blocks.size());
        places_[place].last = works_.size();
    }
}

bool Outline::is_loop(size_t place) const {
    const SyncNode::Kind kind = places_[place].node->kind;
    return kind == SyncNode::Kind::kLoop || kind == SyncNode::Kind::kWhile;
}

std::vector<size_t> Outline::ancestors(size_t place) const {
    std::vector<size_t> list;
    for (; place != kNone; place = places_[place].parent) list.push_back(place);
    std::reverse(list.begin(), list.end());
    return list;
}

void Outline::find_wheels(const std::set<size_t>& without) {
    constexpr size_t kMostBits = 20'000;
    wheels_.clear();
    wheel_of_.assign(places_.size(), kNone);
    std::vector<size_t> height(places_.size(), 0);
    for (size_t place = places_.size(); place-- > 0;) {
        const SyncNode& node = *places_[place].node;
        if (node.kind == SyncNode::Kind::kLoop && node.period > 1 && height[place] < kMostWheels &&
            without.count(place) == 0) {
            ++height[place];
            wheel_of_[place] = wheels_.size();
            Wheel& wheel = wheels_.emplace_back();
            wheel.place = place;
            wheel.period = node.period;
            wheel.trips = node.trips.value_or(0);
            wheel.endless = wheel.trips != 0 && wheel.trips % wheel.period == 0;
        }
        if (places_[place].parent != kNone)
            height[places_[place].parent] = std::max(height[places_[place].parent], height[place]);
    }
    number_bits();
    if (work_bits_ <= kMostBits) return;
    wheels_.clear();
    wheel_of_.assign(places_.size(), kNone);
    number_bits();
}

void Outline::number_bits() {
    work_spans_.clear();
    work_bits_ = 0;
    for (const size_t place : works_) work_spans_.push_back(span_at(place, work_bits_));
}

size_t Outline::work_of(size_t bit) const {
    const auto behind =
        std::upper_bound(work_spans_.begin(), work_spans_.end(), bit,
                         [](size_t at, const Span& span) { return at < span.first; });
    return static_cast<size_t>(behind - work_spans_.begin()) - 1;
}

Span Outline::span_at(size_t place, size_t& next) const {
    Span span;
    span.first = next;
    size_t count = 0;
    for (const size_t around : ancestors(place)) {
        if (around == place || wheel_of_[around] == kNone) continue;
        span.wheels[count++] = wheel_of_[around];
        span.size *= wheels_[wheel_of_[around]].ages();
    }
    next += span.size;
    return span;
}

size_t Outline::bit(const Span& span, const Ages& ages) const {
    size_t index = 0;
    for (size_t i = 0; i < kMostWheels && span.wheels[i] != kNone; ++i)
        index = index * wheels_[span.wheels[i]].ages() + ages[i];
    return span.first + index;
}

Ages Outline::ages_of(const Span& span, size_t bit) const {
    Ages ages{};
    size_t rest = bit - span.first;
    for (size_t i = kMostWheels; i-- > 0;) {
        if (span.wheels[i] == kNone) continue;
        const unsigned count = wheels_[span.wheels[i]].ages();
        ages[i] = static_cast<unsigned>(rest % count);
        rest /= count;
    }
    return ages;
}

size_t Outline::age_in(const Span& span, size_t wheel) {
    return static_cast<size_t>(std::find(span.wheels.begin(), span.wheels.end(), wheel) -
                               span.wheels.begin());
}

}  // namespace ptosim::assembly::sync
