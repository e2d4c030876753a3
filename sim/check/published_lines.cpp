#include "sim/check/published_lines.h"

#include <algorithm>

namespace ptosim::check {
namespace {

constexpr size_t kMostStored = 64;       // of a core
constexpr size_t kMostPublished = 1024;  // of the launch

uint64_t line_of(uint64_t address) { return address / CacheUse::kLineBytes * CacheUse::kLineBytes; }
// An address at which no word is accessed past the cache.
uint64_t key_of(uint64_t line) { return line + 1; }

}  // namespace

void PublishedLines::launch(const LaunchEvent& event) {
    stored_.assign(event.cores.size(), {});
    order_.clear();
    published_.clear();
}

void PublishedLines::store(CoreId core, const Access& access) {
    std::deque<uint64_t>& lines = stored_[timelines_.index(core)];
    for (uint64_t line = line_of(access.begin); line < access.end; line += CacheUse::kLineBytes) {
        if (!lines.empty() && lines.back() == line) continue;
        std::erase(lines, line);
        lines.push_back(line);
        if (lines.size() > kMostStored) lines.pop_front();
    }
}

void PublishedLines::load(CoreId core, const Access& access) {
    if (published_.empty()) return;
    for (uint64_t line = line_of(access.begin); line < access.end; line += CacheUse::kLineBytes)
        if (published_.contains(line)) timelines_.acquire_at(core, key_of(line));
}

void PublishedLines::clean(CoreId core, const CacheUse& use) {
    std::deque<uint64_t>& lines = stored_[timelines_.index(core)];
    if (use.size == 0) {
        for (const uint64_t line : lines) publish(core, line);
        lines.clear();
    } else if (std::erase(lines, line_of(use.address)) != 0) {
        publish(core, line_of(use.address));
    }
}

void PublishedLines::publish(CoreId core, uint64_t line) {
    if (published_.insert(line).second) order_.push_back(line);
    if (order_.size() > kMostPublished) {
        published_.erase(order_.front());
        timelines_.forget_at(key_of(order_.front()));
        order_.pop_front();
    }
    timelines_.release_at(core, key_of(line), false);
}

}  // namespace ptosim::check
