#include "sim/native/touched_bytes.h"

#include <bit>

namespace ptosim {

void TouchedBytes::mark(uint64_t begin, uint64_t size, Use use) {
    for (uint64_t at = begin; at < begin + size; ++at) {
        if (at / kPage != last_) {
            last_ = at / kPage;
            page_ = &pages_[last_];
        }
        const uint64_t bit = at % kPage;
        if (use == Use::kAtomic) {
            page_->atomic.set(bit);
            if (!page_->written.test(bit)) page_->read_atomically.set(bit);
        } else if (use == Use::kWrite) {
            page_->written.set(bit);
        } else if (!page_->written.test(bit)) {
            page_->read.set(bit);
        }
    }
}

void TouchedBytes::append(std::vector<ThreadRange>& ranges, bool global) const {
    ThreadRange range;
    const auto end = [&](uint64_t at) {
        if (range.begin != range.end) ranges.push_back(range);
        range = {.begin = at, .end = at, .global = global};
    };
    const auto add = [&](const Page& page, uint64_t first, uint64_t bit) {
        const uint64_t at = first + bit;
        const bool plain = page.read.test(bit) || page.written.test(bit);
        const bool reads = page.read.test(bit) || page.read_atomically.test(bit);
        const bool writes = page.written.test(bit) || page.atomic.test(bit);
        if (at != range.end || reads != range.reads || writes != range.writes || range.atomic == plain) {
            end(at);
            range.reads = reads;
            range.writes = writes;
            range.atomic = !plain;
        }
        range.end = at + 1;
    };
    for (const auto& [number, page] : pages_)
        for (size_t i = 0; i < page.read.words.size(); ++i) {
            uint64_t touched = page.read.words[i] | page.written.words[i] | page.atomic.words[i];
            for (; touched != 0; touched &= touched - 1)
                add(page, number * kPage, 64 * i + static_cast<uint64_t>(std::countr_zero(touched)));
        }
    end(0);
}

}  // namespace ptosim
