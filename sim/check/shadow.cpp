#include "sim/check/shadow.h"

#include <algorithm>

namespace ptosim::check {

namespace {

bool same_kind(const Record& a, const Record& b) {
    return a.region == b.region && a.write == b.write && a.atomic == b.atomic &&
           a.past_cache == b.past_cache && a.stamp.core == b.stamp.core &&
           a.stamp.pipe == b.stamp.pipe && a.stamp.block == b.stamp.block;
}

size_t hash(const Record& record) {
    uint64_t value = record.region.begin * 0x9E3779B97F4A7C15u;
    value += record.region.width + (record.region.lines << 20);
    value += (uint64_t{record.stamp.core} << 40) + (uint64_t{record.stamp.block} << 50);
    value += (static_cast<uint64_t>(record.stamp.pipe) * 2 + (record.write ? 1 : 0)) << 33;
    value *= 0xD6E8FEB86659FD93u;
    return value >> 32;
}

}  // namespace

size_t Shadow::bucket_of(const Record& record) const {
    const size_t mask = table_.size() - 1;
    size_t bucket = hash(record) & mask;
    while (table_[bucket] != kNone && !same_kind(slots_[table_[bucket]].record, record))
        bucket = (bucket + 1) & mask;
    return bucket;
}

void Shadow::grow_table() {
    std::vector<uint32_t> old(2 * table_.size(), kNone);
    old.swap(table_);
    for (const uint32_t index : old)
        if (index != kNone) table_[bucket_of(slots_[index].record)] = index;
}

// Closes the gap, so that no search ends too early.
void Shadow::leave_table(size_t hole) {
    const size_t mask = table_.size() - 1;
    for (size_t at = (hole + 1) & mask; table_[at] != kNone; at = (at + 1) & mask) {
        const size_t home = hash(slots_[table_[at]].record) & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        table_[hole] = table_[at];
        hole = at;
    }
    table_[hole] = kNone;
}

std::pair<size_t, size_t> Shadow::cells_of(const Region& region, uint64_t page) const {
    const uint64_t first = page << page_bits_, last = first + (uint64_t{1} << page_bits_) - 1;
    const uint64_t begin = std::max(region.begin - origin_, first);
    const uint64_t end = std::min(region.end() - 1 - origin_, last);
    return {(begin - first) >> kCellBits, (end - first) >> kCellBits};
}

void Shadow::insert(const Record& record) {
    const size_t bucket = bucket_of(record);
    if (table_[bucket] != kNone) {
        slots_[table_[bucket]].record = record;
        return;
    }
    const bool small = in_one_cell(record.region);
    uint64_t cost = kBytesPerRecord, new_pages = 0;
    for_pages(record.region, [&](uint64_t number) {
        cost += kBytesPerPlace;
        const auto page = pages_.find(number);
        if (page == pages_.end()) new_pages += kBytesPerPage;
        if (small && (page == pages_.end() || page->second.cells.empty()))
            new_pages += kBytesPerCell * cells_of_page();
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
    slot = {record, 0, static_cast<uint32_t>(cost), 0, true};
    table_[bucket] = index;
    if (++living_ * 2 > table_.size()) grow_table();
    for_pages(record.region, [&](uint64_t number) {
        Page& page = pages_[number];
        if (small && page.cells.empty()) page.cells.resize(cells_of_page());
        Lists& lists = small ? page.cells[cells_of(record.region, number).first] : page;
        lists.of(record.write).push_back(index);
        ++slot.pages;
    });
}

void Shadow::remove(uint32_t index) {
    Slot& slot = slots_[index];
    slot.alive = false;
    budget_->left += slot.cost;
    --living_;
    leave_table(bucket_of(slot.record));
}

}  // namespace ptosim::check
