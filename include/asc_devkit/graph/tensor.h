// Shapes as hosts of Ascend C hand them to functions of tiling.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/types.h"

namespace ge {

class Shape {
 public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
    uint32_t SetDim(size_t index, int64_t value) {
        if (index >= dims_.size()) return ~0u;
        dims_[index] = value;
        return 0;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    // Elements; 0 without dimensions, -1 where one of them is open.
    int64_t GetShapeSize() const {
        if (dims_.empty()) return 0;
        int64_t size = 1;
        for (const int64_t dim : dims_) {
            if (dim < 0) return -1;
            size *= dim;
        }
        return size;
    }

 private:
    std::vector<int64_t> dims_;
};

}  // namespace ge
