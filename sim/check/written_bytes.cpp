#include "sim/check/written_bytes.h"

#include <algorithm>
#include <bit>

namespace ptosim::check {
namespace {

constexpr size_t kRemembered = 256;
constexpr size_t kMostLeftOver = 64;

// Calls act(word, mask) for the words of [begin, end); stops when it returns false.
template <class Act>
bool for_words(uint64_t begin, uint64_t end, Act&& act) {
    for (uint64_t word = begin / 64; word <= (end - 1) / 64; ++word) {
        uint64_t mask = ~uint64_t{0};
        if (word == begin / 64) mask &= ~uint64_t{0} << (begin % 64);
        if (word == (end - 1) / 64 && end % 64 != 0) mask &= ~(~uint64_t{0} << (end % 64));
        if (!act(word, mask)) return false;
    }
    return true;
}

}  // namespace

void WrittenBytes::clear() {
    words_.assign(words_.size(), 0);
    complete_.assign(complete_.size(), {});
    writes_.clear();
    left_over_.clear();
    next_left_over_ = 0;
}

Region& WrittenBytes::remembered(const Region& region) {
    if (complete_.empty()) complete_.resize(kRemembered);
    uint64_t hash = (region.begin + region.width * 31 + region.lines * 1009) * 0x9E3779B97F4A7C15u;
    return complete_[(hash >> 40) % kRemembered];
}

void WrittenBytes::set(const Region& region) {
    Region& kept = remembered(region);
    if (kept == region) return;
    kept = region;
    if (words_.size() * 64 < region.end()) words_.resize(region.end() / 64 + 1);
    for (uint64_t i = 0; i < region.lines; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        for_words(begin, begin + region.width, [this](uint64_t word, uint64_t mask) {
            words_[word] |= mask;
            return true;
        });
    }
}

void WrittenBytes::unset(const Region& region) {
    complete_.assign(complete_.size(), {});
    for (uint64_t i = 0; i < region.lines; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        for_words(begin, begin + region.width, [this](uint64_t word, uint64_t mask) {
            words_[word] &= ~mask;
            return true;
        });
    }
}

void WrittenBytes::set(const Region& region, Site site) {
    Write& last = writes_[site];
    ++order_;
    if (last.order != 0 && !(last.region == region) && overlap(last.region, region) &&
        !covers(region, last.region)) {
        const bool overwritten =
            std::any_of(writes_.begin(), writes_.end(), [&](const auto& entry) {
                return entry.first != site && entry.second.order > last.order &&
                       overlap(entry.second.region, last.region);
            });
        if (!overwritten) {
            unset(last.region);
            const LeftOver entry{last.region, region};
            if (left_over_.size() < kMostLeftOver)
                left_over_.push_back(entry);
            else
                left_over_[next_left_over_++ % kMostLeftOver] = entry;
        }
    }
    last = {region, order_};
    set(region);
}

bool WrittenBytes::meant(uint64_t byte, const Region& read) const {
    return std::any_of(left_over_.begin(), left_over_.end(), [&](const LeftOver& entry) {
        return overlap(entry.bytes, {byte, 1, 0, 1}) && !overlap(entry.later, read);
    });
}

uint64_t WrittenBytes::first_unwritten(const Region& region) {
    if (remembered(region) == region) return UINT64_MAX;
    uint64_t found = UINT64_MAX;
    bool complete = true;
    for (uint64_t i = 0; i < region.lines && found == UINT64_MAX; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        for_words(begin, begin + region.width, [&](uint64_t word, uint64_t mask) {
            const uint64_t written = word < words_.size() ? words_[word] : 0;
            for (uint64_t missing = mask & ~written; missing != 0; missing &= missing - 1) {
                complete = false;
                const uint64_t byte = word * 64 + static_cast<uint64_t>(std::countr_zero(missing));
                if (meant(byte, region)) continue;
                found = byte;
                return false;
            }
            return true;
        });
    }
    if (complete) remembered(region) = region;
    return found;
}

std::vector<std::pair<uint64_t, uint64_t>> WrittenBytes::unwritten(const Region& region) const {
    std::vector<std::pair<uint64_t, uint64_t>> found;
    for (uint64_t i = 0; i < region.lines; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        for_words(begin, begin + region.width, [&](uint64_t word, uint64_t mask) {
            const uint64_t written = word < words_.size() ? words_[word] : 0;
            for (uint64_t missing = mask & ~written; missing != 0; missing &= missing - 1) {
                const uint64_t byte = word * 64 + static_cast<uint64_t>(std::countr_zero(missing));
                if (meant(byte, region)) continue;
                if (!found.empty() && found.back().second == byte)
                    ++found.back().second;
                else
                    found.emplace_back(byte, byte + 1);
            }
            return true;
        });
    }
    return found;
}

bool WrittenBytes::any_written(const Region& region) const {
    bool found = false;
    for (uint64_t i = 0; i < region.lines && !found; ++i) {
        const uint64_t begin = region.begin + i * region.pitch;
        for_words(begin, begin + region.width, [&](uint64_t word, uint64_t mask) {
            found = word < words_.size() && (words_[word] & mask) != 0;
            return !found;
        });
    }
    return found;
}

}  // namespace ptosim::check
