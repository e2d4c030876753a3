// The shapes that functions of Ascend C's library take. metadef declares the class.
#include <cstdint>
#include <memory>
#include <vector>

#include "graph/tensor.h"

namespace ge {

class ShapeImpl {
 public:
    std::vector<int64_t> dims;
};

Shape::Shape() : impl_(std::make_shared<ShapeImpl>()) {}
Shape::Shape(const std::vector<int64_t>& dims)
    : impl_(std::make_shared<ShapeImpl>(ShapeImpl{dims})) {}
size_t Shape::GetDimNum() const { return impl_->dims.size(); }
int64_t Shape::GetDim(size_t index) const {
    return index < impl_->dims.size() ? impl_->dims[index] : 0;
}
std::vector<int64_t> Shape::GetDims() const { return impl_->dims; }
graphStatus Shape::SetDim(size_t index, int64_t value) {
    if (index >= impl_->dims.size()) return GRAPH_FAILED;
    impl_->dims[index] = value;
    return GRAPH_SUCCESS;
}
int64_t Shape::GetShapeSize() const {
    if (impl_->dims.empty()) return 0;
    int64_t size = 1;
    for (const int64_t dim : impl_->dims) {
        if (dim < 0) return -1;
        size *= dim;
    }
    return size;
}

}  // namespace ge
