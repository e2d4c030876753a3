// Data that an observer keeps for each core, so that clusters that run apart share none of it.
#pragma once

#include <memory>
#include <vector>

#include "sim/machine/observe/core_id.h"

namespace ptosim {

template <class T>
class PerCore {
 public:
    // Makes room for a core. Called at the begin of a launch for all that take part in it, because threads may ask later.
    void expect(CoreId core) { of(core); }
    T& of(CoreId core) {
        const size_t at = index(core);
        return at < items_.size() && items_[at] != nullptr ? *items_[at] : add(at);
    }
    // In the order of cores.
    template <class F>
    void for_each(F&& f) const {
        for (const std::unique_ptr<T>& item : items_)
            if (item != nullptr) f(*item);
    }

 private:
    T& add(size_t at) {
        if (at >= items_.size()) items_.resize(at + 1);
        items_[at] = std::make_unique<T>();
        return *items_[at];
    }
    static size_t index(CoreId core) { return core.index * size_t{2} + static_cast<size_t>(core.type); }

    std::vector<std::unique_ptr<T>> items_;
};

}  // namespace ptosim
