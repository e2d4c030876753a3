// Outputs of operators of C++ extensions.
#pragma once

#include <ATen/ATen.h>

#include "torch_npu/csrc/core/npu/NPUFormat.h"

namespace at_npu::native {

struct OpPreparation {
    static at::Tensor apply_tensor_without_format(const at::Tensor& like) {
        return at::empty(like.sizes(), like.options());
    }
    static at::Tensor apply_tensor_without_format(const at::Tensor& like, c10::IntArrayRef sizes) {
        return at::empty(sizes, like.options());
    }
    static at::Tensor apply_tensor_without_format(c10::IntArrayRef sizes,
                                                  const c10::TensorOptions& options) {
        return at::empty(sizes, options);
    }
    static at::Tensor unsafe_empty_workspace(uint64_t bytes) {
        return at::empty({static_cast<int64_t>(bytes)},
                         at::TensorOptions(c10::DeviceType::PrivateUse1).dtype(at::kByte));
    }
};

}  // namespace at_npu::native
