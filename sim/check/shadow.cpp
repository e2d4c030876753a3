#include "sim/check/shadow.h"

namespace ptosim::check {

uint64_t Shadow::key_of(const Record& record) const {
    uint64_t hash = 0;
    const auto mix = [&hash](uint64_t value) {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    };
    mix(record.region.begin);
    mix(record.region.width);
    mix(record.region.pitch);
    mix(record.region.lines);
    mix(record.stamp.core);
    mix(static_cast<uint64_t>(record.stamp.pipe));
    mix(record.stamp.block);
    mix(record.write ? 2 : 0);
    return hash;
}

void Shadow::insert(const Record& record) {
    const uint64_t key = key_of(record);
    const auto [begin, end] = by_key_.equal_range(key);
    for (auto it = begin; it != end; ++it) {
        Record& known = slots_[it->second].record;
        if (known.region == record.region && known.write == record.write &&
            known.atomic == record.atomic && known.stamp.core == record.stamp.core &&
            known.stamp.pipe == record.stamp.pipe && known.stamp.block == record.stamp.block) {
            known = record;
            return;
        }
    }
    uint64_t cost = kBytesPerRecord, new_pages = 0;
    for_pages(record.region, [&](uint64_t number) {
        cost += kBytesPerPlace;
        new_pages += pages_.count(number) == 0 ? kBytesPerPage : 0;
    });
    if (budget_->left < cost + new_pages) {
        budget_->exceeded = true;
        return;
    }
    budget_->left -= cost + new_pages;
    uint32_t index = static_cast<uint32_t>(slots_.size());
    if (free_.empty()) {
        slots_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    Slot& slot = slots_[index];
    slot = {record, 0, key, cost, 0, true};
    by_key_.emplace(key, index);
    for_pages(record.region, [&](uint64_t number) {
        Page& page = pages_[number];
        (record.write ? page.writes : page.reads).push_back(index);
        ++slot.pages;
    });
}

void Shadow::remove(uint32_t index) {
    Slot& slot = slots_[index];
    slot.alive = false;
    budget_->left += slot.cost;
    const auto [begin, end] = by_key_.equal_range(slot.key);
    for (auto it = begin; it != end; ++it)
        if (it->second == index) {
            by_key_.erase(it);
            return;
        }
}

}  // namespace ptosim::check
