// Formats of the memory of tensors: ND, or FRACTAL_NZ of what torch_npu.npu_format_cast has made.
#pragma once

#include <ATen/ATen.h>
#include <acl/acl.h>

#include "torch_npu/csrc/core/npu/NPUStorageImpl.h"

namespace at_npu::native {

inline int64_t get_npu_format(const at::Tensor& tensor) {
    return torch_npu::storage_of(tensor).npu_desc_.npu_format_;
}

// Extents of the memory in its format.
inline std::vector<int64_t> get_npu_storage_sizes(const at::Tensor& tensor) {
    const auto& sizes = torch_npu::storage_of(tensor).npu_desc_.storage_sizes_;
    if (sizes.empty()) return {static_cast<int64_t>(tensor.storage().nbytes() / tensor.itemsize())};
    return {sizes.begin(), sizes.end()};
}

inline at::Tensor empty_with_format(c10::IntArrayRef sizes, const c10::TensorOptions& options,
                                    int64_t format, bool keep_format = false) {
    static_cast<void>(keep_format);
    TORCH_CHECK(format != ACL_FORMAT_FRACTAL_NZ,
                "empty_with_format of ptosim's toolkit makes no FRACTAL_NZ; npu_format_cast does");
    return at::empty(sizes, options);
}

}  // namespace at_npu::native
