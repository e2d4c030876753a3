// Items by an id: the latest ones, whose places the last bits of their ids choose.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptosim {

// T has a member `id`; an item that is not used has 0. At most kMost items, a power of two.
template <class T, size_t kMost>
class LatestById {
 public:
    // The item in the place of an id, which may have another one.
    T& in_place_of(uint64_t id) {
        if (id >= items_.size() && items_.size() < kMost) grow(id);
        return items_[id & (items_.size() - 1)];
    }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }

 private:
    void grow(uint64_t id) {
        std::vector<T> more(std::bit_ceil(std::min<size_t>(id + 1, kMost)));
        for (T& item : items_)
            if (item.id != 0) more[item.id & (more.size() - 1)] = std::move(item);
        items_ = std::move(more);
    }

    std::vector<T> items_;
};

}  // namespace ptosim
